#include "sim/patch/apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/apps.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "sim/patch/apply_fixture.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

AppliedObject deployment() { return {api::Deployment::descriptor(), "apps/v1"}; }
AppliedObject pod() { return {api::Pod::descriptor(), "v1"}; }
AppliedObject custom() { return {nullptr, "example.com/v1"}; }

TEST(Apply, CreatesAnObjectAndOwnsTheAppliedFields) {
  AppliedObject object = deployment();
  ASSERT_TRUE(object.apply(
      "me",
      "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'web','namespace':'x','labels':{'a':'1'}},"
      "'spec':{'replicas':3,'selector':{'matchLabels':{'a':'1'}},'template':{'spec':{'nodeSelector':{'disk':'ssd'},"
      "'containers':[{'name':'c','image':'i','args':['-v'],'ports':[{'containerPort':80}]}]}}}}"_json));
  EXPECT_EQ(object.entry("me"),
            R"({"manager":"me","operation":"Apply","apiVersion":"apps/v1","time":"2024-01-01T00:00:00Z",)"
            R"("fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:replicas":{},)"
            R"("f:selector":{},"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:args":{},)"
            R"("f:image":{},"f:name":{},"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},)"
            R"("f:containerPort":{}}}}},"f:nodeSelector":{}}}}}})");
}

TEST(Apply, KeepsTheFieldsOfOtherManagersAndRemovesFieldsThatAreNoLongerApplied) {
  AppliedObject object = pod();
  ASSERT_TRUE(object.apply(
      "a",
      "{'metadata':{'labels':{'mine':'1','drop':'1'}},'spec':{'containers':[{'name':'x','image':'i','env':[{'name':'E','value':'1'}]},{'name':'y'}]}}"_json));
  ASSERT_TRUE(object.apply(
      "b", "{'metadata':{'labels':{'theirs':'2'}},'spec':{'containers':[{'name':'x','workingDir':'/'}]}}"_json));
  ASSERT_TRUE(
      object.apply("a", "{'metadata':{'labels':{'mine':'1'}},'spec':{'containers':[{'name':'x','image':'i'}]}}"_json));
  EXPECT_EQ(
      object.document(),
      Json{
          "{'metadata':{'labels':{'mine':'1','theirs':'2'}},'spec':{'containers':[{'name':'x','image':'i','workingDir':'/'}]}}"_json});
  EXPECT_THAT(object.fields("a"), Not(HasSubstr("f:drop")));
  EXPECT_THAT(object.fields("b"), HasSubstr("f:workingDir"));
}

TEST(Apply, KeepsServerMetadataAndFieldsFromBeforeTheFirstApply) {
  AppliedObject object = pod();
  object.exists("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'web','uid':'1','labels':{'a':'1'}}}"_json);
  ASSERT_TRUE(object.apply("me", "{'metadata':{'labels':{'a':'1','b':'2'}}}"_json));
  ASSERT_TRUE(object.apply("me", "{'spec':{}}"_json));
  EXPECT_EQ(
      object.document(),
      Json{"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'web','uid':'1','labels':{'a':'1'}},'spec':{}}"_json});
}

TEST(Apply, AnEmptyStructureThatIsStillAppliedIsKept) {
  AppliedObject object = pod();
  ASSERT_TRUE(object.apply("me", "{'spec':{'volumes':[{'name':'v','emptyDir':{'sizeLimit':'1'}}]}}"_json));
  ASSERT_TRUE(object.apply("me", "{'spec':{'volumes':[{'name':'v','emptyDir':{}}]}}"_json));
  EXPECT_EQ(object.document(), Json{"{'spec':{'volumes':[{'name':'v','emptyDir':{}}]}}"_json});
}

TEST(Apply, KeepsAFieldThatAnotherManagerAlsoOwns) {
  AppliedObject object = pod();
  ASSERT_TRUE(object.apply("a", "{'metadata':{'labels':{'shared':'1'}}}"_json));
  ASSERT_TRUE(object.apply("b", "{'metadata':{'labels':{'shared':'1'}}}"_json));
  ASSERT_TRUE(object.apply("a", "{'metadata':{}}"_json));
  EXPECT_EQ(object.document(), Json{"{'metadata':{'labels':{'shared':'1'}}}"_json});
  EXPECT_EQ(object.fields("a"), "");
}

