#include "kube/proto/apps.pb.h"
#include "kube/proto/batch.pb.h"
#include "sim/kinds/cron.h"
#include "sim/kinds/rules_fixture.h"

namespace rescheduler::sim {
namespace {

using testing::expect_faults;
using testing::FaultCase;
using testing::RulesFixture;

constexpr std::string_view kTemplate =
    R"("template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"a","image":"i:1"}]}})";
constexpr std::string_view kSelector = R"("selector":{"matchLabels":{"app":"web"}})";
constexpr std::string_view kOnce =
    R"("template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"i:1"}]}})";

std::string workload(std::string_view more = "") {
  return fmt::format(R"({{"spec":{{{},{}{}}}}})", kSelector, kTemplate, more);
}
std::string job(std::string_view more = "") { return fmt::format(R"({{"spec":{{{}{}}}}})", kOnce, more); }
std::string cron(std::string_view schedule, std::string_view more = "") {
  return fmt::format(R"({{"spec":{{"schedule":"{}","jobTemplate":{{"spec":{{{}}}}}{}}}}})", schedule, kOnce, more);
}

template <class T>
const T& as(const RulesFixture::Created& created) {
  EXPECT_TRUE(created.faults.empty()) << fmt::format("{}", fmt::join(created.faults, "\n"));
  return static_cast<const T&>(*created.object);
}

TEST(WorkloadRules, SetTheDefaultsOfDeployments) {
  const RulesFixture rules;
  const auto created = rules.create("deployments.apps", workload());
  const auto& spec = as<api::Deployment>(created).spec();
  EXPECT_EQ(spec.replicas(), 1);
  EXPECT_EQ(spec.strategy().type(), "RollingUpdate");
  EXPECT_EQ(spec.strategy().rolling_update().max_surge().str_val(), "25%");
  EXPECT_EQ(spec.strategy().rolling_update().max_unavailable().str_val(), "25%");
  EXPECT_EQ(spec.revision_history_limit(), 10);
  EXPECT_EQ(spec.progress_deadline_seconds(), 600);
  EXPECT_EQ(spec.template_().spec().restart_policy(), "Always");
  // The requests of a template do not change: only pods get requests from their limits.
  EXPECT_TRUE(spec.template_().spec().containers(0).resources().requests().empty());
  EXPECT_FALSE(spec.template_().spec().has_enable_service_links());
}

TEST(WorkloadRules, KeepZeroReplicas) {
  const RulesFixture rules;
  const auto created = rules.create("replicasets.apps", workload(R"(,"replicas":0)"));
  EXPECT_EQ(as<api::ReplicaSet>(created).spec().replicas(), 0);
}

TEST(WorkloadRules, SetTheDefaultsOfStatefulSetsAndDaemonSets) {
  const RulesFixture rules;
  const auto stateful = rules.create("statefulsets.apps", workload());
  EXPECT_EQ(as<api::StatefulSet>(stateful).spec().pod_management_policy(), "OrderedReady");
  EXPECT_TRUE(as<api::StatefulSet>(stateful).spec().update_strategy().rolling_update().has_partition());
  EXPECT_EQ(as<api::StatefulSet>(stateful).spec().persistent_volume_claim_retention_policy().when_scaled(), "Retain");
  const auto daemon = rules.create("daemonsets.apps", workload());
  EXPECT_EQ(as<api::DaemonSet>(daemon).spec().update_strategy().rolling_update().max_unavailable().int_val(), 1);
}

TEST(WorkloadRules, AllowMountsOfVolumesFromClaimTemplates) {
  const RulesFixture rules;
  const auto created = rules.create(
      "statefulsets.apps",
      R"({"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{)"
      R"("containers":[{"name":"a","image":"i:1","volumeMounts":[{"name":"data","mountPath":"/d"}]}]}},)"
      R"("volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],"resources":)"
      R"({"requests":{"storage":"1024Mi"}}}}]}})");
  EXPECT_EQ(as<api::StatefulSet>(created).spec().volume_claim_templates(0).spec().volume_mode(), "Filesystem");
}

