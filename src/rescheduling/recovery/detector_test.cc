#include "rescheduling/recovery/detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/codec/json.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::rescheduling::recovery {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr WallTime kStart{seconds{1'700'000'000}};

api::Pod pod(const std::string& status, const std::string& uid = "u") {
  api::Pod made;
  const auto read = kube::from_json(R"({"metadata":{"namespace":"ns","name":"p","uid":")" + uid
                                        + R"("},"spec":{"nodeName":"n"},"status":)" + status + "}",
                                    made);
  EXPECT_TRUE(read) << read.error().message;
  return made;
}

std::string waiting(const std::string& reason, int restarts, const char* list = "containerStatuses") {
  return fmt::format(
      R"({{"phase":"{}","startTime":"2023-11-14T22:13:20Z","{}":[{{"name":"main","restartCount":{},"state":{{"waiting":{{"reason":"{}"}}}}}}]}})",
      restarts > 0 ? "Running" : "Pending", list, restarts, reason);
}
const std::string kRunning =
    R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"main","restartCount":1,"state":{"running":{}}}]})";

api::Node node(const std::string& name, bool ready, const std::string& taint = "") {
  api::Node made;
  made.mutable_metadata()->set_name(name);
  auto& condition = *made.mutable_status()->add_conditions();
  condition.set_type("Ready");
  condition.set_status(ready ? "True" : "Unknown");
  if (!taint.empty()) made.mutable_spec()->add_taints()->set_key(taint);
  return made;
}

std::optional<Symptom> symptom(const Detector& detector, WallTime at) {
  const auto found = detector.failing("u", at);
  return found ? std::optional(found->symptom) : std::nullopt;
}

TEST(CrashLoops, ACrashLoopIsReportedAfterThreeRestartsAndNotBefore) {
  Detector detector({});
  for (int restarts = 1; restarts <= 3; ++restarts) {
    const WallTime at = kStart + seconds{20 * restarts};
    detector.upsert_pod(pod(kRunning), at - seconds{1});
    detector.upsert_pod(pod(waiting("CrashLoopBackOff", restarts)), at);
    EXPECT_EQ(symptom(detector, at), restarts < 3 ? std::nullopt : std::optional(Symptom::CrashLoop)) << restarts;
  }
  EXPECT_THAT(detector.failing("u", kStart + minutes{2})->detail, HasSubstr("restarted 3 times within 10m"));
}

TEST(CrashLoops, RestartsThatAreFarApartAreNotACrashLoop) {
  Detector detector({});
  for (int restarts = 1; restarts <= 5; ++restarts) {
    const WallTime at = kStart + minutes{6 * restarts};
    detector.upsert_pod(pod(waiting("CrashLoopBackOff", restarts)), at);
    EXPECT_EQ(symptom(detector, at), std::nullopt);
  }
}

TEST(CrashLoops, RestartsBeforeTheFirstObservationCountOnlyForAYoungPod) {
  Detector detector({});
  detector.upsert_pod(pod(waiting("CrashLoopBackOff", 40)), kStart + std::chrono::hours{5});
  EXPECT_EQ(symptom(detector, kStart + std::chrono::hours{5}), std::nullopt) << "one observation is not a failure";
  Detector young({});
  young.upsert_pod(pod(waiting("CrashLoopBackOff", 4)), kStart + minutes{2});
  EXPECT_EQ(symptom(young, kStart + minutes{2}), Symptom::CrashLoop)
      << "all restarts are within the window, also those before the start of the process";
}

TEST(CrashLoops, ACrashLoopEndsWhenTheContainerRuns) {
  Detector detector({});
  detector.upsert_pod(pod(waiting("CrashLoopBackOff", 4)), kStart + minutes{2});
  detector.upsert_pod(pod(kRunning), kStart + minutes{3});
  EXPECT_EQ(symptom(detector, kStart + minutes{3}), std::nullopt);
}

TEST(InitContainers, AnInitContainerThatKeepsFailingIsReported) {
  Detector detector({});
  auto stuck = pod(waiting("CrashLoopBackOff", 3, "initContainerStatuses"));
  stuck.mutable_status()->set_phase("Pending");
  detector.upsert_pod(stuck, kStart + minutes{1});
  EXPECT_EQ(symptom(detector, kStart + minutes{1}), Symptom::InitFailure);
}

