#include "kube/client/request.h"

#include <gtest/gtest.h>

#include "kube/codec/protobuf.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::kube {
namespace {

ApiCall call_on(const ResourceType& resource, Verb verb, std::string ns, std::string name) {
  ApiCall call;
  call.verb = verb;
  call.resource = &resource;
  call.ns = std::move(ns);
  call.name = std::move(name);
  return call;
}

TEST(Request, PathsFollowGroupScopeAndSubresource) {
  EXPECT_EQ(resource_path(call_on(resource_of<api::Pod>(), Verb::Get, "web", "a")), "/api/v1/namespaces/web/pods/a");
  EXPECT_EQ(resource_path(call_on(resource_of<api::Pod>(), Verb::List, "", "")), "/api/v1/pods");
  EXPECT_EQ(resource_path(call_on(resource_of<api::Node>(), Verb::Get, "", "n1")), "/api/v1/nodes/n1");
  ApiCall scale = call_on(resource_of<api::Deployment>(), Verb::Update, "web", "api");
  scale.subresource = "scale";
  EXPECT_EQ(resource_path(scale), "/apis/apps/v1/namespaces/web/deployments/api/scale");
  EXPECT_EQ(describe(scale), "update deployments.apps/scale web/api");
}

TEST(Request, ListSelectorsAreEncodedInTheQuery) {
  ApiCall call = call_on(resource_of<api::Pod>(), Verb::List, "web", "");
  call.label_selector = "app in (a,b)";
  call.field_selector = "spec.nodeName=n1";
  call.limit = 500;
  call.continue_token = "x/y=";
  const auto request = http_request_for(call, "/prefix");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->method, "GET");
  EXPECT_EQ(request->target,
            "/prefix/api/v1/namespaces/web/pods?labelSelector=app%20in%20%28a%2Cb%29&fieldSelector=spec.nodeName%3Dn1"
            "&limit=500&continue=x%2Fy%3D");
  EXPECT_EQ(request->headers.get("accept"), "application/vnd.kubernetes.protobuf,application/json");
}

TEST(Request, AStreamingListIsAWatchWithInitialEvents) {
  ApiCall call = call_on(resource_of<api::Pod>(), Verb::Watch, "", "");
  call.send_initial_events = true;
  call.resource_version_match = "NotOlderThan";
  call.watch_for = std::chrono::seconds{300};
  const auto request = http_request_for(call, "");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->target,
            "/api/v1/pods?resourceVersionMatch=NotOlderThan&watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
            "&timeoutSeconds=300");
  EXPECT_EQ(request->headers.get("Accept"),
            "application/vnd.kubernetes.protobuf;stream=watch,application/json;stream=watch");
}

TEST(Request, WritesCarryTheFieldManagerAndDryRun) {
  api::Pod pod;
  pod.mutable_metadata()->set_name("a");
  ApiCall call = call_on(resource_of<api::Pod>(), Verb::Create, "web", "");
  call.body = &pod;
  call.field_manager = "rescheduler";
  call.dry_run = true;
  const auto request = http_request_for(call, "");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "POST");
  EXPECT_EQ(request->target, "/api/v1/namespaces/web/pods?fieldManager=rescheduler&dryRun=All");
  EXPECT_EQ(request->headers.get("Content-Type"), "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(request->body, encode_protobuf(pod));
}

TEST(Request, EachKindOfPatchHasItsMediaType) {
  ApiCall call = call_on(resource_of<api::Node>(), Verb::Patch, "", "n1");
  call.patch = "{}";
  const std::pair<PatchKind, std::string_view> kinds[] = {
      {PatchKind::Json, "application/json-patch+json"},
      {PatchKind::Merge, "application/merge-patch+json"},
      {PatchKind::StrategicMerge, "application/strategic-merge-patch+json"},
      {PatchKind::Apply, "application/apply-patch+yaml"},
  };
  for (const auto& [kind, media] : kinds) {
    call.patch_kind = kind;
    call.force = true;
    const auto request = http_request_for(call, "");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->headers.get("Content-Type"), media);
    EXPECT_EQ(request->target, kind == PatchKind::Apply ? "/api/v1/nodes/n1?force=true" : "/api/v1/nodes/n1");
  }
}

TEST(Request, ANameThatWouldChangeThePathIsRefused) {
  for (const char* name : {"a/b", "..", "."}) {
    const auto request = http_request_for(call_on(resource_of<api::Pod>(), Verb::Delete, "web", name), "");
    ASSERT_FALSE(request) << name;
    EXPECT_EQ(request.error().code, Errc::Invalid);
  }
  EXPECT_FALSE(http_request_for(call_on(resource_of<api::Pod>(), Verb::Get, "../kube-system", "a"), ""));
}

TEST(Request, ADeleteWithAnEmptyNameIsRefused) {
  const auto request = http_request_for(call_on(resource_of<api::Pod>(), Verb::Delete, "web", ""), "");
  ASSERT_FALSE(request) << "a delete without a name would delete the whole collection";
  EXPECT_EQ(request.error().message, "delete pods in web needs the name of an object, and it is empty");
}

}  // namespace
}  // namespace rescheduler::kube
