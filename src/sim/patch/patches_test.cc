#include "sim/patch/patches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "sim/patch/json_literal.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;
using kube::PatchKind;
using testing::HasSubstr;

PatchRequest request(PatchKind kind, std::string_view text) {
  PatchRequest made{kind, text};
  made.schema = api::Pod::descriptor();
  made.options.manager = "test";
  made.options.api_version = "v1";
  made.options.kind = "Pod";
  return made;
}

TEST(PatchDocument, DispatchesByKind) {
  const json::value live = "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}"_json;
  const std::string change = R"({"spec":{"containers":[{"name":"a","image":"x"}]}})";
  EXPECT_EQ(Json{patch_document(&live, request(PatchKind::Merge, change))->object},
            Json{"{'spec':{'containers':[{'name':'a','image':'x'}]}}"_json});
  EXPECT_EQ(Json{patch_document(&live, request(PatchKind::StrategicMerge, change))->object},
            Json{"{'spec':{'containers':[{'name':'a','image':'x'},{'name':'b'}]}}"_json});
  EXPECT_EQ(
      Json{patch_document(&live, request(PatchKind::Json, R"([{"op":"remove","path":"/spec/containers/0"}])"))->object},
      Json{"{'spec':{'containers':[{'name':'b'}]}}"_json});
}

TEST(PatchDocument, AMergePatchDoesNotChangeManagedFields) {
  const json::value live = "{'spec':{}}"_json;
  PatchRequest merge = request(PatchKind::Merge, "{}");
  merge.managed_fields = "[]";
  EXPECT_EQ(patch_document(&live, merge)->managed_fields, "[]");
}

TEST(PatchDocument, AppliesYaml) {
  const char* yaml = R"(
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {version: "2"}
spec:
  terminationGracePeriodSeconds: 5
  hostNetwork: true
  nodeName: null
  containers:
  - name: web
    image: nginx:1.2
)";
  const auto applied = patch_document(nullptr, request(PatchKind::Apply, yaml));
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(Json{applied->object},
            Json{"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'web','labels':{'version':'2'}},"
                 "'spec':{'terminationGracePeriodSeconds':5,'hostNetwork':true,'nodeName':null,"
                 "'containers':[{'name':'web','image':'nginx:1.2'}]}}"_json});
  EXPECT_THAT(applied->managed_fields, HasSubstr(R"("manager":"test","operation":"Apply")"));
}

TEST(PatchDocument, RejectsInvalidPatchesLikeKubernetes) {
  const json::value live = "{'spec':{'containers':[{'name':'a'}]}}"_json;
  struct Case {
    PatchKind kind;
    const char* text;
    int code;
    const char* reason;
    const char* message;
  };
  const Case cases[] = {
      {PatchKind::Merge, "{", 400, "BadRequest", "error decoding patch: line 1, column 2: "},
      {PatchKind::Json, "nonsense", 400, "BadRequest", "error decoding patch: "},
      {PatchKind::Json, "{}", 400, "BadRequest", "a JSON patch is an array of operations"},
      {PatchKind::Merge, "[]", 400, "BadRequest", "the patch is not an object"},
      {PatchKind::Apply, "a: [", 400, "BadRequest", "error decoding patch: the body: line"},
      {PatchKind::Apply, "just a text", 400, "BadRequest", "error decoding patch: "},
      {PatchKind::Json, R"([{"op":"test","path":"/spec/a","value":1}])", 422, "Invalid",
       "the server rejected our request due to an error in our request"},
      {PatchKind::Json, R"([{"op":"remove","path":"/status"}])", 422, "Invalid",
       "the server rejected our request due to an error in our request"},
      {PatchKind::Json, R"([{"op":"replace","path":"","value":[]}])", 422, "Invalid", "the server rejected"},
      {PatchKind::StrategicMerge, R"({"spec":{"containers":[[]]}})", 422, "Invalid", "the server rejected"},
      {PatchKind::StrategicMerge, R"({"spec":{"$retainKeys":1}})", 400, "BadRequest",
       "invalid patch format of retainKeys"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.text);
    const auto answer = patch_document(&live, request(one.kind, one.text));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, one.code);
    EXPECT_EQ(answer.error().reason, one.reason);
    EXPECT_THAT(answer.error().message, HasSubstr(one.message));
  }
}

TEST(PatchDocument, RejectsAStrategicMergeForCustomKinds) {
  const json::value live = "{}"_json;
  PatchRequest strategic{PatchKind::StrategicMerge, "{}"};
  strategic.custom = true;
  const auto answer = patch_document(&live, strategic);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, 415);
  EXPECT_EQ(answer.error().message,
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
}

}  // namespace
}  // namespace rescheduler::sim
