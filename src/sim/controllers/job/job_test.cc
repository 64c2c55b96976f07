#include <gtest/gtest.h>

#include "kube/value/time.h"
#include "sim/controllers/garbage/garbage_collector.h"
#include "sim/controllers/job/cron_job_controller.h"
#include "sim/controllers/job/index_set.h"
#include "sim/controllers/job/job_controller.h"
#include "sim/controllers/job/job_status.h"
#include "sim/controllers/nodes/lifecycle_rig.h"
#include "sim/kinds/cron.h"

namespace rescheduler::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::LifecycleRig;

struct CronRow {
  const char* schedule;
  const char* after;
  const char* next;  // null: never
};

TEST(Cron, NextTimesMatchTheTable) {
  const CronRow rows[] = {
      {"* * * * *", "2024-01-01T00:00:00Z", "2024-01-01T00:01:00Z"},
      {"* * * * *", "2024-01-01T00:00:59Z", "2024-01-01T00:01:00Z"},
      {"*/15 * * * *", "2024-01-01T00:14:59Z", "2024-01-01T00:15:00Z"},
      {"*/15 * * * *", "2024-01-01T00:45:00Z", "2024-01-01T01:00:00Z"},
      {"5/20 * * * *", "2024-01-01T00:06:00Z", "2024-01-01T00:25:00Z"},
      {"30 8-10 * * *", "2024-01-01T10:30:00Z", "2024-01-02T08:30:00Z"},
      {"0,30 9,17 * * *", "2024-01-01T09:30:00Z", "2024-01-01T17:00:00Z"},
      {"0 0 * * MON-FRI", "2024-01-05T00:00:00Z", "2024-01-08T00:00:00Z"},
      {"0 0 ? * 0", "2024-01-01T00:00:00Z", "2024-01-07T00:00:00Z"},
      {"0 0 29 2 *", "2024-03-01T00:00:00Z", "2028-02-29T00:00:00Z"},
      {"0 0 30 feb *", "2024-01-01T00:00:00Z", nullptr},
      {"0 0 13 * FRI", "2024-01-01T00:00:00Z", "2024-01-05T00:00:00Z"},  // day of the month or of the week
      {"0 0 13 * *", "2024-01-13T00:00:00Z", "2024-02-13T00:00:00Z"},
      {"0 0 31 * *", "2024-01-31T00:00:00Z", "2024-03-31T00:00:00Z"},
      {"@hourly", "2024-01-01T00:00:00Z", "2024-01-01T01:00:00Z"},
      {"@daily", "2024-12-31T12:00:00Z", "2025-01-01T00:00:00Z"},
      {"@weekly", "2024-01-01T00:00:00Z", "2024-01-07T00:00:00Z"},
      {"@monthly", "2024-01-15T00:00:00Z", "2024-02-01T00:00:00Z"},
      {"@yearly", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"},
      {"@every 90s", "2024-01-01T00:00:10Z", "2024-01-01T00:01:40Z"},
  };
  for (const CronRow& row : rows) {
    const auto schedule = CronSchedule::parse(row.schedule);
    ASSERT_TRUE(schedule) << row.schedule << ": " << schedule.error().message;
    const auto next = schedule->next(*kube::parse_time(row.after));
    EXPECT_EQ(next ? kube::format_time(*next) : "never", row.next ? row.next : "never") << row.schedule;
  }
}

TEST(Cron, RejectsInvalidSchedules) {
  for (const char* text : {"", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *",
                           "* * * * 7", "5-3 * * * *", "*/0 * * * *", "1-2-3 * * * *", "a * * * *", "@never", "@every",
                           "@every soon", "1/2/3 * * * *", "-1 * * * *"}) {
    EXPECT_FALSE(CronSchedule::parse(text)) << text;
  }
}

TEST(Cron, MissedStartsAreCountedAndStartsOlderThanTheDeadlineAreIgnored) {
  const auto schedule = *CronSchedule::parse("*/10 * * * *");
  const WallTime since = *kube::parse_time("2024-01-01T00:00:00Z");
  const WallTime now = *kube::parse_time("2024-01-01T00:35:00Z");
  const DueTime all = due_time(schedule, since, std::nullopt, now);
  EXPECT_EQ(all.missed, 3);
  EXPECT_EQ(kube::format_time(*all.latest), "2024-01-01T00:30:00Z");
  EXPECT_EQ(due_time(schedule, since, seconds{400}, now).missed, 1);
  EXPECT_FALSE(due_time(schedule, since, seconds{200}, now).latest);
}

TEST(IndexSet, IndexesAreFormattedAsRangesAndParsedBack) {
  for (const char* text : {"", "0", "0,1", "0-2", "0-2,5", "1,3-5,7,8", "10-20"}) {
    EXPECT_EQ(format_indexes(parse_indexes(text)), text);
  }
  EXPECT_TRUE(parse_indexes("x,3-,-").empty());
}

class JobTest : public ::testing::Test {
 protected:
  LifecycleRig rig;

  JobTest() {
    rig.run<JobController>();
    rig.run<CronJobController>();
    rig.run<GarbageCollector>();
    rig.add_node("n1");
    rig.run_kubelets(true);
  }
  static api::JobSpec spec(int completions, int parallelism) {
    api::JobSpec made;
    made.set_completions(completions);
    made.set_parallelism(parallelism);
    made.set_backoff_limit(6);
    made.mutable_template_()->mutable_spec()->set_restart_policy("Never");
    testing::fill_pod_spec(*made.mutable_template_()->mutable_spec());
    return made;
  }
  void add(const std::string& name, api::JobSpec how) {
    api::Job job;
    job.mutable_metadata()->set_name(name);
    job.mutable_metadata()->set_namespace_("shop");
    *job.mutable_spec() = std::move(how);
    (void)rig.server.create(job).value();
  }
  std::shared_ptr<const api::Job> job(const std::string& name = "work") {
    return rig.server.find<api::Job>("shop", name);
  }
  // Every started pod ends with this phase after ten seconds.
  void pods_end(const std::string& phase) {
    rig.on_start = [this, phase](const std::string& pod) {
      rig.agenda.after(seconds{10}, [this, pod, phase] {
        if (rig.pod(pod)) rig.report(pod, phase, false);
      });
    };
  }
  std::size_t pods_at_work() {
    std::size_t sum = 0;
    for (const PodView* pod : rig.pods.select("shop", kube::LabelSelector::everything())) sum += pod->active() ? 1 : 0;
    return sum;
  }
  bool is(const std::string& type, const std::string& name = "work") {
    return job(name) && has_condition(job(name)->status(), type);
  }
};

TEST_F(JobTest, RunsAtMostParallelismPodsUntilCompletionsAreReached) {
  pods_end("Succeeded");
  add("work", spec(5, 2));
  std::size_t most = 0;
  ASSERT_TRUE(rig.eventually([&] {
    most = std::max(most, pods_at_work());
    return is("Complete");
  }));
  EXPECT_EQ(most, 2U);
  EXPECT_EQ(job()->status().succeeded(), 5);
  EXPECT_EQ(job()->status().active(), 0);
  EXPECT_TRUE(job()->status().has_completion_time());
  ASSERT_EQ(job()->status().conditions_size(), 2);
  EXPECT_EQ(job()->status().conditions(0).type(), "SuccessCriteriaMet");
  EXPECT_EQ(job()->status().conditions(1).reason(), "CompletionsReached");
  rig.pass(minutes{1});
  for (const PodView* pod : rig.pods.select("shop", kube::LabelSelector::everything())) {
    EXPECT_FALSE(pod->has_finalizers()) << "the Job counted the pod and removed its finalizer";
  }
}

TEST_F(JobTest, FailedPodsAreRetriedWithBackoffUpToTheBackoffLimit) {
  pods_end("Failed");
  api::JobSpec how = spec(1, 1);
  how.set_backoff_limit(2);
  const SteadyTime start = rig.agenda.steady_now();
  add("work", how);
  ASSERT_TRUE(rig.eventually([&] { return is("Failed"); }));
  EXPECT_EQ(job()->status().failed(), 3);
  EXPECT_EQ(find_condition(job()->status(), "Failed")->reason(), "BackoffLimitExceeded");
  // Three runs of 11 s, and backoffs of 10 s and 20 s.
  EXPECT_GE(rig.agenda.steady_now() - start, seconds{63});
  EXPECT_LE(rig.agenda.steady_now() - start, seconds{70});
}

TEST_F(JobTest, AnExceededActiveDeadlineFailsTheJobAndDeletesItsPods) {
  api::JobSpec how = spec(1, 1);
  how.set_active_deadline_seconds(30);
  add("work", how);
  ASSERT_TRUE(rig.eventually([&] { return is("FailureTarget"); }, seconds{35}));
  ASSERT_TRUE(rig.eventually([&] { return is("Failed"); }, seconds{40}));
  EXPECT_EQ(find_condition(job()->status(), "Failed")->reason(), "DeadlineExceeded");
  EXPECT_EQ(pods_at_work(), 0U);
}

TEST_F(JobTest, ADeletedPodIsReplacedAndCountedAsFailed) {
  add("work", spec(1, 1));
  rig.pass(seconds{5});
  ASSERT_EQ(pods_at_work(), 1U);
  const std::string first(rig.pods.select("shop", kube::LabelSelector::everything()).front()->name());
  (void)rig.server.remove(rig.server.kinds().of<api::Pod>(), "shop", first, {}).value();
  rig.pass(seconds{30});
  EXPECT_FALSE(rig.pod(first));
  EXPECT_EQ(job()->status().failed(), 1);
  EXPECT_EQ(pods_at_work(), 1U);
}

TEST_F(JobTest, SuspendingDeletesThePodsAndResumingRecreatesThePods) {
  add("work", spec(3, 3));
  rig.pass(seconds{5});
  ASSERT_EQ(pods_at_work(), 3U);
  const auto suspend = [this](bool on) {
    const auto done = rig.server.modify<api::Job>("shop", "work",
                                                  [on](api::Job& changed) { changed.mutable_spec()->set_suspend(on); });
    ASSERT_TRUE(done);
  };
  suspend(true);
  rig.pass(seconds{5});
  EXPECT_EQ(pods_at_work(), 0U);
  EXPECT_TRUE(is("Suspended"));
  EXPECT_FALSE(job()->status().has_start_time());
  suspend(false);
  rig.pass(minutes{20});
  EXPECT_EQ(pods_at_work(), 3U);
  EXPECT_FALSE(is("Suspended"));
}

TEST_F(JobTest, AnIndexedJobRunsEachIndexOnce) {
  pods_end("Succeeded");
  api::JobSpec how = spec(4, 2);
  how.set_completion_mode("Indexed");
  add("work", how);
  ASSERT_TRUE(rig.eventually([&] { return is("Complete"); }));
  EXPECT_EQ(job()->status().completed_indexes(), "0-3");
  std::multiset<std::string> indexes;
  for (const PodView* pod : rig.pods.select("shop", kube::LabelSelector::everything())) {
    indexes.emplace(pod->label("batch.kubernetes.io/job-completion-index"));
  }
  EXPECT_EQ(indexes, (std::multiset<std::string>{"0", "1", "2", "3"}));
}

TEST_F(JobTest, AFinishedJobAndItsPodsAreDeletedAfterTheTtl) {
  pods_end("Succeeded");
  api::JobSpec how = spec(1, 1);
  how.set_ttl_seconds_after_finished(60);
  add("work", how);
  ASSERT_TRUE(rig.eventually([&] { return is("Complete"); }));
  rig.pass(seconds{55});
  EXPECT_TRUE(job());
  rig.pass(seconds{15});
  EXPECT_FALSE(job());
  EXPECT_EQ(rig.pods.size(), 0U);
}

TEST_F(JobTest, DeletingAJobDeletesItsRunningPods) {
  add("work", spec(2, 2));
  rig.pass(seconds{5});
  api::DeleteOptions background;
  background.set_propagation_policy("Background");
  (void)rig.server.remove(rig.server.kinds().of<api::Job>(), "shop", "work", background).value();
  rig.pass(seconds{10});
  EXPECT_EQ(rig.pods.size(), 0U) << "the tracking finalizer must not keep the pods";
}

class CronJobTest : public JobTest {
 protected:
  void add_cron(const std::string& schedule, const std::function<void(api::CronJobSpec&)>& more = {}) {
    api::CronJob cron;
    cron.mutable_metadata()->set_name("nightly");
    cron.mutable_metadata()->set_namespace_("shop");
    cron.mutable_spec()->set_schedule(schedule);
    cron.mutable_spec()->set_concurrency_policy("Allow");
    *cron.mutable_spec()->mutable_job_template()->mutable_spec() = spec(1, 1);
    if (more) more(*cron.mutable_spec());
    (void)rig.server.create(cron).value();
  }
  std::shared_ptr<const api::CronJob> cron() { return rig.server.find<api::CronJob>("shop", "nightly"); }
  std::size_t jobs() {
    return rig.server.list(rig.server.kinds().of<api::Job>(), ListQuery{.ns = "shop"}).value().items.size();
  }
};

TEST_F(CronJobTest, StartsOneJobPerScheduledTimeAndKeepsTheLastThree) {
  pods_end("Succeeded");
  add_cron("*/5 * * * *");
  rig.pass(minutes{6});
  EXPECT_EQ(jobs(), 1U);
  EXPECT_EQ(kube::format_time(kube::wall_time(cron()->status().last_schedule_time())), "2024-01-01T00:05:00Z");
  EXPECT_TRUE(cron()->status().has_last_successful_time());
  EXPECT_TRUE(rig.there<api::Job>("nightly-28401125"));
  rig.pass(minutes{30});
  EXPECT_EQ(jobs(), 3U);
}

TEST_F(CronJobTest, ForbidStartsNoJobWhileAnotherJobRuns) {
  add_cron("* * * * *", [](api::CronJobSpec& how) { how.set_concurrency_policy("Forbid"); });
  rig.pass(minutes{5});
  EXPECT_EQ(jobs(), 1U);
  EXPECT_EQ(cron()->status().active_size(), 1);
}

TEST_F(CronJobTest, ReplaceDeletesTheRunningJob) {
  add_cron("* * * * *", [](api::CronJobSpec& how) { how.set_concurrency_policy("Replace"); });
  rig.pass(minutes{5} + seconds{30});
  EXPECT_EQ(jobs(), 1U);
  EXPECT_EQ(cron()->status().active_size(), 1);
  EXPECT_EQ(pods_at_work(), 1U);
}

TEST_F(CronJobTest, AllowRunsJobsInParallelAndASuspendedCronJobStartsNone) {
  add_cron("* * * * *");
  rig.pass(minutes{3} + seconds{30});
  EXPECT_EQ(jobs(), 3U);
  const auto suspended = rig.server.modify<api::CronJob>(
      "shop", "nightly", [](api::CronJob& cron) { cron.mutable_spec()->set_suspend(true); });
  ASSERT_TRUE(suspended);
  rig.pass(minutes{5});
  EXPECT_EQ(jobs(), 3U);
}

TEST_F(CronJobTest, ACronJobWithATimeZoneOtherThanUtcStartsNoJobs) {
  add_cron("* * * * *", [](api::CronJobSpec& how) { how.set_time_zone("Europe/Berlin"); });
  rig.pass(minutes{3});
  EXPECT_EQ(jobs(), 0U);
}

}  // namespace
}  // namespace rescheduler::sim
