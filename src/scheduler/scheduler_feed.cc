// Cluster events: updates the model and requeues the pods that an event may help.
#include "cluster/feed.h"
#include "cluster/objects/pods.h"
#include "kube/proto/core_pod.pb.h"
#include "scheduler/pod_changes.h"
#include "scheduler/scheduler.h"

namespace rescheduler::scheduler {

void Scheduler::upsert(const std::shared_ptr<const google::protobuf::Message>& object, WallTime now) {
  if (object->GetDescriptor() == api::Pod::descriptor()) {
    upsert_pod(std::static_pointer_cast<const api::Pod>(object), now);
    return;
  }
  on_event(cluster::apply(*object, cluster::FeedAction::Upsert, cluster_), now);
}

void Scheduler::remove(const std::shared_ptr<const google::protobuf::Message>& object, WallTime now) {
  if (object->GetDescriptor() == api::Pod::descriptor()) {
    remove_pod(std::static_pointer_cast<const api::Pod>(object), now);
    return;
  }
  on_event(cluster::apply(*object, cluster::FeedAction::Remove, cluster_), now);
}

void Scheduler::on_event(cluster::ClusterEventPtr what, WallTime now) {
  if (what == nullptr) return;
  queue_->on_event(std::move(what), now);
}

void Scheduler::upsert_pod(const PodPtr& pod, WallTime now) {
  if (cluster::is_finished(*pod)) {
    remove_pod(pod, now);
    return;
  }
  cluster_.listen(queue_->awaits_events());
  const std::string& uid = pod->metadata().uid();
  if (!pod->spec().node_name().empty()) {
    no_longer_waiting(uid, now);
    on_event(cluster_.upsert_pod(*pod), now);
    if (const auto index = cluster_.find_pod(uid)) reserve_load(*pod, *index, now);
    return;
  }
  const auto profile = profile_named(pod->spec().scheduler_name());
  if (profile) upsert_waiting_pod(pod, *profile, now);
}

void Scheduler::upsert_waiting_pod(const PodPtr& pod, std::size_t profile, WallTime now) {
  const std::string& uid = pod->metadata().uid();
  PodObject object = object_of(pod, profile);
  const auto known = waiting_.find(uid);
  if (known == waiting_.end()) {
    waiting_.emplace(uid, object);
    nominator_.add(object);
    queue_->add(std::move(object), now);
    return;
  }
  const PodObject before = known->second;
  known->second = object;
  if (cluster_.find_pod(uid)) return;  // the pod is assumed on a node
  if (!pod->status().nominated_node_name().empty() || !before.pod->status().nominated_node_name().empty()) {
    nominator_.update(before.pod->status().nominated_node_name(), object);
  }
  const auto changes = changes_between(*before.pod, *before.compiled_spec, *pod, *object.compiled_spec);
  cluster::ClusterEventPtr what;
  if (!changes.empty()) {
    what = std::make_shared<const cluster::ClusterEvent>(
        cluster::ClusterEvent{.resource = cluster::EventResource::TargetPod,
                              .actions = changes,
                              .label = "TargetPodUpdate",
                              .ns = pod->metadata().namespace_(),
                              .name = pod->metadata().name(),
                              .uid = uid});
  }
  queue_->update(std::move(object), std::move(what), now);
}

void Scheduler::no_longer_waiting(const std::string& uid, WallTime now) {
  const auto known = waiting_.find(uid);
  if (known == waiting_.end()) return;
  const PodObject last = known->second;
  waiting_.erase(known);
  preempting_.erase(uid);
  queue_->remove(uid, now);
  clear_nomination(last, now);
}

// Removes the nomination and raises an AssignedPod/Delete event, so that pods that had to respect it are tried again.
void Scheduler::clear_nomination(const PodObject& object, WallTime now) {
  if (!nominator_.remove(object.uid())) return;
  if (!queue_->awaits_events()) return;
  auto left = std::make_shared<const cluster::AssignedPod>(
      cluster_.hypothetical_pod(*object.pod, object.compiled_spec, cluster::kNoNode));
  queue_->on_event(std::make_shared<const cluster::ClusterEvent>(
                       cluster::ClusterEvent{.resource = cluster::EventResource::AssignedPod,
                                             .actions = cluster::ActionType::Delete,
                                             .label = "AssignedPodDelete",
                                             .pod_before = std::move(left)}),
                   now, object.priority());
}

void Scheduler::remove_pod(const PodPtr& pod, WallTime now) {
  const std::string uid = pod->metadata().uid();
  cluster_.listen(queue_->awaits_events());
  no_longer_waiting(uid, now);
  release_load(uid);
  on_event(cluster_.remove_pod(uid), now);
}

}  // namespace rescheduler::scheduler
