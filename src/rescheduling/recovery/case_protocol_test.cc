#include "rescheduling/recovery/case_protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::rescheduling::recovery {
namespace {

using ::testing::HasSubstr;

constexpr WallTime kNow{std::chrono::hours{24 * 365 * 50}};
const config::RecoverySettings kSettings;

// An API server with one workload and one pod. Tests can make its requests fail.
struct Fixture {
  Annotations annotations{{"scheduling-retries", "2"}};
  int version = 1;
  std::string pod = "uid-0";  // empty: deleted
  int counted = 0;            // successful writes
  int removed = 0;

  Result<void> write(const case_action::Write& what) {
    if (what.resource_version != std::to_string(version)) return fail(Errc::Conflict, "modified");
    for (const auto& [key, value] : what.annotations) {
      if (value) {
        annotations[key] = *value;
      } else {
        annotations.erase(key);
      }
    }
    ++version;
    ++counted;
    return {};
  }
  Result<void> remove(const std::string& uid) {
    if (pod != uid) return fail(Errc::NotFound, "gone");
    pod.clear();
    ++removed;
    return {};
  }
};

// Faults: the process dies after a number of steps, responses get lost, other clients write.
struct Trouble {
  int dies_after = 1000;
  int loses_answer_of = 1000;
  int others_write_before = 1000;
};

std::optional<CaseEnd> run(Fixture& world, const Trouble& trouble, const std::string& uid = "uid-0") {
  CaseSetting setting;
  setting.settings = &kSettings;
  setting.finding = {"ns", "p", uid, "node-a", Symptom::CrashLoop, "", kNow};
  setting.kind = OwnerKind::Deployment;
  CaseProtocol protocol(setting);
  CaseAction action = protocol.begin();
  for (int step = 0; step < 50; ++step) {
    if (const auto* done = std::get_if<case_action::Done>(&action)) return done->end;
    if (step == trouble.dies_after) return std::nullopt;
    if (step == trouble.others_write_before) ++world.version;
    CaseInput happened = case_input::Allowed{};
    Result<void> done;
    if (std::holds_alternative<case_action::ReadOwner>(action)) {
      case_input::OwnerRead read;
      read.owner = {OwnerKind::Deployment, "ns", "web", "u", 1, world.annotations};
      read.resource_version = std::to_string(world.version);
      if (!world.pod.empty()) read.live.push_back({world.pod, ""});
      happened = read;
    } else if (const auto* write = std::get_if<case_action::Write>(&action)) {
      done = world.write(*write);
      happened = case_input::Written{};
    } else if (std::holds_alternative<case_action::Remove>(action)) {
      done = world.remove(uid);
      happened = case_input::Removed{};
    }
    if (step == trouble.loses_answer_of) done = fail(Errc::Timeout, "no answer");
    if (!done) happened = case_input::Refused{done.error()};
    action = protocol.next(happened, kNow);
  }
  ADD_FAILURE() << "it never ends";
  return std::nullopt;
}

TEST(CaseProtocol, CountsThenRemoves) {
  Fixture world;
  EXPECT_EQ(run(world, {}), CaseEnd::Removed);
  EXPECT_EQ(world.counted, 1);
  EXPECT_EQ(world.removed, 1);
  EXPECT_THAT(world.annotations.at("kse.com/deploy"), HasSubstr("uid-0"));
}

TEST(CaseProtocol, ReadsAgainWhereOthersWrote) {
  Fixture world;
  EXPECT_EQ(run(world, {.others_write_before = 2}), CaseEnd::Removed);
  EXPECT_EQ(world.counted, 1);
}

TEST(CaseProtocol, LeavesAWorkloadThatNeverRestsForLater) {
  CaseSetting setting;
  setting.settings = &kSettings;
  setting.finding.uid = "u";
  CaseProtocol protocol(setting);
  CaseAction action = protocol.begin();
  int writes = 0;
  case_input::OwnerRead read;
  read.owner.annotations = {{"scheduling-retries", "2"}};
  while (!std::holds_alternative<case_action::Done>(action) && writes < 100) {
    CaseInput happened = case_input::Allowed{};
    if (std::holds_alternative<case_action::ReadOwner>(action)) happened = read;
    if (std::holds_alternative<case_action::Write>(action)) {
      ++writes;
      happened = case_input::Refused{Error{Errc::Conflict, "modified"}};
    }
    action = protocol.next(happened, kNow);
  }
  EXPECT_EQ(std::get<case_action::Done>(action).end, CaseEnd::Failed);
  EXPECT_EQ(writes, 6);
}

TEST(CaseProtocol, UnderstandsWhatAnEvictionIsAnswered) {
  const std::tuple<Errc, const char*, CaseEnd> cases[] = {
      {Errc::Throttled, "would violate the pod's disruption budget", CaseEnd::BudgetBlocked},
      {Errc::NotFound, "not found", CaseEnd::Gone},
      {Errc::Conflict, "the UID in the precondition does not match", CaseEnd::Gone},
      {Errc::Internal, "This pod has more than one PodDisruptionBudget", CaseEnd::Forbidden},
      {Errc::Unavailable, "etcd is away", CaseEnd::Failed},
      {Errc::Denied, "no permission", CaseEnd::Forbidden}};
  for (const auto& [code, message, end] : cases) {
    CaseSetting setting;
    setting.settings = &kSettings;
    CaseProtocol protocol(setting);
    (void)protocol.begin();
    case_input::OwnerRead read;
    read.owner.annotations = {{"scheduling-retries", "2"}};
    ASSERT_TRUE(std::holds_alternative<case_action::Preflight>(protocol.next(read, kNow)));
    const auto action = protocol.next(case_input::Refused{Error{code, message}}, kNow);
    EXPECT_EQ(std::get<case_action::Done>(action).end, end) << message;
  }
}

TEST(CaseProtocol, LeavesAloneWhoDoesNotAsk) {
  for (const char* retries : {"0", "-1", "abc"}) {
    Fixture world;
    world.annotations = {{"scheduling-retries", retries}};
    EXPECT_EQ(run(world, {}), CaseEnd::Ignored) << retries;
    EXPECT_EQ(world.counted, 0);
  }
  Fixture world;
  world.annotations = {{"scheduling-retries", "2"}, {"kse.com/deploy", "["}};
  EXPECT_EQ(run(world, {}), CaseEnd::Unread);
}

// Whichever step is interrupted, and however often the protocol starts again: every pod is counted exactly once, and at
// most N pods are removed.
RC_GTEST_PROP(CaseProtocolProperty, CountsExactlyOnce, ()) {
  Fixture world;
  for (int pod = 0; pod < 5; ++pod) {
    const std::string uid = "uid-" + std::to_string(pod);
    world.pod = uid;
    const int removed = world.removed;
    for (int tries = 0; tries < 4 && world.pod == uid; ++tries) {
      Trouble trouble;
      trouble.dies_after = *rc::gen::inRange(0, 6);
      trouble.loses_answer_of = *rc::gen::inRange(0, 6);
      trouble.others_write_before = *rc::gen::inRange(0, 6);
      (void)run(world, trouble, uid);
    }
    (void)run(world, {}, uid);
    RC_ASSERT(world.counted >= world.removed);
    RC_ASSERT(world.removed - removed <= 1);
  }
  RC_ASSERT(world.removed == 2);
  RC_ASSERT(world.counted == 2);
}

}  // namespace
}  // namespace rescheduler::rescheduling::recovery
