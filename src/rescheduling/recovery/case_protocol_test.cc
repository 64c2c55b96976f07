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
struct FakeApiServer {
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
struct InjectedFaults {
  int dies_after = 1000;
  int loses_response_of = 1000;
  int others_write_before = 1000;
};

std::optional<CaseEnd> run(FakeApiServer& server, const InjectedFaults& faults, const std::string& uid = "uid-0") {
  CaseSetting setting;
  setting.settings = &kSettings;
  setting.finding = {"ns", "p", uid, "node-a", Symptom::CrashLoop, "", kNow};
  setting.kind = OwnerKind::Deployment;
  CaseProtocol protocol(setting);
  CaseAction action = protocol.begin();
  for (int step = 0; step < 50; ++step) {
    if (const auto* done = std::get_if<case_action::Done>(&action)) return done->end;
    if (step == faults.dies_after) return std::nullopt;
    if (step == faults.others_write_before) ++server.version;
    CaseInput happened = case_input::Allowed{};
    Result<void> done;
    if (std::holds_alternative<case_action::ReadOwner>(action)) {
      case_input::OwnerRead read;
      read.owner = {OwnerKind::Deployment, "ns", "web", "u", 1, server.annotations};
      read.resource_version = std::to_string(server.version);
      if (!server.pod.empty()) read.live.push_back({server.pod, ""});
      happened = read;
    } else if (const auto* write = std::get_if<case_action::Write>(&action)) {
      done = server.write(*write);
      happened = case_input::Written{};
    } else if (std::holds_alternative<case_action::Remove>(action)) {
      done = server.remove(uid);
      happened = case_input::Removed{};
    }
    if (step == faults.loses_response_of) done = fail(Errc::Timeout, "no answer");
    if (!done) happened = case_input::Refused{done.error()};
    action = protocol.next(happened, kNow);
  }
  ADD_FAILURE() << "the case does not end";
  return std::nullopt;
}

TEST(CaseProtocol, CountsThePodThenRemovesIt) {
  FakeApiServer server;
  EXPECT_EQ(run(server, {}), CaseEnd::Removed);
  EXPECT_EQ(server.counted, 1);
  EXPECT_EQ(server.removed, 1);
  EXPECT_THAT(server.annotations.at("kse.com/deploy"), HasSubstr("uid-0"));
}

TEST(CaseProtocol, ReadsTheOwnerAgainAfterAWriteConflict) {
  FakeApiServer server;
  EXPECT_EQ(run(server, {.others_write_before = 2}), CaseEnd::Removed);
  EXPECT_EQ(server.counted, 1);
}

TEST(CaseProtocol, GivesUpAfterSixWriteConflicts) {
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

TEST(CaseProtocol, EachErrorOfAnEvictionHasItsOwnResult) {
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

TEST(CaseProtocol, WorkloadsWithoutRetriesOrWithAnUnreadableLedgerAreLeftAlone) {
  for (const char* retries : {"0", "-1", "abc"}) {
    FakeApiServer server;
    server.annotations = {{"scheduling-retries", retries}};
    EXPECT_EQ(run(server, {}), CaseEnd::Ignored) << retries;
    EXPECT_EQ(server.counted, 0);
  }
  FakeApiServer server;
  server.annotations = {{"scheduling-retries", "2"}, {"kse.com/deploy", "["}};
  EXPECT_EQ(run(server, {}), CaseEnd::Unread);
}

// Whichever step is interrupted, and however often the protocol starts again: every pod is counted exactly once, and at
// most N pods are removed.
RC_GTEST_PROP(CaseProtocolProperty, EachFailedPodIsCountedExactlyOnce, ()) {
  FakeApiServer server;
  for (int pod = 0; pod < 5; ++pod) {
    const std::string uid = "uid-" + std::to_string(pod);
    server.pod = uid;
    const int removed = server.removed;
    for (int tries = 0; tries < 4 && server.pod == uid; ++tries) {
      InjectedFaults faults;
      faults.dies_after = *rc::gen::inRange(0, 6);
      faults.loses_response_of = *rc::gen::inRange(0, 6);
      faults.others_write_before = *rc::gen::inRange(0, 6);
      (void)run(server, faults, uid);
    }
    (void)run(server, {}, uid);
    RC_ASSERT(server.counted >= server.removed);
    RC_ASSERT(server.removed - removed <= 1);
  }
  RC_ASSERT(server.removed == 2);
  RC_ASSERT(server.counted == 2);
}

}  // namespace
}  // namespace rescheduler::rescheduling::recovery
