// A queue with plugins that say what the test wants them to say.
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
  auto form = std::make_shared<cluster::PodForm>();
  form->priority = priority;
  PodObject object;
  object.pod = std::move(pod);
  object.form = std::move(form);
  return object;
}

inline cluster::HappeningPtr happening(cluster::Subject subject,
                                       cluster::Changes changes,
                                       std::string label = "Something",
                                       std::string uid = "") {
  cluster::Happening what;
  what.subject = subject;
  what.changes = changes;
  what.label = std::move(label);
  what.uid = std::move(uid);
  return std::make_shared<const cluster::Happening>(std::move(what));
}
inline cluster::HappeningPtr node_added() { return happening(cluster::Subject::Node, cluster::Change::Add, "NodeAdd"); }
inline cluster::HappeningPtr pod_deleted() {
  return happening(cluster::Subject::AssignedPod, cluster::Change::Delete, "AssignedPodDelete");
}
inline cluster::HappeningPtr claim_added() {
  return happening(cluster::Subject::PersistentVolumeClaim, cluster::Change::Add, "PersistentVolumeClaimAdd");
}
inline cluster::HappeningPtr gates_gone(const std::string& uid) {
  return happening(cluster::Subject::TargetPod, cluster::Change::PodGatesGone, "TargetPodGatesGone", uid);
}

inline WallTime at(double seconds) {
  return WallTime{std::chrono::seconds{1'700'000'000}}
         + std::chrono::nanoseconds{static_cast<std::int64_t>(seconds * 1e9)};
}

// Slots of the plugins below.
inline constexpr std::size_t kFit = 0;      // hears of nodes added or grown, and of pods deleted
inline constexpr std::size_t kGates = 1;    // hears of the pod's gates going
inline constexpr std::size_t kClaims = 2;   // hears of claims
inline constexpr std::size_t kCurious = 3;  // hears of everything
inline const PluginIndexSet kNobody{};

class QueueFixture : public testing::Test {
 public:
  using Place = Queue::Place;
  using Answer = std::function<placement::Hint(const WaitingPod&, const cluster::Happening&)>;

  explicit QueueFixture(QueueSettings settings = {}) : queue(settings, plugins(), at(0), &metrics) {}

  QueuePlugins plugins() {
    using cluster::Change;
    using cluster::Subject;
    const auto asked = [](const placement::Question&, const cluster::Happening&) { return placement::Hint::Skip; };
    QueuePlugins all;
    all.profiles.push_back(
        {.name = "default",
         .plugins = {
             {.name = "Fit",
              .interests =
                  {{.subject = Subject::Node, .changes = {Change::Add, Change::NodeAllocatable}, .hint = asked},
                   {.subject = Subject::AssignedPod, .changes = Change::Delete, .hint = asked}}},
             {.name = "Gates", .interests = {{.subject = Subject::TargetPod, .changes = Change::PodGatesGone}}},
             {.name = "Claims",
              .interests = {{.subject = Subject::PersistentVolumeClaim,
                             .changes = {Change::Add, Change::Update},
                             .hint = asked}}},
             {.name = "Curious", .interests = {{.subject = Subject::Anything}}},
         }});
    all.pre_enqueue = [this](const WaitingPod& pod) -> std::optional<Gate> {
      ++gate_questions;
      if (!gated.contains(pod.uid())) return std::nullopt;
      return Gate{.plugin = kGates, .why = "has a gate"};
    };
    all.hint = [this](const WaitingPod& pod, const placement::Interest&, const cluster::Happening& what) {
      ++hint_questions;
      return answer(pod, what);
    };
    return all;
  }

  // Brings a pod to the place where a rejected pod waits.
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

  Answer answer = [](const WaitingPod&, const cluster::Happening&) { return placement::Hint::Queue; };
  std::set<std::string> gated;
  int gate_questions = 0;
  int hint_questions = 0;
  MetricRegistry registry;
  QueueMetrics metrics{registry};
  Queue queue;
};

}  // namespace rescheduler::scheduler