TEST(WorkloadRules, SetTheSelectorAndTheDefaultsOfJobs) {
  const RulesFixture rules;
  const auto created = rules.create("jobs.batch", job());
  const auto& spec = as<api::Job>(created).spec();
  EXPECT_EQ(spec.selector().match_labels().at("batch.kubernetes.io/controller-uid"), "0000-1");
  for (const char* label : {"job-name", "batch.kubernetes.io/job-name"}) {
    EXPECT_EQ(spec.template_().metadata().labels().at(label), "x");
  }
  EXPECT_EQ(spec.completions(), 1);
  EXPECT_EQ(spec.parallelism(), 1);
  EXPECT_EQ(spec.backoff_limit(), 6);
  EXPECT_EQ(spec.completion_mode(), "NonIndexed");
  // If only one of the two is set, the other gets no default.
  const auto parallel = rules.create("jobs.batch", job(R"(,"parallelism":3)"));
  EXPECT_FALSE(as<api::Job>(parallel).spec().has_completions());
}

std::vector<std::pair<std::string, FaultCase>> invalid_workloads() {
  return {
      {"deployments.apps",
       {"no selector",
        fmt::format(R"({{"spec":{{{}}}}})", kTemplate),
        {"spec.selector: Required value",
         "spec.template.metadata.labels: Invalid value: {\"app\":\"web\"}: `selector` does not match template "
         "`labels`"}}},
      {"deployments.apps",
       {"a selector of other pods",
        fmt::format(R"({{"spec":{{"selector":{{"matchLabels":{{"app":"db"}}}},{}}}}})", kTemplate),
        {"spec.template.metadata.labels: Invalid value: {\"app\":\"web\"}: `selector` does not match template "
         "`labels`"}}},
      {"deployments.apps",
       {"an empty selector",
        fmt::format(R"({{"spec":{{"selector":{{}},{}}}}})", kTemplate),
        {"spec.selector: Invalid value: {}: empty selector is invalid for deployment"}}},
      {"deployments.apps",
       {"maxSurge and maxUnavailable of zero",
        workload(R"(,"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":0}})"),
        {"spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0"}}},
      {"deployments.apps",
       {"maxUnavailable above 100%",
        workload(R"(,"strategy":{"rollingUpdate":{"maxUnavailable":"110%"}})"),
        {"spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"110%\": must not be greater than 100%"}}},
      {"deployments.apps",
       {"an invalid percentage",
        workload(R"(,"strategy":{"rollingUpdate":{"maxSurge":"many"}})"),
        {"spec.strategy.rollingUpdate.maxSurge: Invalid value: \"many\": a valid percent string must be a numeric "
         "string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"}}},
      {"deployments.apps",
       {"negative replicas",
        workload(R"(,"replicas":-1)"),
        {"spec.replicas: Invalid value: -1: must be greater than or equal to 0"}}},
      {"deployments.apps",
       {"a progress deadline below minReadySeconds",
        workload(R"(,"minReadySeconds":700)"),
        {"spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds"}}},
      {"replicasets.apps",
       {"restart policy Never in a ReplicaSet",
        R"({"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":)"
        R"({"restartPolicy":"Never","containers":[{"name":"a","image":"i"}]}}}})",
        {"spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\""}}},
      {"replicasets.apps",
       {"an invalid container in the template",
        R"({"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":)"
        R"({"containers":[{"name":"a"}]}}}})",
        {"spec.template.spec.containers[0].image: Required value"}}},
      {"daemonsets.apps",
       {"both surge and unavailable",
        workload(R"(,"updateStrategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":1}})"),
        {"spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is "
         "non-zero"}}},
      {"statefulsets.apps",
       {"an unknown policy",
        workload(R"(,"podManagementPolicy":"Random")"),
        {"spec.podManagementPolicy: Invalid value: \"Random\": must be 'OrderedReady' or 'Parallel'"}}},
      {"jobs.batch",
       {"a Job without a restart policy",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"a","image":"i"}]}}}})",
        {"spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\""}}},
      {"jobs.batch",
       {"an indexed Job without completions",
        job(R"(,"completionMode":"Indexed","parallelism":2)"),
        {"spec.completions: Required value: when completion mode is Indexed"}}},
      {"cronjobs.batch", {"no schedule", cron(""), {"spec.schedule: Required value"}}},
      {"cronjobs.batch",
       {"an unknown policy",
        cron("* * * * *", R"(,"concurrencyPolicy":"Maybe")"),
        {"spec.concurrencyPolicy: Unsupported value: \"Maybe\": supported values: \"Allow\", \"Forbid\", "
         "\"Replace\""}}},
      {"cronjobs.batch",
       {"a time zone in the schedule",
        cron("TZ=UTC * * * * *"),
        {"spec.schedule: Invalid value: \"TZ=UTC * * * * *\": cannot use TZ or CRON_TZ in schedule, use timeZone "
         "field instead"}}},
  };
}