TEST(WaitingStates, AWaitingStateIsAFailureAfterItsTimeWithoutABreak) {
  const std::tuple<const char*, Symptom, seconds> cases[] = {
      {"ImagePullBackOff", Symptom::ImagePull, minutes{2}},
      {"ErrImagePull", Symptom::ImagePull, minutes{2}},
      {"CreateContainerError", Symptom::ContainerError, minutes{1}},
      {"RunContainerError", Symptom::ContainerError, minutes{1}},
      {"ContainerCreating", Symptom::StuckCreating, minutes{5}}};
  for (const auto& [reason, expected, after] : cases) {
    Detector detector({});
    detector.upsert_pod(pod(waiting(reason, 0)), kStart);
    EXPECT_EQ(symptom(detector, kStart + after - seconds{1}), std::nullopt) << reason;
    EXPECT_EQ(symptom(detector, kStart + after), expected) << reason;
    detector.upsert_pod(pod(kRunning), kStart + after + seconds{1});
    EXPECT_EQ(symptom(detector, kStart + minutes{60}), std::nullopt) << reason;
    detector.upsert_pod(pod(waiting(reason, 0)), kStart + minutes{60});
    EXPECT_EQ(symptom(detector, kStart + minutes{60}), std::nullopt) << reason << ": its time begins again";
  }
}

TEST(ImagePulls, TheTwoReasonsOfAFailedImagePullAreOneState) {
  Detector detector({});
  for (int i = 0; i < 9; ++i) {
    detector.upsert_pod(pod(waiting(i % 2 == 0 ? "ErrImagePull" : "ImagePullBackOff", 0)), kStart + seconds{15 * i});
  }
  EXPECT_EQ(symptom(detector, kStart + minutes{2}), Symptom::ImagePull);
}

TEST(FailedPods, AFailedPodIsReportedOnlyForReasonsOfTheNode) {
  for (const char* reason : {"Evicted", "OutOfcpu", "NodeAffinity", "UnexpectedAdmissionError"}) {
    Detector detector({});
    detector.upsert_pod(pod(fmt::format(R"({{"phase":"Failed","reason":"{}"}})", reason)), kStart);
    EXPECT_EQ(symptom(detector, kStart), std::nullopt);
    EXPECT_EQ(symptom(detector, kStart + seconds{5}), Symptom::Failed) << reason;
  }
  for (const char* over :
       {R"({"phase":"Failed"})", R"({"phase":"Failed","reason":"DeadlineExceeded"})",
        R"({"phase":"Succeeded","conditions":[{"type":"Ready","status":"False","reason":"PodCompleted"}]})"}) {
    Detector detector({});
    detector.upsert_node(node("n", false), kStart);
    detector.upsert_pod(pod(over), kStart);
    EXPECT_EQ(symptom(detector, kStart + minutes{60}), std::nullopt) << over;
  }
}

TEST(LostNodes, PodsOfALostNodeFailAlthoughTheirContainersAreReportedAsRunning) {
  Detector detector({});
  const std::string lost =
      R"({"phase":"Running","conditions":[{"type":"Ready","status":"False"}],"containerStatuses":[{"name":"main","state":{"running":{}}}]})";
  detector.upsert_node(node("n", true), kStart);
  detector.upsert_pod(pod(lost), kStart);
  EXPECT_EQ(symptom(detector, kStart + minutes{60}), std::nullopt) << "a failed probe does not mean a lost node";
  detector.upsert_node(node("n", false), kStart + minutes{60});
  EXPECT_EQ(symptom(detector, kStart + minutes{60}), std::nullopt);
  EXPECT_EQ(symptom(detector, kStart + minutes{61}), Symptom::NodeLost);
  detector.upsert_node(node("n", true), kStart + minutes{62});
  EXPECT_EQ(symptom(detector, kStart + minutes{62}), std::nullopt);
}

TEST(LostNodes, PodsDoNotFailIfMostNodesOfTheZoneAreNotReady) {
  Detector detector({});
  detector.upsert_pod(pod(R"({"phase":"Running","conditions":[{"type":"Ready","status":"False"}]})"), kStart);
  for (const char* name : {"n", "b", "c"}) detector.upsert_node(node(name, false), kStart);
  detector.upsert_node(node("d", true), kStart);
  EXPECT_EQ(symptom(detector, kStart + minutes{5}), std::nullopt);
  for (const char* name : {"e", "f"}) detector.upsert_node(node(name, true), kStart);
  EXPECT_EQ(symptom(detector, kStart + minutes{5}), Symptom::NodeLost);
}

TEST(Detector, TerminatingPodsAndPodsWithoutANodeNeverFail) {
  Detector detector({});
  auto leaving = pod(waiting("CrashLoopBackOff", 9));
  leaving.mutable_metadata()->mutable_deletion_timestamp()->set_seconds(1);
  detector.upsert_pod(leaving, kStart);
  EXPECT_EQ(symptom(detector, kStart), std::nullopt);
  auto pending = pod(R"({"phase":"Pending"})");
  pending.mutable_spec()->clear_node_name();
  detector.upsert_pod(pending, kStart);
  EXPECT_EQ(symptom(detector, kStart + minutes{60}), std::nullopt);
}

TEST(Detector, RulesCanBeSwitchedOff) {
  config::RecoveryRules rules;
  rules.crash_loop.enabled = false;
  rules.image_pull.enabled = false;
  Detector detector(rules);
  detector.upsert_pod(pod(waiting("CrashLoopBackOff", 9)), kStart);
  EXPECT_EQ(symptom(detector, kStart + minutes{1}), std::nullopt);
  detector.upsert_pod(pod(waiting("ErrImagePull", 0)), kStart);
  EXPECT_EQ(symptom(detector, kStart + minutes{60}), std::nullopt);
}

