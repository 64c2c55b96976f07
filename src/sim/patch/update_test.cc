// Field ownership after writes that are not an apply.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/apps.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "sim/patch/apply_fixture.h"

namespace rescheduler::sim {
namespace {

using testing::HasSubstr;
using testing::Not;

AppliedObject deployment() { return {api::Deployment::descriptor(), "apps/v1"}; }

TEST(NoteUpdate, TracksTheFieldsOfACreation) {
  AppliedObject object = deployment();
  object.update(
      "kubectl-create",
      "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'web','namespace':'x','uid':'1','creationTimestamp':'t','labels':{'a':'1'}},'spec':{'replicas':3}}"_json);
  EXPECT_EQ(
      object.entry("kubectl-create"),
      R"({"manager":"kubectl-create","operation":"Update","apiVersion":"apps/v1","time":"2024-01-01T00:00:00Z",)"
      R"("fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{".":{},"f:replicas":{}}}})");
}

TEST(NoteUpdate, LeavesUntrackedObjectsUntracked) {
  AppliedObject object = deployment();
  object.exists("{'spec':{'replicas':1}}"_json);
  object.update("me", "{'spec':{'replicas':2}}"_json);
  EXPECT_EQ(object.managed(), "");
}

TEST(NoteUpdate, ChangedFieldsBelongToTheUpdater) {
  AppliedObject object = deployment();
  ASSERT_TRUE(object.apply("a", "{'metadata':{'labels':{'x':'1','y':'1'}},'spec':{'replicas':1}}"_json));
  object.update("hpa", "{'metadata':{'labels':{'x':'1','z':'1'}},'spec':{'replicas':2}}"_json);
  EXPECT_EQ(object.fields("a"), R"({"f:metadata":{"f:labels":{"f:x":{}}}})");
  EXPECT_EQ(object.fields("hpa"), R"({"f:metadata":{"f:labels":{"f:z":{}}},"f:spec":{"f:replicas":{}}})");
}

TEST(NoteUpdate, SeveralUpdatesOfOneManagerShareOneEntry) {
  AppliedObject object = deployment();
  object.update("me", "{'spec':{'replicas':1}}"_json);
  object.set_time("2024-02-02T00:00:00Z");
  object.update("me", "{'spec':{'replicas':1,'paused':true}}"_json);
  EXPECT_EQ(object.fields("me"), R"({"f:spec":{".":{},"f:paused":{},"f:replicas":{}}})");
  EXPECT_THAT(object.entry("me"), HasSubstr("2024-02-02"));
}

TEST(NoteUpdate, AWriteWithoutChangesDoesNotChangeManagedFields) {
  AppliedObject object = deployment();
  object.update("me", "{'spec':{'replicas':1}}"_json);
  const std::string before = object.managed();
  object.set_time("2024-02-02T00:00:00Z");
  object.update("other", "{'spec':{'replicas':1},'metadata':{'resourceVersion':'7','generation':2}}"_json);
  EXPECT_EQ(object.managed(), before);
}

TEST(NoteUpdate, RemovedFieldsHaveNoOwners) {
  AppliedObject object = deployment();
  ASSERT_TRUE(object.apply(
      "a", "{'spec':{'replicas':1,'template':{'spec':{'containers':[{'name':'x','image':'i'},{'name':'y'}]}}}}"_json));
  ASSERT_TRUE(object.apply("b", "{'spec':{'template':{'spec':{'containers':[{'name':'y'}]}}}}"_json));
  object.update("c", "{'spec':{'replicas':1,'template':{'spec':{'containers':[{'name':'x','image':'i'}]}}}}"_json);
  EXPECT_EQ(object.fields("b"), "");
  EXPECT_THAT(object.fields("a"), Not(HasSubstr("\\\"y\\\"")));
  EXPECT_EQ(object.fields("c"), "");
}

TEST(NoteUpdate, TheFormerFieldsOfAMapThatBecomesAValueHaveNoOwners) {
  AppliedObject object{nullptr, "example.com/v1"};
  ASSERT_TRUE(object.apply("a", "{'spec':{'limit':{'cpu':1}}}"_json));
  object.update("b", "{'spec':{'limit':7}}"_json);
  EXPECT_EQ(object.fields("a"), R"({"f:spec":{}})");
  EXPECT_EQ(object.fields("b"), R"({"f:spec":{"f:limit":{}}})");
}

TEST(NoteUpdate, AStatusUpdateHasItsOwnEntry) {
  AppliedObject object{api::Pod::descriptor(), "v1"};
  object.update("kubelet", "{'spec':{'nodeName':'n'}}"_json);
  object.update(
      "kubelet",
      "{'spec':{'nodeName':'n'},'status':{'phase':'Running','conditions':[{'type':'Ready','status':'True'}]}}"_json,
      "status");
  EXPECT_THAT(
      object.managed(),
      HasSubstr(
          R"("fieldsV1":{"f:status":{".":{},"f:conditions":{".":{},"k:{\"type\":\"Ready\"}":{".":{},"f:status":{},"f:type":{}}},"f:phase":{}}},"subresource":"status"})"));
  EXPECT_THAT(object.managed(), HasSubstr(R"("fieldsV1":{"f:spec":{".":{},"f:nodeName":{}}}})"));
}

TEST(NoteUpdate, ListItemsWithTheSameKeyAreOwnedAsOneValue) {
  AppliedObject object{api::Pod::descriptor(), "v1"};
  object.update("a", "{'spec':{'containers':[{'name':'x','env':[{'name':'E','value':'1'}]}]}}"_json);
  object.update(
      "b", "{'spec':{'containers':[{'name':'x','env':[{'name':'E','value':'1'},{'name':'E','value':'2'}]}]}}"_json);
  EXPECT_THAT(object.fields("b"), HasSubstr(R"("k:{\"name\":\"E\"}":{})"));
  EXPECT_THAT(object.fields("a"), Not(HasSubstr("f:value")));
}

TEST(NoteUpdate, TheOldestUpdatersAreMergedIntoAncientChanges) {
  AppliedObject object = deployment();
  boost::json::value document = "{'metadata':{'labels':{}}}"_json;
  for (int i = 0; i < 12; ++i) {
    object.set_time("2024-01-01T00:00:" + std::to_string(10 + i) + "Z");
    document.at("metadata").at("labels").get_object()["l" + std::to_string(i)] = "1";
    object.update("m" + std::to_string(i), document);
  }
  EXPECT_EQ(boost::json::parse(object.managed()).get_array().size(), 10U);
  EXPECT_THAT(object.entry("ancient-changes"), HasSubstr("2024-01-01T00:00:12Z"));
  EXPECT_THAT(object.fields("ancient-changes"), HasSubstr(R"("f:l0":{},"f:l1":{},"f:l2":{})"));
  EXPECT_EQ(object.fields("m1"), "");
  EXPECT_NE(object.fields("m11"), "");
}

}  // namespace
}  // namespace rescheduler::sim