TEST(WorkloadRules, RejectInvalidWorkloadsWithTheMessagesOfARealServer) {
  const RulesFixture rules;
  for (const auto& [plural, wrong] : invalid_workloads()) {
    SCOPED_TRACE(wrong.name);
    expect_faults(rules.create(plural, wrong.json).faults, wrong.faults);
  }
}

TEST(WorkloadRules, RejectChangesOfSelectorsAndOfImmutableStatefulSetFields) {
  const RulesFixture rules;
  const std::string other = R"({"spec":{"selector":{"matchLabels":{"app":"db"}},"template":{"metadata":{"labels":)"
                            R"({"app":"db"}},"spec":{"containers":[{"name":"a","image":"i:1"}]}}}})";
  for (const char* plural : {"deployments.apps", "replicasets.apps", "daemonsets.apps"}) {
    expect_faults(rules.update(plural, workload(), other),
                  {"spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"db\"}}: field is immutable"});
  }
  expect_faults(rules.update("statefulsets.apps", workload(), workload(R"(,"serviceName":"s")")),
                {"spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                 "'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
                 "'minReadySeconds' are forbidden"});
  expect_faults(rules.update("statefulsets.apps", workload(), workload(R"(,"replicas":5)")), {});
}

TEST(WorkloadRules, IncrementTheGenerationForSpecChangesAndAnnotationsOfDeployments) {
  const RulesFixture rules;
  const auto differ = [&rules](std::string_view plural, const auto& change) {
    const auto one = rules.create(plural, workload());
    const auto other = rules.create(plural, workload());
    change(kube::mutable_metadata_of(*other.object));
    return rules.kind(plural).rules.spec_differs(*one.object, *other.object);
  };
  const auto label = [](api::ObjectMeta& metadata) { metadata.mutable_labels()->insert({"a", "b"}); };
  const auto annotate = [](api::ObjectMeta& metadata) { metadata.mutable_annotations()->insert({"a", "b"}); };
  EXPECT_FALSE(differ("deployments.apps", label));
  EXPECT_TRUE(differ("deployments.apps", annotate));
  EXPECT_FALSE(differ("statefulsets.apps", annotate));
  const auto one = rules.create("deployments.apps", workload());
  const auto more = rules.create("deployments.apps", workload(R"(,"replicas":2)"));
  EXPECT_TRUE(rules.kind("deployments.apps").rules.spec_differs(*one.object, *more.object));
}

