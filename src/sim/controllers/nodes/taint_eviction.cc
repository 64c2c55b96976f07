#include "sim/controllers/nodes/taint_eviction.h"

#include <utility>

#include <fmt/format.h>

#include "kube/events/event_record.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

TaintEvictionController::TaintEvictionController(const ControllerScope& scope)
    : server_(scope.server),
      pods_(scope.pods),
      events_(scope.events),
      node_queue_(server_.agenda(), scope.lag, [this](const std::string& name) { look_at_node(name); }),
      pod_queue_(server_.agenda(), scope.lag, [this](const std::string& key) { look_at_pod(key); }) {
  const Kind& nodes = server_.kinds().of<api::Node>();
  on_nodes_ = server_.store().subscribe(&nodes, [this](const Change& change) { node_changed(change); });
  on_pods_ = pods_.subscribe([this](const PodView* before, const PodView* after) { pod_changed(before, after); });
  server_.store().for_each(nodes, "", "", [this](const VersionPtr& version) {
    node_changed(Change{version->number(), Change::What::Added, nullptr, version});
    return true;
  });
}

TaintEvictionController::~TaintEvictionController() {
  for (const auto& [key, one] : scheduled_) server_.agenda().cancel(one.ticket);
}

void TaintEvictionController::node_changed(const Change& change) {
  const auto node = change.after->as<api::Node>();
  const std::string& name = node->metadata().name();
  const auto known = tainted_.find(name);
  const auto taints = change.what == Change::What::Deleted ? std::vector<TaintText>{} : no_execute_taints(*node);
  if (known == tainted_.end() ? taints.empty() : known->second == taints) return;
  node_queue_.add(name);
}

void TaintEvictionController::pod_changed(const PodView* before, const PodView* after) {
  if (!after) {
    if (!scheduled_.empty()) pod_queue_.add(before->key());
    return;
  }
  // Tolerations can be added to a running pod, so every change of a pod on a tainted node counts.
  if (after->bound() && !after->terminating() && tainted_.contains(after->node())) pod_queue_.add(after->key());
}

void TaintEvictionController::look_at_node(const std::string& name) {
  const auto node = server_.find<api::Node>("", name);
  if (!node) {
    tainted_.erase(name);
    return;
  }
  const std::vector<TaintText> taints = no_execute_taints(*node);
  if (taints.empty()) {
    tainted_.erase(name);
  } else {
    tainted_[name] = taints;
  }
  std::vector<std::string> keys;
  for (const PodView* pod : pods_.on_node(name)) keys.push_back(pod->key());
  for (const std::string& key : keys) judge(key, taints);
}

void TaintEvictionController::look_at_pod(const std::string& key) {
  const auto [ns, name] = split_key(key);
  const PodView* pod = pods_.find(ns, name);
  const auto scheduled = scheduled_.find(key);
  if (scheduled != scheduled_.end() && (!pod || scheduled->second.uid != pod->uid())) cancel(key);
  if (!pod) return;
  const auto taints = tainted_.find(pod->node());
  if (taints != tainted_.end()) judge(key, taints->second);
}

void TaintEvictionController::judge(const std::string& key, const std::vector<TaintText>& taints) {
  if (taints.empty()) return cancel(key);
  const auto [ns, name] = split_key(key);
  const auto pod = server_.find<api::Pod>(ns, name);
  if (!pod || pod->metadata().has_deletion_timestamp()) return cancel(key);
  const auto stay = may_stay(taints, pod->spec().tolerations());
  if (!stay) return cancel(key);
  if (stay->count() == 0) {
    cancel(key);
    return evict(key);
  }
  if (scheduled_.contains(key)) return;  // the running timer stays
  scheduled_[key] = {pod->metadata().uid(), server_.agenda().after(*stay, [this, key] {
                       scheduled_.erase(key);
                       evict(key);
                     })};
}

void TaintEvictionController::cancel(const std::string& key) {
  const auto found = scheduled_.find(key);
  if (found == scheduled_.end()) return;
  server_.agenda().cancel(found->second.ticket);
  scheduled_.erase(found);
  note(key, "Cancelling deletion of Pod");
}

void TaintEvictionController::evict(const std::string& key) {
  const auto [ns, name] = split_key(key);
  const PodView* view = pods_.find(ns, name);
  if (!view || view->terminating()) return;
  note(key, "Marking for deletion Pod");
  const WallTime now = server_.agenda().wall_now();
  const auto marked = server_.modify_status<api::Pod>(
      ns, name,
      [now](api::Pod& pod) {
        set_condition(
            *pod.mutable_status(),
            {"DisruptionTarget", "True", "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint"},
            now);
      },
      {.manager = "kube-controller-manager"});
  const auto removed = marked ? server_.remove(server_.kinds().of<api::Pod>(), ns, name, {}) : refuse(marked.error());
  if (!removed && removed.error().code != 404) pod_queue_.add_after_failure(key);
}

void TaintEvictionController::note(const std::string& key, std::string_view what) {
  const auto [ns, name] = split_key(key);
  events_.note(kube::ObjectRef{.api_version = "v1", .kind = "Pod", .ns = ns, .name = name}, kube::EventType::Normal,
               "TaintManagerEviction", "", fmt::format("{} {}", what, key), "taint-eviction-controller");
}

}  // namespace rescheduler::sim