TEST(Apply, AListItemIsKeptWhileAnotherManagerOwnsPartOfIt) {
  AppliedObject object = pod();
  ASSERT_TRUE(object.apply("a", "{'spec':{'containers':[{'name':'x','image':'i'}]}}"_json));
  ASSERT_TRUE(object.apply("b", "{'spec':{'containers':[{'name':'x','workingDir':'/'}]}}"_json));
  ASSERT_TRUE(object.apply("a", "{'spec':{}}"_json));
  EXPECT_EQ(object.document(), Json{"{'spec':{'containers':[{'name':'x','workingDir':'/'}]}}"_json});
}

TEST(Apply, DefaultsWithoutAnOwnerAreKeptAsLongAsTheirListItem) {
  AppliedObject object = pod();
  ASSERT_TRUE(object.apply("a", "{'spec':{'containers':[{'name':'x','image':'i'}]}}"_json));
  ASSERT_TRUE(object.apply("b", "{'spec':{'containers':[{'name':'x','workingDir':'/'}]}}"_json));
  object.exists("{'spec':{'containers':[{'name':'x','image':'i','workingDir':'/','imagePullPolicy':'Always'}]}}"_json);
  ASSERT_TRUE(object.apply("a", "{'spec':{}}"_json));
  EXPECT_EQ(object.document(),
            Json{"{'spec':{'containers':[{'name':'x','workingDir':'/','imagePullPolicy':'Always'}]}}"_json});
  ASSERT_TRUE(object.apply("b", "{'spec':{}}"_json));
  EXPECT_EQ(object.document(), Json{"{'spec':{}}"_json});
}

TEST(Apply, AChangeOfAFieldThatAnUpdaterOwnsIsAConflict) {
  AppliedObject object = deployment();
  ASSERT_TRUE(object.apply("me", "{'spec':{'replicas':1,'paused':true}}"_json));
  object.update("kubectl", "{'spec':{'replicas':5,'paused':true}}"_json);
  const auto answer = object.apply("me", "{'spec':{'replicas':1,'paused':true}}"_json);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, 409);
  EXPECT_EQ(answer.error().reason, "Conflict");
  EXPECT_EQ(answer.error().message,
            "Apply failed with 1 conflict: conflict with \"kubectl\" using apps/v1: .spec.replicas");
  ASSERT_EQ(answer.error().causes.size(), 1U);
  EXPECT_EQ(answer.error().causes[0].reason, "FieldManagerConflict");
  EXPECT_EQ(answer.error().causes[0].message, "conflict with \"kubectl\" using apps/v1");
  EXPECT_EQ(answer.error().causes[0].field, ".spec.replicas");
}

TEST(Apply, ReportsSeveralConflictsByManager) {
  AppliedObject object = pod();
  ASSERT_TRUE(object.apply("z", "{'metadata':{'labels':{'a':'1','b':'1'}}}"_json));
  ASSERT_TRUE(object.apply("y", "{'spec':{'containers':[{'name':'x','image':'1'}]}}"_json));
  const auto answer = object.apply(
      "me", "{'metadata':{'labels':{'a':'2','b':'2'}},'spec':{'containers':[{'name':'x','image':'2'}]}}"_json);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message,
            "Apply failed with 3 conflicts: conflicts with \"y\":\n- .spec.containers[name=\"x\"].image\n"
            "conflicts with \"z\":\n- .metadata.labels.a\n- .metadata.labels.b");
  EXPECT_EQ(answer.error().causes.size(), 3U);
}

TEST(Apply, ApplyingTheSameValueIsNotAConflict) {
  AppliedObject object = deployment();
  ASSERT_TRUE(object.apply("a", "{'spec':{'replicas':3}}"_json));
  ASSERT_TRUE(object.apply("b", "{'spec':{'replicas':3}}"_json));
  EXPECT_EQ(object.fields("a"), object.fields("b"));
}

TEST(Apply, ForceTakesOverTheOwnershipOfFields) {
  AppliedObject object = deployment();
  ASSERT_TRUE(object.apply("a", "{'spec':{'replicas':3,'paused':true}}"_json));
  ASSERT_TRUE(object.apply("b", "{'spec':{'replicas':4}}"_json, true));
  EXPECT_EQ(object.document(), Json{"{'spec':{'replicas':4,'paused':true}}"_json});
  EXPECT_EQ(object.fields("a"), R"({"f:spec":{"f:paused":{}}})");
  EXPECT_EQ(object.fields("b"), R"({"f:spec":{"f:replicas":{}}})");
}

