#include "cli/doctor/checks.h"

#include <gmock/gmock.h>

#include "cli/doctor/report.h"

namespace rescheduler::cli::doctor {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A cluster without problems; each test breaks one thing.
Facts sound() {
  Facts facts;
  facts.now = WallTime{std::chrono::seconds{1'700'000'000}};
  facts.version = {1, 30, "v1.30.2"};
  facts.wanted_resources = {{"", "v1", "pods"}, {"policy", "v1", "poddisruptionbudgets"}};
  facts.resources.add("", "v1", "pods", {"list"});
  facts.resources.add("policy", "v1", "poddisruptionbudgets", {"list"});
  facts.resources.add("rescheduler.io", "v1alpha1", "migrations", {"list"});
  facts.resources.add("rescheduler.io", "v1alpha1", "migrations/status", {"patch"});
  facts.subject = "ServiceAccount kube-system/rescheduler-scheduler";
  facts.wanted_permissions = 7;
  facts.installation = InstallationFacts{2, 2};
  facts.config = ConfigFacts{"ConfigMap kube-system/rescheduler-config", {}, true, {"rescheduler-scheduler"}};
  facts.lease = LeaseFacts{"kube-system", "rescheduler-scheduler", "host-a_1", facts.now - 2s, 15s};
  facts.default_lease = LeaseFacts{"kube-system", "kube-scheduler", "host-b_1", facts.now - 2s, 15s};
  facts.load = LoadFacts{2, 3min, {{"metrics-server", {}, 2, 0, 12s}}};
  WebhookFacts hook{"rescheduler-recovery", "kube-system/rescheduler-webhook", true};
  hook.authorities = {{"rescheduler webhook", facts.now + 24h * 300}};
  hook.endpoints = 2;
  facts.webhook = hook;
  facts.budgets = {{"web", "api", "maxUnavailable 1", 3, 2, 3, 1, {"api-1", "api-2", "api-3"}}};
  return facts;
}

std::vector<Severity> severities(const Findings& findings) {
  std::vector<Severity> all;
  for (const Finding& one : findings) all.push_back(one.severity);
  return all;
}

// The only finding that is not Ok. It must have a fix.
Finding only_finding(const Facts& facts) {
  Findings problems;
  for (Finding& one : check_all(facts)) {
    if (one.severity != Severity::Ok) problems.push_back(std::move(one));
  }
  EXPECT_EQ(problems.size(), 1U) << table_of(problems, {});
  if (problems.size() != 1) return {};
  EXPECT_TRUE(problems[0].severity == Severity::Note || !problems[0].fix.empty());
  return problems[0];
}

TEST(Doctor, ReportsNoProblemOfASoundCluster) {
  const Findings findings = check_all(sound());
  for (const Finding& one : findings) EXPECT_EQ(one.severity, Severity::Ok) << one.message;
  EXPECT_EQ(exit_code(findings), 0);
  EXPECT_EQ(findings.size(), 11U);  // every check reports something
}

TEST(Doctor, AnApiServerThatIsTooOldIsAnErrorAndATooNewOneIsANote) {
  Facts facts = sound();
  facts.version = {1, 19, "v1.19.0"};
  EXPECT_EQ(only_finding(facts).severity, Severity::Error);
  facts.version = {1, 99, "v1.99.0"};
  EXPECT_EQ(only_finding(facts).severity, Severity::Note);
}

TEST(Doctor, NamesAResourceThatIsNotServed) {
  Facts facts = sound();
  facts.wanted_resources.push_back({"autoscaling", "v2", "horizontalpodautoscalers"});
  const Finding finding = only_finding(facts);
  EXPECT_EQ(finding.severity, Severity::Error);
  EXPECT_THAT(finding.message, HasSubstr("horizontalpodautoscalers.autoscaling (v2)"));
}

TEST(Doctor, AnApiGroupThatDoesNotAnswerIsAWarningAndNotAMissingResource) {
  Facts facts = sound();
  facts.wanted_resources.push_back({"metrics.k8s.io", "v1beta1", "nodes"});
  facts.resources.add_uncertain("metrics.k8s.io", "v1beta1", "the server is away");
  EXPECT_EQ(only_finding(facts).severity, Severity::Warning);
}

TEST(Doctor, AMissingMigrationDefinitionIsAnErrorOnceTheReschedulerIsInstalled) {
  Facts facts = sound();
  facts.resources = {};
  facts.wanted_resources.clear();
  Finding finding = only_finding(facts);
  EXPECT_EQ(finding.severity, Severity::Error);
  EXPECT_EQ(finding.fix, "kubectl apply -f manifests/rescheduler/rbac.yaml");
  facts.installation.reset();
  EXPECT_THAT(severities(check_definition(facts)), ElementsAre(Severity::Note));
  facts = sound();
  facts.resources = {};
  facts.wanted_resources.clear();
  facts.resources.add("rescheduler.io", "v1alpha1", "migrations", {"list"});
  EXPECT_THAT(only_finding(facts).message, HasSubstr("has no status subresource"));
}

TEST(Doctor, NamesTheMissingFileOfAHalfDoneInstallation) {
  Facts facts = sound();
  facts.installation->missing_priority_class = "rescheduler-priority";
  facts.installation->refusal = "pods is forbidden";  // the consequence is not a second finding
  EXPECT_THAT(only_finding(facts).message, HasSubstr("PriorityClass rescheduler-priority does not exist"));
  EXPECT_EQ(only_finding(facts).fix, "kubectl apply -f manifests/rescheduler/priority-class.yaml");
  facts = sound();
  facts.installation->refusal = "serviceaccount \"rescheduler-scheduler\" not found";
  EXPECT_THAT(only_finding(facts).message, HasSubstr("serviceaccount \"rescheduler-scheduler\" not found"));
  EXPECT_EQ(only_finding(facts).severity, Severity::Error);
  facts = sound();
  facts.config = ConfigFacts{"ConfigMap kube-system/rescheduler-config"};
  facts.config->there = false;
  const Findings findings = check_configuration(facts);
  ASSERT_EQ(severities(findings), std::vector{Severity::Error});
  EXPECT_EQ(findings[0].fix, "kubectl apply -f manifests/rescheduler/configmap.yaml");
}

TEST(Doctor, NamesEachMissingPermissionOnce) {
  Facts facts = sound();
  const kube::Permission evict{"", "pods", "eviction", "create", "", "to move a pod"};
  kube::Permission again = evict;
  again.why = "to recover a pod";
  facts.missing = {evict, again};
  const Finding finding = only_finding(facts);
  EXPECT_EQ(finding.severity, Severity::Error);
  EXPECT_EQ(finding.message,
            "ServiceAccount kube-system/rescheduler-scheduler has no permission to create pods/eviction, needed to "
            "move a pod");
  EXPECT_EQ(finding.fix, "kubectl apply -f manifests/rescheduler/rbac.yaml");
}

TEST(Doctor, BeforeTheInstallationMissingPartsAreNoErrors) {
  Facts facts = sound();
  facts.installation.reset();
  facts.config.reset();
  facts.lease.reset();
  facts.webhook.reset();
  facts.resources = {};
  facts.wanted_resources.clear();
  const Findings findings = check_all(facts);
  EXPECT_EQ(exit_code(findings), 0);
  EXPECT_THAT(check_installation(facts)[0].fix, "kubectl apply -f manifests/rescheduler/");
}

TEST(Doctor, ReplicasThatAreNotReadyAreReported) {
  Facts facts = sound();
  facts.installation = InstallationFacts{2, 1};
  EXPECT_EQ(only_finding(facts).severity, Severity::Warning);
  facts.installation = InstallationFacts{2, 0};
  EXPECT_EQ(only_finding(facts).severity, Severity::Error);
  facts.installation = InstallationFacts{0, 0};
  EXPECT_THAT(only_finding(facts).fix, HasSubstr("--replicas=2"));
}

TEST(Doctor, AnErrorOfTheConfigurationIsQuotedWithTheCommandToFixIt) {
  Facts facts = sound();
  facts.config->problems = {"line 7: profiles[0]: what"};
  Finding finding = only_finding(facts);
  EXPECT_EQ(finding.message, "ConfigMap kube-system/rescheduler-config: line 7: profiles[0]: what");
  EXPECT_EQ(finding.fix, "kubectl edit configmap -n kube-system rescheduler-config");
  facts.config->where = "own.yaml";
  EXPECT_EQ(only_finding(facts).fix, "rescheduler validate --config own.yaml");
}

TEST(Doctor, AMissingLeaseOrOneWithoutAHolderOrARenewalIsReported) {
  Facts facts = sound();
  facts.lease->renewed = facts.now - 44s;  // clocks differ
  EXPECT_THAT(severities(check_leader(facts)), ElementsAre(Severity::Ok));
  facts.lease->renewed = facts.now - 2min;
  EXPECT_THAT(only_finding(facts).message, HasSubstr("host-a_1 renewed the lease 120 s ago"));
  facts.lease->holder.clear();
  EXPECT_EQ(only_finding(facts).severity, Severity::Error);
  facts.lease.reset();
  EXPECT_EQ(only_finding(facts).severity, Severity::Error);
}

TEST(Doctor, TwoActiveSchedulersOfTheSameNameAreReported) {
  Facts facts = sound();
  facts.other_leases = {{"elsewhere", "rescheduler-scheduler", "host-c_1", facts.now - 1s, 15s}};
  EXPECT_EQ(only_finding(facts).fix, "kubectl delete deployment -n elsewhere rescheduler-scheduler");
  facts.other_leases[0].renewed = facts.now - 1h;  // the other process has ended
  EXPECT_THAT(severities(check_names(facts)), ElementsAre(Severity::Ok));

  facts.config->scheduler_names = {"default-scheduler"};
  EXPECT_THAT(only_finding(facts).message, HasSubstr("both schedulers place the same pods"));
  facts.default_lease->renewed = facts.now - 1h;
  EXPECT_THAT(severities(check_names(facts)), ElementsAre(Severity::Ok));

  facts.config->leader_elect = false;
  EXPECT_THAT(check_names(facts)[0].fix, HasSubstr("--replicas=1"));
}

TEST(Doctor, StaleOrMissingMetricsAreAWarning) {
  Facts facts = sound();
  facts.load->sources[0] = {"metrics-server", {}, 1, 1, 12s};
  EXPECT_THAT(
      only_finding(facts).message,
      HasSubstr(
          "metrics-server (in use) has no fresh sample of 1 of 2 nodes, for 1 of them because the sample is older than "
          "180 s"));
  facts.load->sources[0] = {"prometheus", "prometheus: connection refused"};
  facts.load->sources.push_back({"metrics-server", {}, 2, 0, 5s});
  EXPECT_EQ(only_finding(facts).message, "prometheus: connection refused");
  EXPECT_EQ(only_finding(facts).fix, "kubectl get pods -A | grep prometheus");
  facts.load->sources.pop_back();
  EXPECT_THAT(severities(check_load(facts)), ElementsAre(Severity::Warning, Severity::Warning));
  facts.load->sources.clear();
  EXPECT_THAT(severities(check_load(facts)), ElementsAre(Severity::Note));
  facts.load.reset();
  EXPECT_THAT(check_load(facts), IsEmpty());
}

TEST(Doctor, TheLoadSourceInUseIsNamedAndTheCommandThatInstallsABetterOne) {
  Facts facts = sound();
  facts.load->sources = {{"prometheus", "prometheus: no known Service of Prometheus in namespace monitoring"},
                         {"metrics-server", {}, 2, 0, 5s}};
  facts.load->sources[0].installed = false;
  const Findings found = check_load(facts);
  ASSERT_THAT(severities(found), ElementsAre(Severity::Note, Severity::Ok));
  EXPECT_EQ(found[0].fix, "tools/monitoring/deploy-enhanced-monitoring.sh");
  EXPECT_EQ(found[1].message, "metrics-server (in use) measures all 2 nodes, the oldest sample is 5 s old");

  facts.load->sources[0] = {"prometheus", {}, 2, 0, 8s};
  EXPECT_EQ(check_load(facts)[0].message, "prometheus (in use) measures all 2 nodes, the oldest sample is 8 s old");
  EXPECT_THAT(check_load(facts)[1].message, HasSubstr("metrics-server (in reserve)"));

  facts.load->sources = {{"prometheus", "prometheus: no known Service of Prometheus in namespace monitoring"}};
  facts.load->sources[0].installed = false;
  EXPECT_THAT(severities(check_load(facts)), ElementsAre(Severity::Warning, Severity::Warning));
}

TEST(Doctor, AWebhookMustBeConfiguredTrustedReachableAndAnswering) {
  Facts facts = sound();
  facts.webhook->answer_trouble = "connection refused";
  EXPECT_THAT(only_finding(facts).message, HasSubstr("connection refused"));
  facts = sound();
  facts.webhook->endpoints = 0;
  EXPECT_THAT(only_finding(facts).message, HasSubstr("no ready pod"));
  facts = sound();
  facts.webhook->service_there = false;
  EXPECT_EQ(only_finding(facts).fix, "kubectl apply -f manifests/rescheduler/deployment.yaml");
  facts = sound();
  facts.webhook->authorities[0].not_after = facts.now + 24h;
  EXPECT_EQ(only_finding(facts).severity, Severity::Warning);
  facts.webhook->authorities[0].not_after = facts.now - 24h;
  EXPECT_EQ(only_finding(facts).severity, Severity::Error);
  facts.webhook->authorities.push_back({"the next", facts.now + 24h * 300});
  EXPECT_EQ(only_finding(facts).severity, Severity::Note);  // the next authority is already trusted
  facts = sound();
  facts.webhook->authorities.clear();
  facts.webhook->bundle_failure = "no certificate found";
  EXPECT_EQ(only_finding(facts).severity, Severity::Error);
  facts = sound();
  facts.webhook = WebhookFacts{"rescheduler-recovery"};
  EXPECT_EQ(only_finding(facts).severity, Severity::Error);
}

TEST(Doctor, ABudgetThatNeverAllowsADisruptionIsNamedAndATemporarilyExhaustedOneIsNot) {
  Facts facts = sound();
  facts.budgets = {{"web", "strict", "minAvailable 100%", 3, 3, 3, 0, {"a"}},
                   {"web", "waiting", "maxUnavailable 1", 3, 2, 2, 0, {"b"}},
                   {"web", "idle", "minAvailable 1", 0, 1, 0, 0, {}}};
  const Finding finding = only_finding(facts);
  EXPECT_THAT(finding.message, HasSubstr("web/strict (minAvailable 100%) never allows a disruption of its 3 pods"));
  EXPECT_THAT(finding.fix, HasSubstr("kubectl patch pdb -n web strict"));
}

TEST(Doctor, TwoBudgetsThatMatchTheSamePodsAreReportedOnce) {
  Facts facts = sound();
  facts.budgets = {{"web", "one", "maxUnavailable 1", 3, 2, 3, 1, {"a", "b"}},
                   {"web", "two", "maxUnavailable 1", 3, 2, 3, 1, {"a", "b"}},
                   {"other", "three", "maxUnavailable 1", 3, 2, 3, 1, {"a", "b"}}};
  const Finding finding = only_finding(facts);
  EXPECT_THAT(finding.message, HasSubstr("two PodDisruptionBudgets match pod web/a, one and two"));
  EXPECT_EQ(finding.fix, "kubectl delete pdb -n web two");
}

TEST(Doctor, WhateverCouldNotBeReadIsReported) {
  Facts facts = sound();
  facts.unread = {{"leases of other namespaces", "forbidden"}};
  EXPECT_EQ(only_finding(facts).message, "leases of other namespaces: forbidden");
}

TEST(Doctor, FindingsArePrintedAsATableAndAsJson) {
  const Findings findings = {{Severity::Error, "permissions", "may not", "kubectl apply"},
                             {Severity::Ok, "leader", "a leads"}};
  EXPECT_EQ(table_of(findings, {}),
            "error    permissions  may not\n"
            "                      kubectl apply\n"
            "ok       leader       a leads\n"
            "\n1 errors, 0 warnings\n");
  EXPECT_EQ(json_of(findings),
            R"({"findings":[{"severity":"error","check":"permissions","message":"may not","fix":"kubectl apply"},)"
            R"({"severity":"ok","check":"leader","message":"a leads","fix":""}],"errors":1,"warnings":0})"
            "\n");
  EXPECT_EQ(exit_code(findings), 1);
}

}  // namespace
}  // namespace rescheduler::cli::doctor
