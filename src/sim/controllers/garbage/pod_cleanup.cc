#include "sim/controllers/garbage/pod_cleanup.h"

#include <algorithm>
#include <tuple>

#include "cluster/objects/nodes.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"
#include "sim/controllers/nodes/taint_math.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

PodCleanup::PodCleanup(const ControllerScope& scope, PodCleanupSettings settings)
    : server_(scope.server),
      pods_(scope.pods),
      settings_(settings),
      timer_(server_.agenda(), settings.period, [this] { clean(); }) {
  for (const PodView* pod : pods_.select("", kube::LabelSelector::everything())) pod_changed(nullptr, pod);
  on_pods_ = pods_.subscribe([this](const PodView* before, const PodView* after) { pod_changed(before, after); });
  on_nodes_ = server_.store().subscribe(&server_.kinds().of<api::Node>(),
                                        [this](const Change& change) { node_changed(change); });
}

void PodCleanup::pod_changed(const PodView* before, const PodView* after) {
  const auto keep = [&](std::set<std::string>& list, bool was, bool is) {
    if (was == is) return;
    if (is) {
      list.insert(after->key());
    } else {
      list.erase(before->key());
    }
  };
  keep(finished_, before && before->finished(), after && after->finished());
  keep(terminating_, before && before->terminating(), after && after->terminating());
  const bool newly_bound = after && after->bound() && (!before || !before->bound());
  if (newly_bound && !server_.store().find(server_.kinds().of<api::Node>(), "", after->node())) {
    missing_nodes_.try_emplace(std::string(after->node()));
  }
}

void PodCleanup::node_changed(const Change& change) {
  if (change.what != Change::What::Deleted) return;
  const std::string name = change.after->as<api::Node>()->metadata().name();
  if (!pods_.on_node(name).empty()) missing_nodes_.try_emplace(name);
}

void PodCleanup::clean() {
  drop_finished();
  drop_terminating();
  drop_stranded();
}

void PodCleanup::drop_finished() {
  if (settings_.most_finished == 0 || finished_.size() <= settings_.most_finished) return;
  // Oldest first. The real controller also prefers pods that a kubelet evicted; here kubelets evict none.
  std::vector<std::tuple<WallTime, std::string_view, std::string>> oldest;
  for (const std::string& key : finished_) {
    const auto [ns, name] = split_key(key);
    const PodView* pod = pods_.find(ns, name);
    oldest.emplace_back(pod->created(), pod->name(), key);
  }
  std::ranges::sort(oldest);
  oldest.resize(oldest.size() - settings_.most_finished);
  std::vector<std::string> keys;
  for (auto& one : oldest) keys.push_back(std::move(std::get<2>(one)));
  for (const std::string& key : keys) force_out(key, {});
}

void PodCleanup::drop_terminating() {
  const std::vector<std::string> keys(terminating_.begin(), terminating_.end());
  for (const std::string& key : keys) {
    const auto [ns, name] = split_key(key);
    const PodView* pod = pods_.find(ns, name);
    if (!pod) continue;
    if (!pod->bound()) {
      force_out(key, {});
      continue;
    }
    const auto node = server_.find<api::Node>("", pod->node());
    if (node && !cluster::is_ready(*node) && has_taint(*node, kOutOfService, {})) force_out(key, {});
  }
}

void PodCleanup::drop_stranded() {
  const SteadyTime now = server_.agenda().steady_now();
  for (auto missing = missing_nodes_.begin(); missing != missing_nodes_.end();) {
    const std::string& name = missing->first;
    if (server_.store().find(server_.kinds().of<api::Node>(), "", name) || pods_.on_node(name).empty()) {
      missing = missing_nodes_.erase(missing);
      continue;
    }
    if (!missing->second) {
      missing->second = now;
    } else if (now >= *missing->second + settings_.quarantine) {
      std::vector<std::string> keys;
      for (const PodView* pod : pods_.on_node(name)) keys.push_back(pod->key());
      for (const std::string& key : keys) force_out(key, "PodGC: node no longer exists");
      missing->second = now;  // pods with finalizers are tried again
    }
    ++missing;
  }
}

void PodCleanup::force_out(const std::string& key, std::string_view why) {
  const auto [ns, name] = split_key(key);
  const PodView* pod = pods_.find(ns, name);
  if (!pod) return;
  if (!pod->finished()) {
    const WallTime now = server_.agenda().wall_now();
    const auto failed = server_.modify_status<api::Pod>(
        ns, name,
        [&](api::Pod& changed) {
          changed.mutable_status()->set_phase("Failed");
          if (!why.empty()) {
            set_condition(*changed.mutable_status(), {"DisruptionTarget", "True", "DeletionByPodGC", why}, now);
          }
        },
        {.manager = "kube-controller-manager"});
    if (!failed) return;  // the next pass tries again
  }
  api::DeleteOptions options;
  options.set_grace_period_seconds(0);
  const auto removed = server_.remove(server_.kinds().of<api::Pod>(), ns, name, options);
  (void)removed;  // already deleted, or the next pass tries again
}

}  // namespace rescheduler::sim