TEST(Apply, FieldsFromBeforeTheFirstApplyHaveTheManagerBeforeFirstApply) {
  AppliedObject object = deployment();
  object.exists(
      "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'web','uid':'1','labels':{'a':'1'}},'spec':{'replicas':3}}"_json);
  const auto answer = object.apply("me", "{'spec':{'replicas':5}}"_json);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message,
            "Apply failed with 1 conflict: conflict with \"before-first-apply\" using apps/v1: .spec.replicas");
  ASSERT_TRUE(object.apply("me", "{'spec':{'replicas':3}}"_json));
  EXPECT_EQ(object.fields("before-first-apply"),
            R"({"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{".":{},"f:replicas":{}}})");
}

TEST(Apply, ListsKeepTheOrderOfTheConfiguration) {
  AppliedObject object = pod();
  object.exists("{'spec':{'containers':[{'name':'a'},{'name':'b'},{'name':'c'}]}}"_json);
  ASSERT_TRUE(object.apply("me", "{'spec':{'containers':[{'name':'c'},{'name':'n'},{'name':'a'}]}}"_json));
  const json::value document = object.document().value;
  std::vector<std::string> names;
  for (const json::value& container : document.at("spec").at("containers").get_array()) {
    names.emplace_back(container.at("name").get_string());
  }
  EXPECT_THAT(names, ElementsAre("b", "c", "n", "a"));
}

TEST(Apply, PortsWithDifferentProtocolsAreDifferentItems) {
  AppliedObject object{api::Service::descriptor(), "v1"};
  ASSERT_TRUE(object.apply("a", "{'spec':{'ports':[{'port':53,'protocol':'UDP','name':'u'}]}}"_json));
  ASSERT_TRUE(object.apply("b", "{'spec':{'ports':[{'port':53,'name':'t'}]}}"_json));
  EXPECT_EQ(object.document().value.at("spec").at("ports").get_array().size(), 2U);
}

TEST(Apply, AtomicMapsAndListsBelongToOneManagerAsAWhole) {
  AppliedObject object = pod();
  ASSERT_TRUE(object.apply("a", "{'spec':{'nodeSelector':{'x':'1'},'tolerations':[{'key':'t'}]}}"_json));
  const auto answer = object.apply("b", "{'spec':{'nodeSelector':{'y':'1'},'tolerations':[{'key':'u'}]}}"_json);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("- .spec.nodeSelector\n- .spec.tolerations"));
  ASSERT_TRUE(object.apply("b", "{'spec':{'nodeSelector':{'y':'1'}}}"_json, true));
  EXPECT_EQ(Json{object.document().value.at("spec").at("nodeSelector")}, Json{"{'y':'1'}"_json});
}

TEST(Apply, EachValueOfASetHasItsOwnOwners) {
  AppliedObject object = pod();
  ASSERT_TRUE(object.apply("a", "{'metadata':{'finalizers':['x','y']}}"_json));
  ASSERT_TRUE(object.apply("b", "{'metadata':{'finalizers':['y','z']}}"_json));
  ASSERT_TRUE(object.apply("a", "{'metadata':{}}"_json));
  EXPECT_EQ(object.document(), Json{"{'metadata':{'finalizers':['y','z']}}"_json});
  EXPECT_EQ(object.fields("b"), R"({"f:metadata":{"f:finalizers":{"v:\"y\"":{},"v:\"z\"":{}}}})");
}

TEST(Apply, WithoutASchemaMapsAreGranularAndListsAreAtomic) {
  AppliedObject object = custom();
  ASSERT_TRUE(
      object.apply("a", "{'metadata':{'finalizers':['f']},'spec':{'limits':{'cpu':1},'list':[{'name':'x'}]}}"_json));
  EXPECT_EQ(
      object.fields("a"),
      R"({"f:metadata":{"f:finalizers":{"v:\"f\"":{}}},"f:spec":{".":{},"f:limits":{".":{},"f:cpu":{}},"f:list":{}}})");
  ASSERT_TRUE(object.apply("b", "{'spec':{'limits':{'memory':2}}}"_json));
  const auto answer = object.apply("b", "{'spec':{'limits':{'memory':2},'list':[{'name':'y'}]}}"_json);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "Apply failed with 1 conflict: conflict with \"a\": .spec.list");
  ASSERT_TRUE(object.apply("a", "{'metadata':{}}"_json));
  EXPECT_EQ(object.document(), Json{"{'metadata':{},'spec':{'limits':{'memory':2}}}"_json});
}

