#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/scheduling.pb.h"
#include "kube/proto/storage.pb.h"
#include "sim/kinds/rules_fixture.h"

namespace rescheduler::sim {
namespace {

using testing::expect_faults;
using testing::FaultCase;
using testing::RulesFixture;

template <class T>
const T& as(const RulesFixture::Created& created) {
  EXPECT_TRUE(created.faults.empty()) << fmt::format("{}", fmt::join(created.faults, "\n"));
  return static_cast<const T&>(*created.object);
}

constexpr std::string_view kService = R"({"spec":{"selector":{"app":"web"},"ports":[{"port":80}]}})";

TEST(CoreRules, SetTheDefaultsAndTheAddressOfServices) {
  const RulesFixture rules;
  const auto created = rules.create("services", kService);
  const auto& spec = as<api::Service>(created).spec();
  EXPECT_EQ(spec.type(), "ClusterIP");
  EXPECT_TRUE(spec.cluster_ip().starts_with("10."));
  EXPECT_EQ(spec.cluster_ips(0), spec.cluster_ip());
  EXPECT_EQ(spec.ports(0).protocol(), "TCP");
  EXPECT_EQ(spec.ports(0).target_port().int_val(), 80);
  EXPECT_EQ(spec.session_affinity(), "None");
  EXPECT_EQ(spec.ip_families(0), "IPv4");
  EXPECT_EQ(spec.internal_traffic_policy(), "Cluster");
  EXPECT_EQ(as<api::Service>(rules.create("services", kService)).spec().cluster_ip(), spec.cluster_ip());
  const auto headless = rules.create("services", R"({"spec":{"clusterIP":"None"}})");
  EXPECT_EQ(as<api::Service>(headless).spec().cluster_ips(0), "None");
  const auto node_port = rules.create("services", R"({"spec":{"type":"NodePort","ports":[{"port":80}]}})");
  EXPECT_GE(as<api::Service>(node_port).spec().ports(0).node_port(), 30'000);
}

TEST(CoreRules, RejectAChangeOfTheAddressOfAService) {
  const RulesFixture rules;
  expect_faults(rules.update("services", kService, kService), {});
  expect_faults(rules.update("services", kService, R"({"spec":{"clusterIP":"10.1.1.1","ports":[{"port":80}]}})"),
                {"spec.clusterIPs[0]: Invalid value: [\"10.1.1.1\"]: may not change once set"});
}

TEST(CoreRules, CreateNamespacesAsActive) {
  const RulesFixture rules;
  const auto created = rules.create("namespaces", R"({"metadata":{"name":"shop"},"status":{"phase":"Terminating"}})");
  const auto& ns = as<api::Namespace>(created);
  EXPECT_EQ(ns.status().phase(), "Active");
  EXPECT_EQ(ns.spec().finalizers(0), "kubernetes");
  EXPECT_EQ(ns.metadata().labels().at("kubernetes.io/metadata.name"), "shop");
  EXPECT_NE(rules.kind("namespaces").rules.name_fault("a.b"), "");
}

TEST(CoreRules, KeepTheStatusOfNewNodesAndSetAllocatableFromCapacity) {
  const RulesFixture rules;
  const auto created = rules.create("nodes", R"({"status":{"capacity":{"cpu":"4","memory":"0.5Gi"}}})");
  EXPECT_EQ(as<api::Node>(created).status().allocatable().at("cpu").string(), "4");
  EXPECT_EQ(as<api::Node>(created).status().capacity().at("memory").string(), "512Mi");
}

TEST(CoreRules, ConvertStringDataOfSecretsToData) {
  const RulesFixture rules;
  const auto created = rules.create("secrets", R"({"stringData":{"user":"me"}})");
  EXPECT_EQ(as<api::Secret>(created).data().at("user"), "me");
  EXPECT_EQ(as<api::Secret>(created).type(), "Opaque");
  EXPECT_TRUE(as<api::Secret>(created).string_data().empty());
}

TEST(CoreRules, SetTheDefaultsOfStorageClassesAndPriorityClasses) {
  const RulesFixture rules;
  const auto storage = rules.create("storageclasses.storage.k8s.io", R"({"provisioner":"example.com/x"})");
  EXPECT_EQ(as<api::StorageClass>(storage).volume_binding_mode(), "Immediate");
  EXPECT_EQ(as<api::StorageClass>(storage).reclaim_policy(), "Delete");
  const auto priority = rules.create("priorityclasses.scheduling.k8s.io", R"({"value":7})");
  EXPECT_EQ(as<api::PriorityClass>(priority).preemption_policy(), "PreemptLowerPriority");
}

std::vector<std::pair<std::string, FaultCase>> invalid_objects() {
  const std::string budgets = "poddisruptionbudgets.policy";
  return {
      {"services", {"no ports", R"({"spec":{}})", {"spec.ports: Required value"}}},
      {"services",
       {"two ports without names",
        R"({"spec":{"ports":[{"port":80},{"port":81}]}})",
        {"spec.ports[0].name: Required value", "spec.ports[1].name: Required value"}}},
      {"services",
       {"an unknown type",
        R"({"spec":{"type":"Magic","ports":[{"port":80}]}})",
        {"spec.type: Unsupported value: \"Magic\": supported values: \"ClusterIP\", \"ExternalName\", "
         "\"LoadBalancer\", \"NodePort\""}}},
      {"nodes",
       {"the same taint twice",
        R"({"spec":{"taints":[{"key":"a","effect":"NoSchedule"},{"key":"a","value":"b","effect":"NoSchedule"}]}})",
        {"metadata.taints[1]: Duplicate value: {\"key\":\"a\",\"value\":\"b\",\"effect\":\"NoSchedule\"}: taints must "
         "be unique by key and effect pair"}}},
      {"nodes",
       {"a taint without effect",
        R"({"spec":{"taints":[{"key":"a"}]}})",
        {"metadata.taints[0].effect: Required value"}}},
      {"configmaps",
       {"a key with a slash",
        R"({"data":{"a/b":"c"}})",
        {"data[a/b]: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or "
         "'.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"}}},
      {budgets,
       {"minAvailable and maxUnavailable together",
        R"({"spec":{"minAvailable":1,"maxUnavailable":1}})",
        {"spec: Invalid value: {\"minAvailable\":1,\"maxUnavailable\":1}: minAvailable and maxUnavailable cannot be "
         "both set"}}},
      {budgets,
       {"minAvailable above 100%",
        R"({"spec":{"minAvailable":"101%"}})",
        {"spec.minAvailable: Invalid value: \"101%\": must not be greater than 100%"}}},
      {budgets,
       {"an unknown policy",
        R"({"spec":{"unhealthyPodEvictionPolicy":"Never"}})",
        {"spec.unhealthyPodEvictionPolicy: Unsupported value: \"Never\": supported values: \"AlwaysAllow\", "
         "\"IfHealthyBudget\""}}},
      {"priorityclasses.scheduling.k8s.io",
       {"a priority that is too high",
        R"({"value":1000000001})",
        {"value: Forbidden: maximum allowed value of a user defined priority is 1000000000"}}},
      {"leases.coordination.k8s.io",
       {"a lease duration of zero",
        R"({"spec":{"leaseDurationSeconds":0}})",
        {"spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"}}},
      {"horizontalpodautoscalers.autoscaling",
       {"maxReplicas below minReplicas",
        R"({"spec":{"minReplicas":5,"maxReplicas":3,"scaleTargetRef":{"kind":"Deployment","name":"d"}}})",
        {"spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`"}}},
      {"storageclasses.storage.k8s.io", {"no provisioner", R"({})", {"provisioner: Required value"}}},
      {"persistentvolumeclaims",
       {"no access mode and no storage request",
        R"({"spec":{}})",
        {"spec.accessModes: Required value: at least 1 access mode is required",
         "spec.resources[storage]: Required value"}}},
      {"persistentvolumes",
       {"a local volume without node affinity",
        R"({"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"local":{"path":"/d"}}})",
        {"spec.nodeAffinity: Required value: Local volume requires node affinity"}}},
      {"events.events.k8s.io",
       {"an event without a time",
        R"({"regarding":{"namespace":"default"},"type":"Normal","reason":"r","action":"a","reportingController":"c",)"
        R"("reportingInstance":"i"})",
        {"eventTime: Required value"}}},
  };
}

