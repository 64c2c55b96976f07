#include "kube/discovery/server_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::kube {
namespace {

using test::ScriptedApi;
using test::VirtualTime;
using testing::HasSubstr;

TEST(ServerVersion, IsReadFromEveryFormThatServersUse) {
  struct Case {
    const char* json;
    int major, minor;
  };
  const Case cases[] = {
      {R"({"major":"1","minor":"36","gitVersion":"v1.36.1","goVersion":"go1.26"})", 1, 36},
      {R"({"major":"1","minor":"24+","gitVersion":"v1.24.17-eks-1"})", 1, 24},
      {R"({"major":"","minor":"","gitVersion":"v1.30.2+k3s1"})", 1, 30},
      {R"({"gitVersion":"v2.1.0"})", 2, 1},
  };
  for (const Case& c : cases) {
    const auto version = parse_server_version(c.json);
    ASSERT_TRUE(version) << c.json;
    EXPECT_EQ(version->major, c.major) << c.json;
    EXPECT_EQ(version->minor, c.minor) << c.json;
  }
  for (const char* nonsense : {"", "[]", "{}", R"({"major":"one","minor":"two","gitVersion":"dev"})", "<html>"}) {
    EXPECT_FALSE(parse_server_version(nonsense)) << nonsense;
  }
}

TEST(ServerVersion, AnOldVersionIsRefusedAndANewVersionOnlyGivesAWarning) {
  EXPECT_FALSE(check_supported(ServerVersion{1, 23, "v1.23.9"}));
  EXPECT_THAT(check_supported(ServerVersion{1, 23, "v1.23.9"}).error().message, HasSubstr("needs 1.24"));
  EXPECT_EQ(*check_supported(ServerVersion{1, 24, ""}), std::nullopt);
  EXPECT_EQ(*check_supported(ServerVersion{1, 36, ""}), std::nullopt);
  EXPECT_THAT(check_supported(ServerVersion{1, 37, "v1.37.0"})->value(), HasSubstr("newer"));
  EXPECT_TRUE(check_supported(ServerVersion{2, 0, "v2.0.0"})->has_value());
}

struct Server {
  Result<ServerResources> discover() { return time.loop.await_result(discover_resources(api)); }
  ScriptedApi api;
  VirtualTime time;
};

constexpr const char* kCore = R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},
  "items":[{"metadata":{},"versions":[{"version":"v1","freshness":"Current","resources":[
    {"resource":"pods","scope":"Namespaced","verbs":["get","list","watch"],"subresources":[
      {"subresource":"eviction","verbs":["create"]}]}]}]}]})";

TEST(Discovery, TakesTwoRequestsWhenTheServerAggregates) {
  Server server;
  server.api.serve_text("/api", std::string(kCore));
  server.api.serve_text("/apis",
                        std::string(R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2beta1",
    "items":[{"metadata":{"name":"policy"},"versions":[{"version":"v1","resources":[
      {"resource":"poddisruptionbudgets","verbs":["get"]}]}]}]})"));
  const auto found = server.discover();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(server.api.calls().size(), 2u);
  EXPECT_THAT(server.api.accepted()[0], testing::StartsWith("application/json;g=apidiscovery.k8s.io;v=v2;"));
  EXPECT_TRUE(found->has("", "v1", "pods"));
  EXPECT_TRUE(found->has("", "v1", "pods/eviction"));
  EXPECT_TRUE(found->allows("", "v1", "pods", "watch"));
  EXPECT_FALSE(found->allows("", "v1", "pods", "create"));
  EXPECT_TRUE(found->has("policy", "v1", "poddisruptionbudgets"));
  EXPECT_FALSE(found->has("policy", "v1beta1", "poddisruptionbudgets"));
  EXPECT_FALSE(found->has("metrics.k8s.io", "v1beta1", "nodes"));
  EXPECT_TRUE(found->uncertainties().empty());
}

TEST(Discovery, ReportsAStaleGroupAsUncertain) {
  Server server;
  server.api.serve_text("/api", std::string(kCore));
  server.api.serve_text("/apis", std::string(R"({"kind":"APIGroupDiscoveryList","items":[
    {"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"Stale"}]},
    {"metadata":{"name":"apps"},"versions":[{"version":"v1","resources":[{"resource":"deployments","verbs":["get"]}]}]}]})"));
  const auto found = server.discover();
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_uncertain("metrics.k8s.io", "v1beta1"));
  EXPECT_FALSE(found->is_uncertain("apps", "v1"));
  EXPECT_TRUE(found->has("apps", "v1", "deployments"));
}

void serve_old_form(ScriptedApi& api) {
  api.serve_text("/api", std::string(R"({"kind":"APIVersions","versions":["v1"]})"));
  api.serve_text("/apis", std::string(R"({"kind":"APIGroupList","apiVersion":"v1","groups":[
    {"name":"metrics.k8s.io","versions":[{"groupVersion":"metrics.k8s.io/v1beta1","version":"v1beta1"}]},
    {"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}]}]})"));
  api.serve_text("/api/v1", std::string(R"({"kind":"APIResourceList","groupVersion":"v1","resources":[
    {"name":"pods","namespaced":true,"kind":"Pod","verbs":["get","list"]},
    {"name":"pods/eviction","namespaced":true,"kind":"Eviction","verbs":["create"]}]})"));
  api.serve_text("/apis/apps/v1", std::string(R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1",
    "resources":[{"name":"deployments","verbs":["get"]}]})"));
}

TEST(Discovery, ABrokenGroupDoesNotBreakUnaggregatedDiscoveryOfTheOtherGroups) {
  for (const Result<std::string>& broken :
       {Result<std::string>(fail(Errc::Unavailable, "503")), Result<std::string>("<html>gateway</html>")}) {
    Server server;
    serve_old_form(server.api);
    server.api.serve_text("/apis/metrics.k8s.io/v1beta1", broken);
    const auto found = server.discover();
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_TRUE(found->allows("", "v1", "pods", "list"));
    EXPECT_TRUE(found->has("", "v1", "pods/eviction"));
    EXPECT_TRUE(found->has("apps", "v1", "deployments")) << "listed after the broken group";
    EXPECT_TRUE(found->is_uncertain("metrics.k8s.io", "v1beta1"));
    ASSERT_EQ(found->uncertainties().size(), 1u);
    EXPECT_THAT(found->uncertainties()[0], testing::StartsWith("metrics.k8s.io/v1beta1: "));
  }
}

TEST(Discovery, FailsWhenTheServerDoesNotAnswer) {
  for (const std::size_t call : {0u, 1u}) {
    Server server;
    serve_old_form(server.api);
    server.api.serve_text("/api", std::string(kCore));
    server.api.fail_calls(call, 1, Error{Errc::Unavailable, "connection refused", {}, 0});
    const auto found = server.discover();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Errc::Unavailable);
  }
}

TEST(Discovery, RefusesAnAnswerThatIsNoDiscoveryDocument) {
  for (const char* text : {R"({"kind":"Status","status":"Failure"})", "[]", "{}", "hello", R"({"kind":7})"}) {
    Server server;
    server.api.serve_text("/api", std::string(text));
    const auto found = server.discover();
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().code, Errc::Invalid) << text;
  }
}

}  // namespace
}  // namespace rescheduler::kube