TEST(WorkloadRules, UpdateStatusAndSpecSeparately) {
  const RulesFixture rules;
  const Kind& kind = rules.kind("deployments.apps");
  const auto created = rules.create("deployments.apps", workload(R"(},"status":{"replicas":9)"));
  EXPECT_EQ(as<api::Deployment>(created).status().replicas(), 0);
  api::Deployment changed = as<api::Deployment>(created);
  changed.mutable_spec()->set_replicas(7);
  changed.mutable_status()->set_replicas(3);
  api::Deployment by_status = changed;
  kind.rules.on_status_update(*created.object, by_status);
  EXPECT_EQ(by_status.spec().replicas(), 1);
  EXPECT_EQ(by_status.status().replicas(), 3);
  kind.rules.on_update(*created.object, changed);
  EXPECT_EQ(changed.spec().replicas(), 7);
  EXPECT_EQ(changed.status().replicas(), 0);
}

TEST(WorkloadRules, CountTheTemplateGenerationOfADaemonSet) {
  const RulesFixture rules;
  const Kind& kind = rules.kind("daemonsets.apps");
  const auto counted = [](const api::DaemonSet& set) {
    return set.metadata().annotations().at("deprecated.daemonset.template.generation");
  };
  const auto created = rules.create("daemonsets.apps", workload());
  EXPECT_EQ(counted(as<api::DaemonSet>(created)), "1");
  api::DaemonSet changed = as<api::DaemonSet>(created);
  changed.mutable_metadata()->clear_annotations();
  changed.mutable_spec()->set_min_ready_seconds(7);
  kind.rules.on_update(*created.object, changed);
  EXPECT_EQ(counted(changed), "1");
  api::DaemonSet again = changed;
  again.mutable_spec()->mutable_template_()->mutable_spec()->mutable_containers(0)->set_image("i:2");
  api::DaemonSet by_status = again;
  kind.rules.on_update(changed, again);
  EXPECT_EQ(counted(again), "2");
  kind.rules.on_status_update(changed, by_status);
  EXPECT_EQ(counted(by_status), "1");
}

TEST(WorkloadRules, AllowChangesOfJobParallelismButNotOfCompletions) {
  const RulesFixture rules;
  const std::string labelled =
      R"("template":{"metadata":{"labels":{"job-name":"x","batch.kubernetes.io/job-name":"x","controller-uid":"0000-1",)"
      R"("batch.kubernetes.io/controller-uid":"0000-1"}},"spec":{"restartPolicy":"Never","containers":[{"name":"a",)"
      R"("image":"i:1"}]}},"selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":"0000-1"}})";
  const auto sent = [&](std::string_view more) { return fmt::format(R"({{"spec":{{{}{}}}}})", labelled, more); };
  expect_faults(rules.update("jobs.batch", job(), sent(R"(,"parallelism":4,"completions":1)")), {});
  expect_faults(rules.update("jobs.batch", job(), sent(R"(,"parallelism":1,"completions":2)")),
                {"spec.completions: Invalid value: 2: field is immutable"});
}

TEST(CronSyntax, AcceptsAndRejectsSchedulesLikeTheRealParser) {
  for (const char* good : {"* * * * *", "*/5 * * * *", "0 0 1 1 0", "59 23 31 12 6", "0 9-17 * * mon-fri", "@hourly",
                           "@every 1h30m", "5/15 * * * *", "0,30 * ? * SUN", "0 0 1 JAN *"}) {
    EXPECT_EQ(cron_fault(good), "") << good;
  }
  for (const auto& [bad, why] : std::vector<std::pair<std::string, std::string>>{
           {"* * * *", "expected exactly 5 fields, found 4: [* * * *]"},
           {"60 * * * *", "end of range (60) above maximum (59): 60"},
           {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
           {"9-5 * * * *", "beginning of range (9) beyond end of range (5): 9-5"},
           {"*/0 * * * *", "step of range should be a positive number: */0"},
           {"x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
           {"@noon", "unrecognized descriptor: @noon"},
           {"1-2-3 * * * *", "too many hyphens: 1-2-3"},
           {"*/1/2 * * * *", "too many slashes: */1/2"}}) {
    EXPECT_EQ(cron_fault(bad), why) << bad;
  }
}

}  // namespace
}  // namespace rescheduler::sim
