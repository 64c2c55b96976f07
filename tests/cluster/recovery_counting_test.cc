// Exactly N retries, each counted once, although processes die and other clients write.
#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/apps.pb.h"
#include "support/recovery.h"

namespace rescheduler::test {
namespace {

using ::testing::HasSubstr;

class RecoveryCounting : public RecoveryTest {
 protected:
  std::vector<std::string> begin(int nodes) {
    auto names = add_nodes(nodes);
    TestSchedulerSettings scheduler;
    scheduler.keeps_off_visited_nodes = true;
    start_scheduler(scheduler);
    return names;
  }
  static bool is_eviction(const kube::ApiCall& call) { return call.subresource == "eviction" && !call.dry_run; }
  std::string retry_ledger() { return annotation<api::Deployment>("web", "kse.com/deploy"); }
  bool ledger_contains(const std::string& part) {
    return eventually([&] { return retry_ledger().find(part) != std::string::npos; });
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(RecoveryCounting);

TEST_P(RecoveryCounting, ARetryIsCountedOnceWhenTheControllerIsKilledBetweenCountAndEviction) {
  const auto nodes = begin(2);
  std::atomic<bool> reached{false};
  auto& first = start_recovery(quick(), [&](const kube::ApiCall& call) -> std::optional<Error> {
    if (!is_eviction(call)) return std::nullopt;
    reached = true;
    return Error{Errc::Unavailable, "killed"};
  });
  create(failing_deployment("web", 1, "1", "*"));
  ASSERT_TRUE(eventually([&] { return reached.load(); }));
  first.stop();
  EXPECT_THAT(retry_ledger(), HasSubstr(R"("currentReschedulingTimes":1)"));
  ASSERT_EQ(live_pods().size(), 1U);
  const std::string uid = live_pods()[0].metadata().uid();
  EXPECT_THAT(retry_ledger(), HasSubstr(uid)) << "the ledger names the pod that failed";
  recoveries_.clear();
  start_recovery();
  ASSERT_TRUE(eventually([&] {
    const auto live = live_pods();
    return live.size() == 1 && live[0].metadata().uid() != uid;
  })) << "the next controller completes the eviction";
  // If the retry had been counted twice, no attempt would be left.
  ASSERT_TRUE(event_contains("web", "ApplicationFault", "1 of 1 attempts made"));
  EXPECT_THAT(retry_ledger(), HasSubstr(R"("currentReschedulingTimes":1)"));
}

TEST_P(RecoveryCounting, TwoReplicasThatFailAtOnceAreCountedSeparately) {
  begin(4);
  start_recovery();
  create(failing_deployment("web", 2, "1", "*"));
  ASSERT_TRUE(ledger_contains(R"("currentReschedulingTimes":2)"));
  EXPECT_TRUE(eventually(
      [&] { return events("web", "ApplicationFault").size() + events("web", "RetriesExhausted").size() >= 2; }));
  EXPECT_THAT(retry_ledger(), HasSubstr(R"("currentReschedulingTimes":2)")) << "one retry for each replica";
}

TEST_P(RecoveryCounting, CountingContinuesFromTheCountOfKseRescheduler) {
  const auto nodes = begin(4);
  auto deployment = failing_deployment("web", 1, "3", "*");
  (*deployment.mutable_metadata()->mutable_annotations())["kse.com/deploy"] =
      R"({"currentReschedulingTimes":2,"deployScheduledHosts":null})";
  start_recovery();
  create(deployment);
  ASSERT_TRUE(event_contains("web", "Rescheduled", "attempt 3 of 3"));
  EXPECT_TRUE(eventually(
      [&] { return events("web", "ApplicationFault").size() + events("web", "RetriesExhausted").size() >= 1; }));
  EXPECT_THAT(retry_ledger(), HasSubstr(R"("currentReschedulingTimes":3)"));
}

TEST_P(RecoveryCounting, AWriteConflictKeepsTheOtherClientsChangesAndCountsTheRetryOnce) {
  begin(3);
  std::atomic<int> failed_writes{0};
  // The first three writes to the workload fail with a conflict, while another client changes the workload.
  auto& recovery = start_recovery(quick(), [&](const kube::ApiCall& call) -> std::optional<Error> {
    if (call.verb != kube::Verb::Patch || call.resource != &kube::resource_of<api::Deployment>()) return std::nullopt;
    if (failed_writes >= 3) return std::nullopt;
    ++failed_writes;
    return Error{Errc::Conflict, "the object has been modified"};
  });
  create(failing_deployment("web", 1, "1", "*"));
  for (int i = 0; i < 30; ++i) {
    const std::string patch = fmt::format(R"({{"metadata":{{"annotations":{{"theirs-{}":"{}"}}}}}})", i % 3, i);
    ASSERT_TRUE(await(client().patch<api::Deployment>(ns(), "web", patch)));
    if (failed_writes >= 3) break;
    (void)eventually([&] { return failed_writes >= 3; }, std::chrono::seconds{1});
  }
  ASSERT_TRUE(event_contains("web", "ApplicationFault", "1 of 1 attempts made"));
  EXPECT_THAT(retry_ledger(), HasSubstr(R"("currentReschedulingTimes":1)"));
  EXPECT_NE(annotation<api::Deployment>("web", "theirs-0"), "");
  EXPECT_GE(failed_writes, 3);
  (void)recovery;
}

TEST_P(RecoveryCounting, AnUnreadableRetryLedgerIsNotOverwritten) {
  begin(2);
  auto deployment = failing_deployment("web", 1, "3", "*");
  (*deployment.mutable_metadata()->mutable_annotations())["kse.com/deploy"] = "[";
  start_recovery();
  create(deployment);
  ASSERT_TRUE(event_contains("web", "ReschedulingFailed", "kse.com/deploy"));
  EXPECT_EQ(retry_ledger(), "[");
}

}  // namespace
}  // namespace rescheduler::test
