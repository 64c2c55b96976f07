#include "kube/codec/json.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/scheduling.pb.h"
#include "sim/kinds/rules_fixture.h"

namespace rescheduler::sim {
namespace {

using testing::expect_faults;
using testing::FaultCase;
using testing::RulesFixture;

std::string pod(std::string_view more = "", std::string_view container = "") {
  return fmt::format(
      R"({{"spec":{{"serviceAccountName":"default","containers":[{{"name":"a","image":"nginx:1"{}}}]{}}}}})", container,
      more);
}
const api::Pod& as_pod(const RulesFixture::Created& created) { return static_cast<const api::Pod&>(*created.object); }

TEST(PodRules, SetTheDefaultsOfARealServer) {
  const RulesFixture rules;
  const auto created = rules.create(
      "pods", pod(R"(,"volumes":[{"name":"v"},{"name":"s","secret":{"secretName":"t"}}])",
                  R"(,"ports":[{"containerPort":80}],"readinessProbe":{"httpGet":{"port":80}},"resources":)"
                  R"({"limits":{"cpu":"0.5","memory":"1024Mi"}})"));
  EXPECT_TRUE(created.faults.empty()) << fmt::format("{}", fmt::join(created.faults, "\n"));
  const auto& spec = as_pod(created).spec();
  EXPECT_EQ(spec.restart_policy(), "Always");
  EXPECT_EQ(spec.dns_policy(), "ClusterFirst");
  EXPECT_EQ(spec.scheduler_name(), "default-scheduler");
  EXPECT_EQ(spec.termination_grace_period_seconds(), 30);
  EXPECT_TRUE(spec.has_security_context());
  EXPECT_TRUE(spec.enable_service_links());
  EXPECT_TRUE(spec.volumes(0).volume_source().has_empty_dir());
  EXPECT_EQ(spec.volumes(1).volume_source().secret().default_mode(), 420);
  const auto& container = spec.containers(0);
  EXPECT_EQ(container.image_pull_policy(), "IfNotPresent");
  EXPECT_EQ(container.termination_message_path(), "/dev/termination-log");
  EXPECT_EQ(container.termination_message_policy(), "File");
  EXPECT_EQ(container.ports(0).protocol(), "TCP");
  EXPECT_EQ(container.resources().limits().at("cpu").string(), "500m");
  EXPECT_EQ(container.resources().requests().at("memory").string(), "1Gi");
  EXPECT_EQ(container.readiness_probe().period_seconds(), 10);
  EXPECT_EQ(container.readiness_probe().handler().http_get().scheme(), "HTTP");
  EXPECT_EQ(as_pod(created).status().phase(), "Pending");
  EXPECT_EQ(as_pod(created).status().qos_class(), "Guaranteed");
}

TEST(PodRules, SetPullPolicyAlwaysOnlyForMissingOrLatestTags) {
  const RulesFixture rules;
  for (const auto& [image, policy] : std::vector<std::pair<std::string, std::string>>{
           {"nginx", "Always"},
           {"nginx:latest", "Always"},
           {"nginx:1.27", "IfNotPresent"},
           {"host:5000/nginx", "Always"},
           {"host:5000/nginx:2", "IfNotPresent"},
           {"nginx@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "IfNotPresent"}}) {
    const auto created =
        rules.create("pods", fmt::format(R"({{"spec":{{"containers":[{{"name":"a","image":"{}"}}]}}}})", image));
    EXPECT_EQ(as_pod(created).spec().containers(0).image_pull_policy(), policy) << image;
  }
}

TEST(PodRules, SetTheQosClass) {
  const RulesFixture rules;
  for (const auto& [resources, expected] : std::vector<std::pair<std::string, std::string>>{
           {R"({})", "BestEffort"},
           {R"({"requests":{"cpu":"1"}})", "Burstable"},
           {R"({"limits":{"cpu":"1"}})", "Burstable"},
           {R"({"limits":{"cpu":"1","memory":"1Gi"}})", "Guaranteed"},
           {R"({"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1000m","memory":"1024Mi"}})", "Guaranteed"},
           {R"({"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"500m"}})", "Burstable"}}) {
    const auto created = rules.create("pods", pod("", R"(,"resources":)" + resources));
    EXPECT_EQ(as_pod(created).status().qos_class(), expected) << resources;
  }
}

TEST(PodRules, AddTolerationsOfFiveMinutesForNotReadyAndUnreachableNodes) {
  const RulesFixture rules;
  const auto created = rules.create("pods", pod());
  ASSERT_EQ(as_pod(created).spec().tolerations_size(), 2);
  EXPECT_EQ(as_pod(created).spec().tolerations(0).key(), "node.kubernetes.io/not-ready");
  EXPECT_EQ(as_pod(created).spec().tolerations(1).toleration_seconds(), 300);
  const auto own = rules.create(
      "pods",
      pod(R"(,"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute"}])"));
  ASSERT_EQ(as_pod(own).spec().tolerations_size(), 2);
  EXPECT_FALSE(as_pod(own).spec().tolerations(0).has_toleration_seconds());
  const auto all = rules.create("pods", pod(R"(,"tolerations":[{"operator":"Exists"}])"));
  EXPECT_EQ(as_pod(all).spec().tolerations_size(), 1);
}

TEST(PodRules, SetThePriorityFromThePriorityClass) {
  RulesFixture rules;
  const auto gold = std::make_shared<api::PriorityClass>();
  gold->mutable_metadata()->set_name("gold");
  gold->set_value(1000);
  gold->set_preemption_policy("Never");
  rules.context.find = [&](std::string_view, std::string_view, std::string_view, std::string_view name) -> ObjectPtr {
    return name == "gold" ? gold : nullptr;
  };
  const auto created = rules.create("pods", pod(R"(,"priorityClassName":"gold")"));
  EXPECT_EQ(as_pod(created).spec().priority(), 1000);
  EXPECT_EQ(as_pod(created).spec().preemption_policy(), "Never");
  const auto system = rules.create("pods", pod(R"(,"priorityClassName":"system-node-critical")"));
  EXPECT_EQ(as_pod(system).spec().priority(), 2'000'001'000);
  EXPECT_EQ(rules.create("pods", pod(R"(,"priorityClassName":"tin")")).denied,
            "no PriorityClass with name tin was found");
  EXPECT_EQ(rules.create("pods", pod(R"(,"priority":7)")).denied,
            "the integer value of priority (7) must not be provided in pod spec; priority admission controller "
            "computed 0 from the given PriorityClass name");
  EXPECT_EQ(as_pod(rules.create("pods", pod())).spec().priority(), 0);
  rules.context.each = [&](std::string_view, std::string_view, const std::function<void(const Message&)>& visit) {
    gold->set_global_default(true);
    visit(*gold);
  };
  EXPECT_EQ(as_pod(rules.create("pods", pod())).spec().priority_class_name(), "gold");
}

TEST(PodRules, APodCreatedWithANodeNameGetsTheZoneLabelOfTheNode) {
  RulesFixture rules;
  const auto node = std::make_shared<api::Node>();
  (*node->mutable_metadata()->mutable_labels())["topology.kubernetes.io/zone"] = "z1";
  (*node->mutable_metadata()->mutable_labels())["disk"] = "fast";
  rules.context.find = [&](std::string_view, std::string_view plural, std::string_view,
                           std::string_view name) -> ObjectPtr {
    return plural == "nodes" && name == "n1" ? node : nullptr;
  };
  const auto placed = rules.create("pods", pod(R"(,"nodeName":"n1")"));
  EXPECT_EQ(as_pod(placed).metadata().labels().at("topology.kubernetes.io/zone"), "z1");
  EXPECT_FALSE(as_pod(placed).metadata().labels().contains("disk"));
  EXPECT_FALSE(as_pod(rules.create("pods", pod(R"(,"nodeName":"n2")")))
                   .metadata()
                   .labels()
                   .contains("topology.kubernetes.io/zone"));
  EXPECT_FALSE(as_pod(rules.create("pods", pod())).metadata().labels().contains("topology.kubernetes.io/zone"));
}

TEST(PodRules, SetTheSchedulingGatedConditionOfGatedPods) {
  const RulesFixture rules;
  const auto created = rules.create("pods", pod(R"(,"schedulingGates":[{"name":"example.com/wait"}])"));
  ASSERT_EQ(as_pod(created).status().conditions_size(), 1);
  EXPECT_EQ(as_pod(created).status().conditions(0).reason(), "SchedulingGated");
  EXPECT_TRUE(as_pod(created).status().conditions(0).has_last_transition_time());
}

TEST(PodRules, AddTheLabelsOfMatchLabelKeysToTheLabelSelector) {
  const RulesFixture rules;
  const auto created = rules.create("pods", R"({"metadata":{"labels":{"rev":"7"}},"spec":{"containers":[{"name":"a",)"
                                            R"("image":"i:1"}],"topologySpreadConstraints":[{"maxSkew":1,)"
                                            R"("topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule",)"
                                            R"("labelSelector":{},"matchLabelKeys":["rev"]}]}})");
  EXPECT_TRUE(created.faults.empty());
  const auto& selector = as_pod(created).spec().topology_spread_constraints(0).label_selector();
  ASSERT_EQ(selector.match_expressions_size(), 1);
  EXPECT_EQ(selector.match_expressions(0).values(0), "7");
}

std::vector<FaultCase> invalid_pods() {
  const auto node_affinity = [](std::string_view inner) {
    return pod(fmt::format(R"(,"affinity":{{"nodeAffinity":{}}})", inner));
  };
  const auto spread = [](std::string_view inner) {
    return pod(fmt::format(R"(,"topologySpreadConstraints":[{}])", inner));
  };
  const std::string preferred = "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]";
  const std::string required =
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  return {
      {"no containers", R"({"spec":{}})", {"spec.containers: Required value"}},
      {"no image and no name",
       R"({"spec":{"containers":[{}]}})",
       {"spec.containers[0].name: Required value", "spec.containers[0].image: Required value"}},
      {"capital letters in a name",
       R"({"spec":{"containers":[{"name":"A","image":"i"}]}})",
       {"spec.containers[0].name: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case "
        "alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or "
        "'123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"}},
      {"the same container twice",
       R"({"spec":{"containers":[{"name":"a","image":"i"},{"name":"a","image":"i"}]}})",
       {"spec.containers[1].name: Duplicate value: \"a\""}},
      {"an init container with the name of a container",
       pod(R"(,"initContainers":[{"name":"a","image":"i"}])"),
       {"spec.initContainers[0].name: Duplicate value: \"a\""}},
      {"an unknown restart policy",
       pod(R"(,"restartPolicy":"Sometimes")"),
       {"spec.restartPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \"OnFailure\", "
        "\"Never\""}},
      {"request above limit",
       pod("", R"(,"resources":{"requests":{"cpu":"2"},"limits":{"cpu":"1"}})"),
       {"spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1"}},
      {"negative request",
       pod("", R"(,"resources":{"requests":{"cpu":"-1"}})"),
       {"spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be greater than or equal to 0"}},
      {"an unknown resource",
       pod("", R"(,"resources":{"requests":{"bananas":"1"}})"),
       {"spec.containers[0].resources.requests[bananas]: Invalid value: \"bananas\": must be a standard resource type "
        "or fully qualified",
        "spec.containers[0].resources.requests[bananas]: Invalid value: \"bananas\": must be a standard resource for "
        "containers"}},
      {"a fraction of an extended resource",
       pod("", R"(,"resources":{"limits":{"example.com/gpu":"500m"}})"),
       {"spec.containers[0].resources.limits[example.com/gpu]: Invalid value: \"500m\": must be an integer",
        "spec.containers[0].resources.requests[example.com/gpu]: Invalid value: \"500m\": must be an integer"}},
      {"the same volume twice",
       pod(R"(,"volumes":[{"name":"v"},{"name":"v"}])"),
       {"spec.volumes[1].name: Duplicate value: \"v\""}},
      {"a mount of an unknown volume",
       pod("", R"(,"volumeMounts":[{"name":"v","mountPath":"/v"}])"),
       {"spec.containers[0].volumeMounts[0].name: Not found: \"v\""}},
      {"a host port twice",
       pod("", R"(,"ports":[{"containerPort":1,"hostPort":9},{"containerPort":2,"hostPort":9}])"),
       {"spec.containers[0].ports[1].hostPort: Duplicate value: \"TCP//9\""}},
      {"a port out of range",
       pod("", R"(,"ports":[{"containerPort":70000}])"),
       {"spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive"}},
      {"a probe without a handler",
       pod("", R"(,"livenessProbe":{})"),
       {"spec.containers[0].livenessProbe: Required value: must specify a handler type"}},
      {"weight 0",
       node_affinity(R"({"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":0,"preference":{}}]})"),
       {preferred + ".weight: Invalid value: 0: must be in the range 1-100"}},
      {"weight 101",
       node_affinity(R"({"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":101,"preference":{}}]})"),
       {preferred + ".weight: Invalid value: 101: must be in the range 1-100"}},
      {"no node selector terms",
       node_affinity(R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}})"),
       {required + ": Required value: must have at least one node selector term"}},
      {"two names in one field requirement",
       node_affinity(R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[)"
                     R"({"key":"metadata.name","operator":"NotIn","values":["a","b"]}]}]}})"),
       {required
        + "[0].matchFields[0].values: Required value: must be only one value when `operator` is 'In' or "
          "'NotIn' for node field selector"}},
      {"an unknown operator",
       node_affinity(R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[)"
                     R"({"key":"zone","operator":"Near","values":["a"]}]}]}})"),
       {required + "[0].matchExpressions[0].operator: Invalid value: \"Near\": not a valid selector operator"}},
      {"pod affinity without topology",
       pod(R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{}}]}})"),
       {"spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: "
        "can not be empty",
        "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "
        "\"\": name part must be non-empty",
        "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "
        "\"\": name part must consist of"}},
      {"skew 0",
       spread(R"({"maxSkew":0,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"})"),
       {"spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"}},
      {"minDomains with ScheduleAnyway",
       spread(R"({"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway","minDomains":2})"),
       {"spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if "
        "whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"}},
      {"the same spread twice",
       spread(R"({"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"ScheduleAnyway"},)"
              R"({"maxSkew":2,"topologyKey":"z","whenUnsatisfiable":"ScheduleAnyway"})"),
       {"spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: \"{z, "
        "ScheduleAnyway}\""}},
      {"a toleration with a value but without a key",
       pod(R"(,"tolerations":[{"value":"x"}])"),
       {"spec.tolerations[0].operator: Invalid value: \"\": operator must be Exists when `key` is empty, which means "
        "\"match all values and all keys\""}},
      {"tolerationSeconds with the effect NoSchedule",
       pod(R"(,"tolerations":[{"key":"k","operator":"Exists","effect":"NoSchedule","tolerationSeconds":3}])"),
       {"spec.tolerations[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when "
        "`tolerationSeconds` is set"}},
      {"assigned and gated",
       pod(R"(,"nodeName":"n1","schedulingGates":[{"name":"example.com/wait"}])"),
       {"spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"}},
      {"a node selector with an invalid label value",
       pod(R"(,"nodeSelector":{"disk":"a b"})"),
       {"spec.nodeSelector: Invalid value: \"a b\": a valid label must be an empty string or consist of alphanumeric "
        "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
        "'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"}},
      {"an invalid deletion cost",
       R"({"metadata":{"annotations":{"controller.kubernetes.io/pod-deletion-cost":"+1"}},"spec":{"containers":[)"
       R"({"name":"a","image":"i"}]}})",
       {"metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: \"+1\": must be a 32bit "
        "integer"}},
  };
}

