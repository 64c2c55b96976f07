// A queue with plugins whose results the test sets.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/metrics.h"
#include "kube/proto/core_pod.pb.h"
#include "scheduler/queue/queue.h"
#include "scheduler/queue/queue_metrics.h"

namespace rescheduler::scheduler {

inline PodObject object_of(const std::string& uid, std::int32_t priority = 0, const std::string& version = "1") {
  auto pod = std::make_shared<api::Pod>();
  pod->mutable_metadata()->set_uid(uid);
  pod->mutable_metadata()->set_name(uid);
  pod->mutable_metadata()->set_resource_version(version);
  auto compiled_spec = std::make_shared<cluster::CompiledPodSpec>();
  compiled_spec->priority = priority;
  PodObject object;
  object.pod = std::move(pod);
  object.compiled_spec = std::move(compiled_spec);
  return object;
}

inline cluster::ClusterEventPtr cluster_event(cluster::EventResource resource,
                                              cluster::ActionTypes changes,
                                              std::string label = "TestEvent",
                                              std::string uid = "") {
  cluster::ClusterEvent what;
  what.resource = resource;
  what.actions = changes;
  what.label = std::move(label);
  what.uid = std::move(uid);
  return std::make_shared<const cluster::ClusterEvent>(std::move(what));
}
inline cluster::ClusterEventPtr node_added() {
  return cluster_event(cluster::EventResource::Node, cluster::ActionType::Add, "NodeAdd");
}
inline cluster::ClusterEventPtr pod_deleted() {
  return cluster_event(cluster::EventResource::AssignedPod, cluster::ActionType::Delete, "AssignedPodDelete");
}
inline cluster::ClusterEventPtr claim_added() {
  return cluster_event(cluster::EventResource::PersistentVolumeClaim, cluster::ActionType::Add,
                       "PersistentVolumeClaimAdd");
}
inline cluster::ClusterEventPtr gates_gone(const std::string& uid) {
  return cluster_event(cluster::EventResource::TargetPod, cluster::ActionType::PodGatesGone, "TargetPodGatesGone", uid);
}

inline WallTime at(double seconds) {
  return WallTime{std::chrono::seconds{1'700'000'000}}
         + std::chrono::nanoseconds{static_cast<std::int64_t>(seconds * 1e9)};
}

// Slots of the plugins below.
inline constexpr std::size_t kFit = 0;         // registers node add, allocatable growth, and pod delete
inline constexpr std::size_t kGates = 1;       // registers removal of scheduling gates
inline constexpr std::size_t kClaims = 2;      // registers claims
inline constexpr std::size_t kEveryEvent = 3;  // registers every event
inline const PluginIndexSet kNoPlugins{};

class QueueFixture : public testing::Test {
 public:
  using Place = Queue::Place;
  using Answer = std::function<placement::QueueingHint(const WaitingPod&, const cluster::ClusterEvent&)>;

  explicit QueueFixture(QueueSettings settings = {}) : queue(settings, plugins(), at(0), &metrics) {}

  QueuePlugins plugins() {
    using cluster::ActionType;
    using cluster::EventResource;
    const auto skip = [](const placement::PodContext&, const cluster::ClusterEvent&) {
      return placement::QueueingHint::Skip;
    };
    QueuePlugins all;
    all.profiles.push_back(
        {.name = "default",
         .plugins = {
             {.name = "Fit",
              .events = {{.resource = EventResource::Node,
                          .actions = {ActionType::Add, ActionType::NodeAllocatable},
                          .hint = skip},
                         {.resource = EventResource::AssignedPod, .actions = ActionType::Delete, .hint = skip}}},
             {.name = "Gates", .events = {{.resource = EventResource::TargetPod, .actions = ActionType::PodGatesGone}}},
             {.name = "Claims",
              .events = {{.resource = EventResource::PersistentVolumeClaim,
                          .actions = {ActionType::Add, ActionType::Update},
                          .hint = skip}}},
             {.name = "EveryEvent", .events = {{.resource = EventResource::Anything}}},
         }});
    all.pre_enqueue = [this](const WaitingPod& pod) -> std::optional<GateReason> {
      ++gate_calls;
      if (!gated.contains(pod.uid())) return std::nullopt;
      return GateReason{.plugin = kGates, .why = "has a gate"};
    };
    all.hint = [this](const WaitingPod& pod, const placement::ClusterEventWithHint&,
                      const cluster::ClusterEvent& what) {
      ++hint_calls;
      return answer(pod, what);
    };
    return all;
  }

  // Adds a pod and moves it to Unschedulable.
  void reject(const std::string& uid, PluginIndexSet rejectors, double time, std::int32_t priority = 0) {
    queue.add(object_of(uid, priority), at(time));
    ASSERT_EQ(queue.failed(pop(uid, time), rejectors, {}, at(time)), Place::Unschedulable);
  }

  WaitingPod pop(const std::string& uid, double time) {
    std::optional<WaitingPod> pod = queue.pop(at(time));
    EXPECT_TRUE(pod.has_value());
    if (!pod) return WaitingPod{.object = object_of(uid)};
    EXPECT_EQ(pod->uid(), uid);
    return *pod;
  }

  std::optional<Place> place(const std::string& uid) const {
    const auto found = queue.find(uid);
    return found ? std::optional{found->place} : std::nullopt;
  }

  Answer answer = [](const WaitingPod&, const cluster::ClusterEvent&) { return placement::QueueingHint::Queue; };
  std::set<std::string> gated;
  int gate_calls = 0;
  int hint_calls = 0;
  MetricRegistry registry;
  QueueMetrics metrics{registry};
  Queue queue;
};

}  // namespace rescheduler::scheduler