TEST(CoreRules, RejectInvalidObjectsWithTheMessagesOfARealServer) {
  const RulesFixture rules;
  for (const auto& [plural, wrong] : invalid_objects()) {
    SCOPED_TRACE(wrong.name);
    expect_faults(rules.create(plural, wrong.json).faults, wrong.faults);
  }
}

struct Change {
  const char* plural;
  const char* before;
  const char* after;
  std::vector<std::string> faults;
};

TEST(CoreRules, RejectChangesOfImmutableFields) {
  const RulesFixture rules;
  const std::vector<Change> changes = {
      {"configmaps", R"({"data":{"a":"1"}})", R"({"data":{"a":"2"}})", {}},
      {"configmaps",
       R"({"immutable":true,"data":{"a":"1"}})",
       R"({"data":{"a":"2"}})",
       {"immutable: Forbidden: field is immutable when `immutable` is set",
        "data: Forbidden: field is immutable when `immutable` is set"}},
      {"secrets", R"({"type":"a"})", R"({"type":"b"})", {"type: Invalid value: \"b\": field is immutable"}},
      {"priorityclasses.scheduling.k8s.io",
       R"({"value":1})",
       R"({"value":2})",
       {"value: Forbidden: may not be changed in an update."}},
      {"storageclasses.storage.k8s.io",
       R"({"provisioner":"a/b"})",
       R"({"provisioner":"a/b","volumeBindingMode":"WaitForFirstConsumer"})",
       {"volumeBindingMode: Invalid value: \"WaitForFirstConsumer\": field is immutable"}},
      {"nodes",
       R"({"spec":{"podCIDRs":["10.0.0.0/24"]}})",
       R"({"spec":{"unschedulable":true}})",
       {"spec.podCIDRs: Forbidden: node updates may not change podCIDR except from \"\" to valid"}},
      {"nodes", R"({"spec":{}})", R"({"spec":{"unschedulable":true,"taints":[{"key":"a","effect":"NoExecute"}]}})", {}},
  };
  for (const Change& change : changes) {
    SCOPED_TRACE(change.after);
    expect_faults(rules.update(change.plural, change.before, change.after), change.faults);
  }
}

