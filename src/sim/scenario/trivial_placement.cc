#include "sim/scenario/trivial_placement.h"

#include <utility>

#include <fmt/core.h>

#include "kube/proto/core_pod.pb.h"
#include "sim/scenario/bind_pod.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {
namespace {

bool wants_a_node(const api::Pod& pod) {
  return pod.spec().node_name().empty() && pod.spec().scheduling_gates().empty()
         && !pod.metadata().has_deletion_timestamp() && !is_finished(pod);
}

}  // namespace

TrivialPlacement::TrivialPlacement(Server& server) : server_(server), rooms_(server) {
  const Kind& pods = server.kinds().of<api::Pod>();
  subscription_ = server.store().subscribe(&pods, [this](const Change& change) { on_pod(change); });
  server.store().for_each(pods, "", "", [this](const VersionPtr& version) {
    on_pod(Change{version->number(), Change::What::Added, nullptr, version});
    return true;
  });
  rooms_.on_more_room([this] { schedule_retry(); });
}

TrivialPlacement::~TrivialPlacement() {
  server_.agenda().cancel(run_);
  server_.agenda().cancel(retry_);
}

void TrivialPlacement::on_pod(const Change& change) {
  const auto pod = change.after->as<api::Pod>();
  const std::string key = pod->metadata().namespace_() + "/" + pod->metadata().name();
  if (change.what == Change::What::Deleted || !wants_a_node(*pod)) {
    unplaced_.erase(key);
    return;  // if it is in the queue, place() ignores it
  }
  if (!unplaced_.contains(key)) enqueue(key);
}

void TrivialPlacement::enqueue(const std::string& key) {
  if (!queued_.insert(key).second) return;
  queue_.push_back({key, server_.agenda().steady_now() + kLag});
  schedule_run();
}

void TrivialPlacement::schedule_run() {
  if (run_ || queue_.empty()) return;
  run_ = server_.agenda().after(queue_.front().at - server_.agenda().steady_now(), [this] { run(); });
}

void TrivialPlacement::schedule_retry() {
  if (retry_ || unplaced_.empty()) return;
  retry_ = server_.agenda().after(kRetryLag, [this] {
    retry_ = {};
    const std::set<std::string> again = std::exchange(unplaced_, {});
    for (const std::string& key : again) enqueue(key);
  });
}

void TrivialPlacement::run() {
  // Compares with the due time of this event, not with the clock: a paced clock advances while events are late. So all
  // events that were due before a pod's time run before the pod is placed.
  const SteadyTime due = std::exchange(run_, {}).at;
  while (!queue_.empty() && queue_.front().at <= due) {
    const std::string key = std::move(queue_.front().key);
    queue_.pop_front();
    queued_.erase(key);
    place(key);
  }
  schedule_run();
}

void TrivialPlacement::place(const std::string& key) {
  const std::string ns = key.substr(0, key.find('/'));
  const auto pod = server_.find<api::Pod>(ns, std::string_view(key).substr(ns.size() + 1));
  if (pod == nullptr || !wants_a_node(*pod)) return;
  const NodeRoom* node = rooms_.next_fit(PodNeeds(*pod));
  if (node != nullptr && bind_pod(server_, *pod, node->name)) {
    ++placed_;
    return;
  }
  unplaced_.insert(key);
  if (node == nullptr) {
    report_unschedulable(*pod);
  } else {
    schedule_retry();
  }
}

// Sets the condition that a scheduler sets, for kubectl describe. Only once, because the condition has no other effect.
void TrivialPlacement::report_unschedulable(const api::Pod& pod) {
  if (find_condition(pod.status(), "PodScheduled") != nullptr) return;
  const std::string message =
      fmt::format("0/{} nodes are available: no node has enough free resources and is allowed.", rooms_.size());
  (void)server_.modify_status<api::Pod>(  // an error means that the pod is deleted: nothing to do
      pod.metadata().namespace_(), pod.metadata().name(), [&](api::Pod& changed) {
        set_condition(*changed.mutable_status(), {"PodScheduled", "False", "Unschedulable", message},
                      server_.agenda().wall_now());
      });
}

}  // namespace rescheduler::sim