// The detector knew the pod before its first restart, so all restarts are recent, however old the pod is.
TEST(CrashLoops, AllRestartsOfAPodThatWasObservedWithoutRestartsAreRecent) {
  const std::string well = R"({"phase":"Running","startTime":"2023-11-14T22:13:20Z",
      "conditions":[{"type":"Ready","status":"True"}],
      "containerStatuses":[{"name":"main","restartCount":0,"state":{"running":{}}}]})";
  const WallTime later = kStart + std::chrono::hours{5};
  Detector detector({});
  detector.upsert_pod(pod(well), kStart);
  detector.upsert_pod(pod(well), later);
  EXPECT_EQ(detector.well_since("u"), kStart);
  EXPECT_EQ(detector.pod_count(), 1U);
  detector.upsert_pod(pod(waiting("CrashLoopBackOff", 3)), later + minutes{1});
  EXPECT_EQ(symptom(detector, later + minutes{1}), Symptom::CrashLoop);
  EXPECT_EQ(detector.well_since("u"), std::nullopt);
  EXPECT_EQ(detector.pod_count(), 1U);
  detector.upsert_pod(pod(well), later + minutes{2});
  detector.remove_pod("u");
  EXPECT_EQ(detector.pod_count(), 0U);
}

TEST(Detector, APodIsWellSinceItLastBecameReady) {
  Detector detector({});
  detector.upsert_pod(pod(kRunning), kStart);
  detector.upsert_pod(pod(kRunning), kStart + minutes{1});
  EXPECT_EQ(detector.well_since("u"), kStart);
  detector.upsert_pod(pod(waiting("CrashLoopBackOff", 1)), kStart + minutes{2});
  EXPECT_EQ(detector.well_since("u"), std::nullopt);
  detector.upsert_pod(pod(kRunning), kStart + minutes{3});
  EXPECT_EQ(detector.well_since("u"), kStart + minutes{3});
}

TEST(Detector, APodIsWellForATimeWithoutSymptomsAndRecentRestarts) {
  Detector detector({});
  detector.upsert_pod(pod(kRunning), kStart + std::chrono::hours{1});
  const WallTime begin = kStart + std::chrono::hours{1};
  EXPECT_FALSE(detector.well_for("u", minutes{1}, begin + minutes{1})) << "the restart can be recent";
  EXPECT_TRUE(detector.well_for("u", minutes{1}, begin + minutes{10}));
  EXPECT_FALSE(detector.well_for("u", minutes{11}, begin + minutes{10}));
  const std::string never_restarted = R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}]})";
  detector.upsert_pod(pod(never_restarted, "v"), begin);
  EXPECT_FALSE(detector.well_for("v", minutes{1}, begin + seconds{59}));
  EXPECT_TRUE(detector.well_for("v", minutes{1}, begin + minutes{1}));
  detector.upsert_pod(pod(waiting("CrashLoopBackOff", 1), "v"), begin + minutes{2});
  EXPECT_FALSE(detector.well_for("v", minutes{1}, begin + minutes{5}));
  EXPECT_FALSE(detector.well_for("unknown", seconds{0}, begin));
}

TEST(Detector, OnlyTheKubeletBlamesANodeWithoutAComparison) {
  EXPECT_EQ(blame_of(Symptom::Failed), NodeBlame::Node);
  for (const Symptom unclear : {Symptom::CrashLoop, Symptom::InitFailure, Symptom::ImagePull, Symptom::ContainerError,
                                Symptom::StuckCreating}) {
    EXPECT_EQ(blame_of(unclear), NodeBlame::IfOnlyHere) << to_string(unclear);
  }
  for (const Symptom known : {Symptom::NodeLost, Symptom::Unknown}) EXPECT_EQ(blame_of(known), NodeBlame::None);
}

// For any sequence of states without elapsed time and with at most one restart, nothing is a failure.
RC_GTEST_PROP(DetectorProperty, OneObservationIsNotAFailure, ()) {
  Detector detector({});
  const auto status =
      *rc::gen::element(waiting("CrashLoopBackOff", 1), waiting("ErrImagePull", 0), waiting("ContainerCreating", 0),
                        waiting("CreateContainerError", 0), std::string(R"({"phase":"Failed","reason":"Evicted"})"),
                        std::string(R"({"phase":"Unknown"})"), kRunning);
  const WallTime at = kStart + seconds{*rc::gen::inRange(0, 100'000)};
  detector.upsert_node(node("n", *rc::gen::arbitrary<bool>()), at);
  detector.upsert_pod(pod(status), at);
  RC_ASSERT(detector.failing(at).empty());
}

}  // namespace
}  // namespace rescheduler::rescheduling::recovery
