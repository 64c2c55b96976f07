#include "kube/proto/core_pod.pb.h"
#include "kube/proto/events.pb.h"
#include "sim/kinds/rules_fixture.h"
#include "sim/proto/custom.pb.h"

namespace rescheduler::sim {
namespace {

using testing::RulesFixture;

std::string refused(const Kind& kind, std::string_view json) {
  const auto object = object_from_json(kind, json, true);
  return object ? "accepted" : object.error().message;
}

TEST(ObjectJson, ReportsUnknownAndDuplicateFieldsInStrictMode) {
  const RulesFixture rules;
  const Kind& deployments = rules.kind("deployments.apps");
  EXPECT_EQ(refused(deployments, R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"foo":1,"template":{"spec":)"
                                 R"({"containers":[{"nmae":"a"}]}}}})"),
            "Deployment in version \"v1\" cannot be handled as a Deployment: strict decoding error: unknown field "
            "\"spec.foo\", unknown field \"spec.template.spec.containers[0].nmae\"");
  EXPECT_EQ(refused(deployments, R"({"spec":{"replicas":1,"replicas":2}})"),
            "Deployment in version \"v1\" cannot be handled as a Deployment: strict decoding error: duplicate field "
            "\"spec.replicas\"");
  EXPECT_EQ(refused(deployments, R"({"metadata":{"managedFields":[{}],"selfLink":""},"spec":{"replicas":1}})"),
            "accepted");
  EXPECT_TRUE(object_from_json(deployments, R"({"spec":{"foo":1}})", false));
}

TEST(ObjectJson, RejectsObjectsOfAnotherKindOrVersion) {
  const RulesFixture rules;
  EXPECT_EQ(refused(rules.kind("pods"), R"({"apiVersion":"apps/v1","kind":"Pod"})"),
            "the API version in the data (apps/v1) does not match the expected API version (v1)");
  EXPECT_NE(refused(rules.kind("pods"), R"({"apiVersion":"v1","kind":"Node"})"), "accepted");
}

TEST(ObjectJson, RejectsInvalidQuantities) {
  const RulesFixture rules;
  EXPECT_EQ(refused(rules.kind("pods"),
                    R"({"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"1 core"}}}]}})"),
            "Pod in version \"v1\" cannot be handled as a Pod: quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

TEST(ObjectJson, KeepsAllFieldsOfKindsWithoutAType) {
  const RulesFixture rules;
  const Kind& roles = rules.kind("roles.rbac.authorization.k8s.io");
  const auto role = object_from_json(
      roles, R"({"kind":"Role","rules":[{"verbs":["get"],"apiGroups":[""]}],"metadata":{"name":"r"}})", true);
  ASSERT_TRUE(role);
  EXPECT_EQ(object_to_json(roles, **role),
            R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"r"},)"
            R"("rules":[{"apiGroups":[""],"verbs":["get"]}]})");
}

TEST(ObjectJson, ReadsAndWritesCoreEventsWithTheirCoreFieldNames) {
  const RulesFixture rules;
  const Kind& core = rules.kind("events");
  const Kind& stored = rules.kind("events.events.k8s.io");
  const std::string text = R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"d"},)"
                           R"("involvedObject":{"kind":"Pod","name":"p"},"message":"pulled","reason":"Pulled",)"
                           R"("source":{"component":"kubelet"},"count":3,"firstTimestamp":"2024-01-01T00:00:00Z",)"
                           R"("lastTimestamp":"2024-01-01T00:00:05Z","type":"Normal","reportingComponent":"kubelet"})";
  const auto event = object_from_json(core, text, true);
  ASSERT_TRUE(event) << event.error().message;
  const auto& held = static_cast<const api::Event&>(**event);
  EXPECT_EQ(held.regarding().name(), "p");
  EXPECT_EQ(held.note(), "pulled");
  EXPECT_EQ(held.deprecated_count(), 3);
  EXPECT_EQ(held.deprecated_source().component(), "kubelet");
  EXPECT_EQ(held.reporting_controller(), "kubelet");
  const std::string shown = object_to_json(core, held);
  EXPECT_NE(shown.find(R"("message":"pulled")"), std::string::npos) << shown;
  EXPECT_NE(shown.find(R"("lastTimestamp":"2024-01-01T00:00:05Z")"), std::string::npos) << shown;
  EXPECT_NE(shown.find(R"("eventTime":null)"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("deprecated"), std::string::npos) << shown;
  const std::string other = object_to_json(stored, held);
  EXPECT_NE(other.find(R"("apiVersion":"events.k8s.io/v1")"), std::string::npos) << other;
  EXPECT_NE(other.find(R"("note":"pulled")"), std::string::npos) << other;
}

TEST(ObjectJson, SelectsEventsByTheFieldNamesOfBothApis) {
  const RulesFixture rules;
  api::Event event;
  event.mutable_regarding()->set_kind("Pod");
  event.set_reporting_controller("scheduler");
  std::string scratch;
  const auto field = [&](std::string_view plural, std::string_view name) {
    return *rules.kind(plural).rules.field(event, name, scratch);
  };
  EXPECT_EQ(field("events", "involvedObject.kind"), "Pod");
  EXPECT_EQ(field("events", "source"), "scheduler");
  EXPECT_EQ(field("events.events.k8s.io", "regarding.kind"), "Pod");
}

}  // namespace
}  // namespace rescheduler::sim
