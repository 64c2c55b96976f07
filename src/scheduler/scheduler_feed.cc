// The scheduler's ears: what happens in the cluster, and whom it may help.
#include "cluster/feed.h"
#include "cluster/objects/pods.h"
#include "kube/proto/core_pod.pb.h"
#include "scheduler/pod_changes.h"
#include "scheduler/scheduler.h"

namespace rescheduler::scheduler {

void Scheduler::seen(const std::shared_ptr<const google::protobuf::Message>& object, WallTime now) {
  if (object->GetDescriptor() == api::Pod::descriptor()) {
    pod_seen(std::static_pointer_cast<const api::Pod>(object), now);
    return;
  }
  happened(cluster::apply(*object, cluster::Word::Seen, cluster_), now);
}

void Scheduler::gone(const std::shared_ptr<const google::protobuf::Message>& object, WallTime now) {
  if (object->GetDescriptor() == api::Pod::descriptor()) {
    pod_gone(std::static_pointer_cast<const api::Pod>(object), now);
    return;
  }
  happened(cluster::apply(*object, cluster::Word::Gone, cluster_), now);
}

void Scheduler::happened(cluster::HappeningPtr what, WallTime now) {
  if (what == nullptr) return;
  queue_->happened(std::move(what), now);
}

void Scheduler::pod_seen(const PodPtr& pod, WallTime now) {
  if (cluster::is_finished(*pod)) {
    pod_gone(pod, now);
    return;
  }
  cluster_.listen(queue_->cares());
  const std::string& uid = pod->metadata().uid();
  if (!pod->spec().node_name().empty()) {
    no_longer_waiting(uid, now);
    happened(cluster_.upsert_pod(*pod), now);
    if (const auto index = cluster_.find_pod(uid)) book(*pod, *index, now);
    return;
  }
  const auto profile = profile_named(pod->spec().scheduler_name());
  if (profile) waiting_pod_seen(pod, *profile, now);
}

void Scheduler::waiting_pod_seen(const PodPtr& pod, std::size_t profile, WallTime now) {
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
  if (cluster_.find_pod(uid)) return;  // it is on its way to a node
  if (!pod->status().nominated_node_name().empty() || !before.pod->status().nominated_node_name().empty()) {
    nominator_.update(before.pod->status().nominated_node_name(), object);
  }
  const auto changes = changes_between(*before.pod, *before.form, *pod, *object.form);
  cluster::HappeningPtr what;
  if (!changes.empty()) {
    what = std::make_shared<const cluster::Happening>(cluster::Happening{.subject = cluster::Subject::TargetPod,
                                                                         .changes = changes,
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
  making_room_.erase(uid);
  queue_->remove(uid, now);
  take_back_promise(last, now);
}

// The room that was kept for it is free for others, if they had to respect it.
void Scheduler::take_back_promise(const PodObject& object, WallTime now) {
  if (!nominator_.remove(object.uid())) return;
  if (!queue_->cares()) return;
  auto left = std::make_shared<const cluster::PlacedPod>(cluster_.imagine(*object.pod, object.form, cluster::kNoNode));
  queue_->happened(
      std::make_shared<const cluster::Happening>(cluster::Happening{.subject = cluster::Subject::AssignedPod,
                                                                    .changes = cluster::Change::Delete,
                                                                    .label = "AssignedPodDelete",
                                                                    .pod_before = std::move(left)}),
      now, object.priority());
}

void Scheduler::pod_gone(const PodPtr& pod, WallTime now) {
  const std::string uid = pod->metadata().uid();
  cluster_.listen(queue_->cares());
  no_longer_waiting(uid, now);
  unbook(uid);
  happened(cluster_.remove_pod(uid), now);
}

}  // namespace rescheduler::scheduler