TEST(Apply, TheTimeOfAManagerChangesOnlyWithTheObject) {
  AppliedObject object = deployment();
  ASSERT_TRUE(object.apply("me", "{'spec':{'replicas':3}}"_json));
  object.set_time("2024-02-02T00:00:00Z");
  const std::string before = object.managed();
  ASSERT_TRUE(object.apply("me", "{'spec':{'replicas':3}}"_json));
  EXPECT_EQ(object.managed(), before);
  ASSERT_TRUE(object.apply("me", "{'spec':{'replicas':4}}"_json));
  EXPECT_THAT(object.entry("me"), HasSubstr("2024-02-02T00:00:00Z"));
}

TEST(Apply, AnApplyToTheStatusHasItsOwnEntry) {
  AppliedObject object = deployment();
  ASSERT_TRUE(object.apply("me", "{'spec':{'replicas':3},'status':{'replicas':7}}"_json));
  EXPECT_EQ(object.fields("me"), R"({"f:spec":{"f:replicas":{}}})");
  ASSERT_TRUE(object.apply("me", "{'spec':{'replicas':9},'status':{'replicas':2}}"_json, false, "status"));
  EXPECT_THAT(object.managed(), HasSubstr(R"("fieldsV1":{"f:status":{"f:replicas":{}}},"subresource":"status"})"));
  EXPECT_THAT(object.managed(), HasSubstr(R"("fieldsV1":{"f:spec":{"f:replicas":{}}}})"));
}

TEST(Apply, KubectlTakesOverTheFieldsOfClientSideApplyWithoutAConflict) {
  AppliedObject object = deployment();
  object.update(
      "kubectl-client-side-apply",
      json::object{{"metadata",
                    json::object{{"annotations", json::object{{"kubectl.kubernetes.io/last-applied-configuration",
                                                               R"({"apiVersion":"apps/v1","spec":{"replicas":3}})"}}}}},
                   {"spec", json::object{{"replicas", 3}, {"paused", true}}}});
  EXPECT_FALSE(object.apply("another-manager", "{'spec':{'replicas':5}}"_json));
  EXPECT_FALSE(object.apply("kubectl", "{'spec':{'replicas':5,'paused':false}}"_json));
  ASSERT_TRUE(object.apply("kubectl", "{'apiVersion':'apps/v1','spec':{'replicas':5}}"_json));
  EXPECT_EQ(
      object.document().value.at_pointer("/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration"),
      "{\"apiVersion\":\"apps/v1\",\"spec\":{\"replicas\":5}}\n");
}

TEST(Apply, RejectsInvalidConfigurations) {
  const auto refusal = [](const json::value& config, ApplyOptions options) {
    return server_side_apply(nullptr, config, "", options, api::Pod::descriptor()).error();
  };
  ApplyOptions options{"me"};
  options.api_version = "v1";
  options.kind = "Pod";
  EXPECT_EQ(refusal("{'apiVersion':'apps/v1','kind':'Deployment'}"_json, options).message,
            "invalid object type: apps/v1, Kind=Deployment");
  EXPECT_EQ(refusal("{'apiVersion':'v1','kind':'Node'}"_json, options).message, "invalid object type: /v1, Kind=Node");
  EXPECT_EQ(refusal("{'apiVersion':'v1','kind':'Pod','metadata':{'managedFields':[]}}"_json, options).message,
            "metadata.managedFields must be nil");
  EXPECT_EQ(refusal("{'apiVersion':'v1','kind':'Pod','spec':{'containers':[{'name':'a'},{'name':'a'}]}}"_json, options)
                .message,
            "failed to create typed patch object: .spec.containers: duplicate entries for key [name=\"a\"]");
  EXPECT_THAT(refusal("{'apiVersion':'v1','kind':'Pod','spec':{'containers':[{'image':'a'}]}}"_json, options).message,
              HasSubstr(".spec.containers: element 0: "));
  options.manager.clear();
  EXPECT_EQ(refusal("{}"_json, options).code, 422);
}

}  // namespace
}  // namespace rescheduler::sim