class InvalidPods : public ::testing::TestWithParam<FaultCase> {};
TEST_P(InvalidPods, AreRejectedWithTheMessagesOfARealServer) {
  const RulesFixture rules;
  expect_faults(rules.create("pods", GetParam().json).faults, GetParam().faults);
}
INSTANTIATE_TEST_SUITE_P(Rules, InvalidPods, ::testing::ValuesIn(invalid_pods()));

struct UpdateCase {
  const char* name;
  std::string before, after;
  std::vector<std::string> faults;
};
std::ostream& operator<<(std::ostream& out, const UpdateCase& one) { return out << one.name; }

std::vector<UpdateCase> pod_updates() {
  const std::string gate = R"("schedulingGates":[{"name":"example.com/g"}])";
  const std::string tolerations = R"(,"tolerations":[{"operator":"Exists"}])";
  const auto terms = [&](std::string_view inner) {
    return pod("," + gate + tolerations
               + fmt::format(R"(,"affinity":{{"nodeAffinity":{{"requiredDuringSchedulingIgnoredDuringExecution":)"
                             R"({{"nodeSelectorTerms":[{}]}}}}}})",
                             inner));
  };
  const std::string zone = R"({"key":"zone","operator":"In","values":["a"]})";
  const std::string disk = R"({"key":"disk","operator":"Exists"})";
  const auto expressions = [](std::string_view list) { return fmt::format(R"({{"matchExpressions":[{}]}})", list); };
  return {
      {"another image",
       pod(tolerations),
       R"({"spec":{"serviceAccountName":"default","containers":[{"name":"a","image":"nginx:2"}],"tolerations":)"
       R"([{"operator":"Exists"}]}})",
       {}},
      {"another command",
       pod(tolerations),
       pod(tolerations, R"(,"command":["sh"])"),
       {"spec: Forbidden: pod updates may not change fields other than "
        "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` "
        "(only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it "
        "was previously negative)\nchanged: containers"}},
      {"another container",
       pod(tolerations),
       R"({"spec":{"containers":[{"name":"a","image":"i"},{"name":"b","image":"i"}]}})",
       {"spec.containers: Forbidden: pod updates may not add or remove containers"}},
      {"one more toleration",
       pod(tolerations),
       pod(R"(,"tolerations":[{"operator":"Exists"},{"key":"k","operator":"Exists"}])"),
       {}},
      {"one toleration less",
       pod(tolerations),
       pod(),
       {"spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"}},
      {"a longer deadline",
       pod(R"(,"activeDeadlineSeconds":5)" + tolerations),
       pod(R"(,"activeDeadlineSeconds":6)" + tolerations),
       {"spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value"}},
      {"one scheduling gate less", pod("," + gate + tolerations), pod(tolerations), {}},
      {"one scheduling gate more",
       pod(tolerations),
       pod("," + gate + tolerations),
       {"spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate "
        "'example.com/g'"}},
      {"a node selector while gated",
       pod("," + gate + tolerations),
       pod("," + gate + tolerations + R"(,"nodeSelector":{"a":"b"})"),
       {}},
      {"a node selector when not gated",
       pod(tolerations),
       pod(tolerations + R"(,"nodeSelector":{"a":"b"})"),
       {"spec: Forbidden: pod updates may not change fields other than"}},
      {"a node selector removed while gated",
       pod("," + gate + tolerations + R"(,"nodeSelector":{"a":"b"})"),
       pod("," + gate + tolerations),
       {"spec.nodeSelector: Invalid value: {}: only additions to spec.nodeSelector are allowed (no mutations or "
        "deletions)"}},
      {"node affinity added while gated", pod("," + gate + tolerations), terms(expressions(zone)), {}},
      {"a narrower term", terms(expressions(zone)), terms(expressions(zone + "," + disk)), {}},
      {"another term",
       terms(expressions(zone)),
       terms(expressions(zone) + "," + expressions(disk)),
       {"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Invalid value: "
        "["}},
      {"a wider term",
       terms(expressions(zone + "," + disk)),
       terms(expressions(zone)),
       {"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: Invalid "
        "value: {"}},
  };
}

