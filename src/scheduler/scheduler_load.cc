// Node load in the scheduler. Readings go to the LoadTracker. A scheduled pod reserves load there until a reading
// includes it. The predicted load of the node is written to each pod.
#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"
#include "placement/args.h"
#include "placement/predicted_load.h"
#include "scheduler/scheduler.h"

namespace rescheduler::scheduler {

void Scheduler::load_taken(const usage::Reading& reading, const std::string& source, WallTime now) {
  if (load_tracker_ == nullptr) return;
  load_tracker_->take(reading, source, now);
  load_changed(now);
}

void Scheduler::load_fell_back(cluster::LoadBasis basis, const std::string& source, WallTime now) {
  if (load_tracker_ == nullptr) return;
  load_tracker_->fall_back(basis, source, now);
  load_changed(now);
}

void Scheduler::load_changed(WallTime now) {
  load_tracker_->look(now);
  if (!queue_->awaits_events()) return;
  on_event(
      std::make_shared<const cluster::ClusterEvent>(cluster::ClusterEvent{
          .resource = cluster::EventResource::Load, .actions = cluster::ActionType::Update, .label = "LoadUpdate"}),
      now);
}

// Reserves load for a pod of any scheduler: its load is not in the readings yet.
void Scheduler::reserve_load(const api::Pod& object, cluster::PodIndex index, WallTime now) {
  if (load_tracker_ == nullptr) return;
  const cluster::AssignedPod& pod = cluster_.pod(index);
  load_tracker_->placed(pod.uid, pod.node, *pod.compiled_spec->requirements,
                        pod.started == WallTime{} ? now : pod.started,
                        usage::workload_usage_of(workload_usages_, object));
}

void Scheduler::release_load(std::string_view uid) {
  if (load_tracker_ != nullptr) load_tracker_->release(uid);
}

void Scheduler::reserve_move(std::string_view key, std::string_view node, const cluster::Loads& load, WallTime now) {
  const auto index = cluster_.find_node(node);
  if (load_tracker_ != nullptr && index) load_tracker_->reserve(key, *index, load, now);
}

void Scheduler::release_move(std::string_view key) { release_load(key); }

// Writes the predicted load into an annotation, which shows why the pod is on this node. The binding request carries
// the annotation, so no further request is needed.
void Scheduler::predict(BindAction& order, cluster::NodeIndex node) const {
  if (load_tracker_ == nullptr) return;
  if (!frameworks_[order.profile]->profile().uses("Rescheduler", placement::Point::PreBind)) return;
  const cluster::LoadSummary& load_summary = cluster_.load_summary();
  if (load_summary.basis == cluster::LoadBasis::RoundRobin) return;  // no load is known
  const auto predicted = placement::predicted_loads(cluster_.node(node), load_summary);
  std::string text = "{";
  for (std::size_t i = 0; i < load_summary.resources.size(); ++i) {
    if (!std::isnan(predicted[i])) text += fmt::format("\"{}\":{:.3f},", load_summary.resources[i], predicted[i]);
  }
  order.annotations[std::string(kPredictedLoad)] = text + fmt::format("\"source\":\"{}\"}}", load_summary.source);

  const auto* args = frameworks_[order.profile]->args_of<placement::ReschedulerArgs>("Rescheduler");
  if (args == nullptr || !args->enable_preventive_rescheduling || load_summary.basis != cluster::LoadBasis::Usage)
    return;
  order.overloads = predicted[cluster::kCpuLoad] * 100 > args->cpu_threshold
                    || predicted[cluster::kMemoryLoad] * 100 > args->memory_threshold;
}

}  // namespace rescheduler::scheduler