TEST(CoreRules, AllowOnlyOneDefaultPriorityClass) {
  RulesFixture rules;
  api::PriorityClass first;
  first.mutable_metadata()->set_name("first");
  first.set_global_default(true);
  rules.context.each = [&](std::string_view, std::string_view, const std::function<void(const Message&)>& visit) {
    visit(first);
  };
  EXPECT_EQ(rules.create("priorityclasses.scheduling.k8s.io", R"({"globalDefault":true,"value":1})").denied,
            "PriorityClass first is already marked as default. Only one default can exist");
}

TEST(CoreRules, SupportTheFieldSelectorsOfARealServer) {
  const RulesFixture rules;
  const auto field = [&](std::string_view plural, std::string_view json, std::string_view name) {
    const auto created = rules.create(plural, json);
    std::string scratch;
    const std::string* value = rules.kind(plural).rules.field(*created.object, name, scratch);
    return value == nullptr ? std::string("none") : *value;
  };
  EXPECT_EQ(field("nodes", R"({"spec":{"unschedulable":true}})", "spec.unschedulable"), "true");
  EXPECT_EQ(field("nodes", R"({})", "spec.unschedulable"), "false");
  EXPECT_EQ(field("namespaces", R"({})", "status.phase"), "Active");
  EXPECT_EQ(field("secrets", R"({})", "type"), "Opaque");
  EXPECT_EQ(field("secrets", R"({})", "data"), "none");
}

}  // namespace
}  // namespace rescheduler::sim