class PodUpdates : public ::testing::TestWithParam<UpdateCase> {};
TEST_P(PodUpdates, AreAllowedOrRejectedAsOnARealServer) {
  const RulesFixture rules;
  expect_faults(rules.update("pods", GetParam().before, GetParam().after), GetParam().faults);
}
INSTANTIATE_TEST_SUITE_P(Rules, PodUpdates, ::testing::ValuesIn(pod_updates()));

TEST(PodRules, AStatusUpdateChangesOnlyTheStatus) {
  const RulesFixture rules;
  const auto created = rules.create("pods", pod());
  const Kind& pods = rules.kind("pods");
  api::Pod changed = as_pod(created);
  changed.mutable_spec()->set_node_name("n1");
  changed.mutable_status()->set_phase("Running");
  changed.mutable_status()->set_nominated_node_name("n2");
  changed.mutable_status()->clear_qos_class();
  pods.rules.on_status_update(*created.object, changed);
  EXPECT_EQ(changed.spec().node_name(), "");
  EXPECT_EQ(changed.status().phase(), "Running");
  EXPECT_EQ(changed.status().qos_class(), "BestEffort");
  Faults faults;
  pods.rules.validate_status_update(*created.object, changed, faults);
  EXPECT_TRUE(faults.empty());
  changed.mutable_status()->set_nominated_node_name("N 2");
  pods.rules.validate_status_update(*created.object, changed, faults);
  EXPECT_FALSE(faults.empty());
}

TEST(PodRules, SupportFieldSelectors) {
  const RulesFixture rules;
  const auto created = rules.create("pods", pod(R"(,"nodeName":"n1","hostNetwork":true)"));
  const Kind& pods = rules.kind("pods");
  for (const auto& [field, value] :
       std::vector<std::pair<std::string, std::string>>{{"spec.nodeName", "n1"},
                                                        {"spec.hostNetwork", "true"},
                                                        {"spec.restartPolicy", "Always"},
                                                        {"spec.schedulerName", "default-scheduler"},
                                                        {"spec.serviceAccountName", "default"},
                                                        {"status.phase", "Pending"},
                                                        {"status.podIP", ""},
                                                        {"status.nominatedNodeName", ""}}) {
    std::string scratch;
    const std::string* found = pods.rules.field(*created.object, field, scratch);
    ASSERT_NE(found, nullptr) << field;
    EXPECT_EQ(*found, value) << field;
    EXPECT_TRUE(std::ranges::find(pods.rules.selectable_fields, field) != pods.rules.selectable_fields.end());
  }
}

}  // namespace
}  // namespace rescheduler::sim
