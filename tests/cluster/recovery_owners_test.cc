// Each kind of owner creates the replacement pod in its own way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/apps.pb.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/core.pb.h"
#include "support/recovery.h"

namespace rescheduler::test {
namespace {

using ::testing::HasSubstr;

class RecoveryByOwnerKind : public RecoveryTest {
 protected:
  // Two nodes. The second is cordoned until the pod has failed on the first.
  std::vector<std::string> begin() {
    auto nodes = add_nodes(2);
    TestSchedulerSettings scheduler;
    scheduler.keeps_off_visited_nodes = true;
    start_scheduler(scheduler);
    patch_node(nodes[1], R"({"spec":{"unschedulable":true}})");
    start_recovery();
    return nodes;
  }
  void open(const std::string& node) { patch_node(node, R"({"spec":{"unschedulable":false}})"); }
  void begin_run(const api::CronJob& cron) {
    api::Job job;
    job.mutable_metadata()->set_namespace_(ns());
    job.mutable_metadata()->set_name(cron.metadata().name() + "-by-hand");
    auto& owner = *job.mutable_metadata()->add_owner_references();
    owner.set_api_version("batch/v1");
    owner.set_kind("CronJob");
    owner.set_name(cron.metadata().name());
    owner.set_uid(cron.metadata().uid());
    owner.set_controller(true);
    *job.mutable_spec() = cron.spec().job_template().spec();
    create(job);
  }
  static void contain(api::PodSpec& spec) {
    auto& container = *spec.add_containers();
    container.set_name("main");
    container.set_image("registry.example/app:1");
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(RecoveryByOwnerKind);

TEST_P(RecoveryByOwnerKind, AStatefulSetPodIsCountedUnderItsOwnName) {
  const auto nodes = begin();
  api::StatefulSet set;
  set.mutable_metadata()->set_namespace_(ns());
  set.mutable_metadata()->set_name("db");
  (*set.mutable_metadata()->mutable_annotations())["scheduling-retries"] = "2";
  auto& spec = *set.mutable_spec();
  spec.set_replicas(1);
  spec.set_service_name("db");
  (*spec.mutable_selector()->mutable_match_labels())["app"] = "db";
  (*spec.mutable_template_()->mutable_metadata()->mutable_labels())["app"] = "db";
  shape(*spec.mutable_template_(), nodes[0]);
  contain(*spec.mutable_template_()->mutable_spec());
  create(set);
  ASSERT_EQ(lands_on("db-0"), nodes[0]);
  open(nodes[1]);
  ASSERT_TRUE(eventually([&] { return node_of_pod("db-0") == nodes[1] && is_ready(pod("db-0")); }));
  const std::string ledger = annotation<api::StatefulSet>("db", "kse.com/sts-pods-map");
  EXPECT_THAT(ledger, HasSubstr(R"("db-0":{"currentReschedulingTimes":1)"));
  EXPECT_THAT(ledger, HasSubstr(R"("podScheduledHosts":[")" + nodes[0]));
}

TEST_P(RecoveryByOwnerKind, ADaemonSetPodIsRecreatedUntilItsRetriesAreExhausted) {
  const auto nodes = begin();
  api::DaemonSet set;
  set.mutable_metadata()->set_namespace_(ns());
  set.mutable_metadata()->set_name("agent");
  (*set.mutable_metadata()->mutable_annotations())["scheduling-retries"] = "1";
  auto& spec = *set.mutable_spec();
  (*spec.mutable_selector()->mutable_match_labels())["app"] = "agent";
  (*spec.mutable_template_()->mutable_metadata()->mutable_labels())["app"] = "agent";
  shape(*spec.mutable_template_(), nodes[0]);
  contain(*spec.mutable_template_()->mutable_spec());
  create(set);
  ASSERT_TRUE(event_contains("agent", "Rescheduled", "attempt 1 of 1"));
  ASSERT_TRUE(event_contains("agent", "RetriesExhausted", "1 of 1 attempts made"));
  EXPECT_EQ(annotation<api::DaemonSet>("agent", "kse.com/current-retries-times"), "1");
}

TEST_P(RecoveryByOwnerKind, APodOfAJobIsReplacedAndTheJobIsKept) {
  const auto nodes = begin();
  api::Job job;
  job.mutable_metadata()->set_namespace_(ns());
  job.mutable_metadata()->set_name("j");
  (*job.mutable_metadata()->mutable_annotations())["scheduling-retries"] = "2";
  (*job.mutable_metadata()->mutable_labels())["theirs"] = "kept";
  auto& pods = *job.mutable_spec()->mutable_template_();
  run_for(pods, std::chrono::minutes{1}, std::chrono::minutes{10});
  shape(pods, nodes[0]);
  contain(*pods.mutable_spec());
  pods.mutable_spec()->set_restart_policy("OnFailure");
  const api::Job made = create(job);
  ASSERT_TRUE(event_contains("j", "Rescheduled", "attempt 1 of 2"));
  open(nodes[1]);
  ASSERT_TRUE(eventually([&] {
    const auto live = live_pods();
    return live.size() == 1 && live[0].spec().node_name() == nodes[1] && live[0].status().phase() == "Running";
  }));
  auto still = await(client().get<api::Job>(ns(), "j"));
  ASSERT_TRUE(still);
  EXPECT_EQ(still->metadata().uid(), made.metadata().uid());
  EXPECT_EQ(still->metadata().labels().at("theirs"), "kept");
  EXPECT_THAT(annotation<api::Job>("j", "kse.com/job"), HasSubstr(R"("currentReschedulingTimes":)"));
}

TEST_P(RecoveryByOwnerKind, ACronJobHoldsTheRetryLedgerOfItsJobs) {
  const auto nodes = begin();
  api::CronJob cron;
  cron.mutable_metadata()->set_namespace_(ns());
  cron.mutable_metadata()->set_name("c");
  (*cron.mutable_metadata()->mutable_annotations())["scheduling-retries"] = "2";
  cron.mutable_spec()->set_schedule("* * * * *");
  cron.mutable_spec()->set_concurrency_policy("Forbid");
  auto& pods = *cron.mutable_spec()->mutable_job_template()->mutable_spec()->mutable_template_();
  run_for(pods, std::chrono::seconds{30}, std::chrono::seconds{5});
  shape(pods, nodes[0]);
  contain(*pods.mutable_spec());
  pods.mutable_spec()->set_restart_policy("OnFailure");
  // On the real cluster a minute takes a minute, so the test starts a run as `kubectl create job --from=cronjob/c`
  // does.
  if (GetParam() == Tier::Real) cron.mutable_spec()->set_suspend(true);
  const api::CronJob made = create(cron);
  if (GetParam() == Tier::Real) begin_run(made);
  ASSERT_TRUE(event_contains("c", "Rescheduled", "attempt 1 of 2"));
  open(nodes[1]);
  ASSERT_TRUE(eventually([&] {
    return std::ranges::any_of(live_pods(), [&](const api::Pod& pod) {
      return pod.spec().node_name() == nodes[1] && pod.status().phase() == "Running";
    });
  }));
  auto still = await(client().get<api::CronJob>(ns(), "c"));
  ASSERT_TRUE(still);
  EXPECT_EQ(still->metadata().uid(), made.metadata().uid());
  EXPECT_THAT(annotation<api::CronJob>("c", "kse.com/cj"), HasSubstr("cjScheduledHosts"));
  EXPECT_TRUE(event_contains("c", "Recovered", "the retry count starts at zero"))
      << "a successful run counts as a recovery";
}

TEST_P(RecoveryByOwnerKind, ABarePodIsRecreatedUnderItsNameOnAnotherNode) {
  const auto nodes = begin();
  const std::string differs =
      R"({"metadata":{"labels":{"theirs":"kept"},"annotations":{"scheduling-retries":"2","theirs":"too","sim.rescheduler.io/crash-on":")"
      + nodes[0] + R"("}}})";
  const api::Pod made = add_pod("p", differs);
  ASSERT_EQ(lands_on("p"), nodes[0]);
  open(nodes[1]);
  ASSERT_TRUE(eventually([&] { return node_of_pod("p") == nodes[1] && is_ready(pod("p")); }));
  const api::Pod again = pod("p");
  EXPECT_NE(again.metadata().uid(), made.metadata().uid());
  EXPECT_EQ(again.metadata().labels().at("theirs"), "kept");
  EXPECT_EQ(again.metadata().annotations().at("theirs"), "too");
  EXPECT_THAT(again.metadata().annotations().at("kse.com/pod"), HasSubstr(R"("currentReschedulingTimes":1)"));
  EXPECT_THAT(again.metadata().annotations().at("kse.com/scheduled-hosts"), HasSubstr(nodes[0]));
  kube::ListSettings ours;
  ours.label_selector = "rescheduler.io/recovery";
  EXPECT_TRUE(eventually([&] {
    auto left = await(client().list<api::ConfigMap>(ns(), ours));
    return left && left->empty();
  })) << "the saved copy of the pod is deleted";
}

TEST_P(RecoveryByOwnerKind, ABarePodWithoutTheRetriesAnnotationIsNotRecreated) {
  const auto nodes = begin();
  const api::Pod made = add_pod("p", R"({"metadata":{"annotations":{"sim.rescheduler.io/crash-on":"*"}}})");
  add_pod("asks", R"({"metadata":{"annotations":{"scheduling-retries":"1","sim.rescheduler.io/crash-on":"*"}}})");
  ASSERT_TRUE(event_contains("asks", "Rescheduled", "attempt 1 of 1"));
  EXPECT_EQ(pod("p").metadata().uid(), made.metadata().uid());
}

}  // namespace
}  // namespace rescheduler::test
