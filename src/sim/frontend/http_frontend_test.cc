// Features of the HTTP frontend only: paths, methods, media types, request bodies and response bytes.
#include "sim/frontend/http_frontend.h"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/codec/codec.h"
#include "kube/codec/list_reader.h"
#include "kube/codec/protobuf.h"
#include "sim/frontend/frontend_objects.h"
#include "sim/frontend/frontend_rig.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kMaps = "/api/v1/namespaces/web/configmaps";

class HttpFrontendTest : public testing::Test {
 protected:
  HttpFrontendTest() {
    net::HttpClientSettings settings;
    settings.origin = {false, "127.0.0.1", rig_.frontend->port()};
    auto made = net::make_http_client(rig_.loop.executor(), settings);
    EXPECT_TRUE(made);
    http_ = std::move(*made);
    rig_.run_on_server_thread([this] {
      api::Namespace ns;
      ns.mutable_metadata()->set_name("web");
      EXPECT_TRUE(rig_.server.create(ns));
      EXPECT_TRUE(rig_.server.create(map_of("a", "1", "x")));
      EXPECT_TRUE(rig_.server.create(map_of("b", "2", "y")));
    });
  }
  ~HttpFrontendTest() override {
    rig_.run_on_server_thread([this] { http_.reset(); });
  }

  net::HttpResponse ask(net::HttpRequest request) {
    auto response = rig_.await(http_->send(std::move(request), std::chrono::seconds{30}));
    EXPECT_TRUE(response) << response.error().message;
    return response ? *response : net::HttpResponse{};
  }
  net::HttpResponse get(const std::string& target, const std::string& accept = "application/json") {
    net::HttpRequest request;
    request.target = target;
    request.headers.set("Accept", accept);
    return ask(std::move(request));
  }
  net::HttpResponse send(const std::string& method,
                         const std::string& target,
                         const std::string& type,
                         const std::string& body) {
    net::HttpRequest request;
    request.method = method;
    request.target = target;
    request.headers.set("Content-Type", type);
    request.headers.set("User-Agent", "tester/1.0 (linux)");
    request.body = body;
    return ask(std::move(request));
  }
  static json::value parsed(const net::HttpResponse& response) {
    json::error_code error;
    json::value value = json::parse(response.body, error);
    EXPECT_FALSE(error) << response.body;
    return value;
  }
  static std::string reason(const net::HttpResponse& response) {
    const json::value status = parsed(response);
    EXPECT_EQ(status.at("kind"), "Status");
    EXPECT_EQ(status.at("code"), response.status);
    return json::value_to<std::string>(status.at("reason"));
  }

  HttpsRig rig_;
  std::unique_ptr<net::HttpClient> http_;
};

TEST_F(HttpFrontendTest, UnknownResourcesOfKnownGroupsGetANotFoundStatus) {
  for (const char* path : {"/api/v2/pods", "/api/v1/gadgets", "/apis/apps/v2/deployments", "/apis/apps/v2",
                           "/api/v1/namespaces/web/nodes", "/api/v1/pods/p"}) {
    EXPECT_EQ(reason(get(path)), "NotFound") << path;
  }
}

TEST_F(HttpFrontendTest, UnknownPathsGetA404InPlainText) {
  for (const char* path : {"/", "/nowhere", "/apis/no.such.group", "/apis/no.such.group/v1/things"}) {
    const auto answer = get(path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_EQ(answer.body, "404 page not found\n") << path;
  }
}

TEST_F(HttpFrontendTest, UnsupportedMethodsOfAResourceAreNotAllowed) {
  EXPECT_EQ(reason(send("PUT", kMaps, "application/json", "{}")), "MethodNotAllowed");
  EXPECT_EQ(reason(send("POST", std::string(kMaps) + "/a", "application/json", "{}")), "MethodNotAllowed");
  EXPECT_EQ(reason(send("DELETE", "/api/v1/configmaps", "application/json", "")), "MethodNotAllowed");
  EXPECT_EQ(reason(send("DELETE", "/api/v1/namespaces", "application/json", "")), "MethodNotAllowed");
  EXPECT_EQ(reason(get("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")), "MethodNotAllowed");
}

TEST_F(HttpFrontendTest, UnsupportedMediaTypesAreRejectedForRequestsAndResponses) {
  EXPECT_EQ(reason(get(kMaps, "text/html")), "NotAcceptable");
  EXPECT_EQ(reason(send("POST", kMaps, "text/html", "<p>")), "UnsupportedMediaType");
  EXPECT_EQ(reason(send("PATCH", std::string(kMaps) + "/a", "application/json", "{}")), "UnsupportedMediaType");
  const auto roles =
      send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", "application/vnd.kubernetes.protobuf", "k8s");
  EXPECT_EQ(reason(roles), "UnsupportedMediaType");
}

TEST_F(HttpFrontendTest, TheResponseUsesThePreferredSupportedMediaType) {
  EXPECT_EQ(get(kMaps, "text/html, application/vnd.kubernetes.protobuf, application/json").headers.get("Content-Type"),
            "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(get(kMaps, "application/vnd.kubernetes.protobuf;q=0.1, application/json").headers.get("Content-Type"),
            "application/json");
  EXPECT_EQ(get(kMaps, "*/*").headers.get("Content-Type"), "application/json");
  // A kind without a protobuf form falls back to JSON.
  EXPECT_EQ(
      get("/apis/rbac.authorization.k8s.io/v1/clusterroles", "application/vnd.kubernetes.protobuf,application/json")
          .headers.get("Content-Type"),
      "application/json");
}

TEST_F(HttpFrontendTest, ListsInProtobufAndJsonContainTheSameObjects) {
  const auto packed = get(kMaps, "application/vnd.kubernetes.protobuf");
  std::vector<std::string> names;
  const auto read = kube::read_list<api::ConfigMap>(kube::Encoding::Protobuf, packed.body, kube::UnknownFields::Refuse,
                                                    [&names](std::unique_ptr<api::ConfigMap> map) -> Result<void> {
                                                      names.push_back(map->metadata().name());
                                                      return {};
                                                    });
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(names, testing::ElementsAre("a", "b"));
  const json::value list = parsed(get(kMaps));
  EXPECT_EQ(list.at("kind"), "ConfigMapList");
  EXPECT_EQ(list.at("items").as_array().size(), 2U);
  EXPECT_EQ(list.at("items").at(0).at("data").at("v"), "1");
  EXPECT_FALSE(list.at("items").at(0).as_object().contains("kind"));
  EXPECT_EQ(list.at("metadata").at("resourceVersion").as_string(), read->resource_version);
}

TEST_F(HttpFrontendTest, PagesHaveAContinueTokenAndTheRemainingItemCount) {
  const json::value page = parsed(get(std::string(kMaps) + "?limit=1"));
  EXPECT_EQ(page.at("items").as_array().size(), 1U);
  EXPECT_EQ(page.at("metadata").at("remainingItemCount"), 1);
  const std::string token = json::value_to<std::string>(page.at("metadata").at("continue"));
  const json::value rest = parsed(get(fmt::format("{}?limit=1&continue={}", kMaps, net::percent_encode(token))));
  EXPECT_EQ(rest.at("items").at(0).at("metadata").at("name"), "b");
  EXPECT_FALSE(rest.at("metadata").as_object().contains("continue"));
  EXPECT_EQ(reason(get(std::string(kMaps) + "?limit=many")), "BadRequest");
}

TEST_F(HttpFrontendTest, TablesAreReturnedForReadsButNotForDeletes) {
  const std::string table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
  const json::value listed = parsed(get(kMaps, table));
  EXPECT_EQ(listed.at("kind"), "Table");
  EXPECT_EQ(listed.at("rows").as_array().size(), 2U);
  EXPECT_EQ(parsed(get(std::string(kMaps) + "/a", table)).at("rows").as_array().size(), 1U);
  net::HttpRequest request;
  request.method = "DELETE";
  request.target = std::string(kMaps) + "/a";
  request.headers.set("Accept", table);
  EXPECT_EQ(parsed(ask(std::move(request))).at("kind"), "Status");
}

TEST_F(HttpFrontendTest, PartialObjectMetadataIsReturnedOnRequest) {
  const json::value list = parsed(get(kMaps, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"));
  EXPECT_EQ(list.at("kind"), "PartialObjectMetadataList");
  EXPECT_EQ(list.at("apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(list.at("items").at(0).at("kind"), "PartialObjectMetadata");
  EXPECT_FALSE(list.at("items").at(0).as_object().contains("data"));
  const auto one =
      get(std::string(kMaps) + "/a", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
  api::PartialObjectMetadata partial;
  const auto decoded = kube::decode_protobuf(one.body, partial, kube::UnknownFields::Drop);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(partial.metadata().name(), "a");
}

TEST_F(HttpFrontendTest, RequestBodiesAreAcceptedInJsonYamlAndProtobuf) {
  const auto made = send("POST", kMaps, "application/json; charset=utf-8",
                         R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"j"}})");
  EXPECT_EQ(made.status, 201) << made.body;
  const auto yaml = send("POST", kMaps, "application/yaml", "metadata:\n  name: y\ndata:\n  n: \"1\"\n");
  EXPECT_EQ(yaml.status, 201) << yaml.body;
  EXPECT_EQ(parsed(yaml).at("data").at("n"), "1");
  const auto packed =
      send("POST", kMaps, "application/vnd.kubernetes.protobuf", kube::encode_protobuf(map_of("p", "1")));
  EXPECT_EQ(packed.status, 201) << packed.body;
  const auto wrong = send("POST", kMaps, "application/vnd.kubernetes.protobuf", kube::encode_protobuf(pod_of("p")));
  EXPECT_EQ(wrong.status, 400) << wrong.body;
  EXPECT_EQ(send("POST", kMaps, "application/json", "{").status, 400);
}

TEST_F(HttpFrontendTest, UnknownFieldsAreRejectedOnlyWithStrictValidation) {
  const std::string body = R"({"metadata":{"name":"u"},"dataa":{}})";
  EXPECT_EQ(send("POST", std::string(kMaps) + "?fieldValidation=Strict", "application/json", body).status, 400);
  const auto taken = send("POST", std::string(kMaps) + "?fieldValidation=Ignore", "application/json", body);
  EXPECT_EQ(taken.status, 201) << taken.body;
  EXPECT_FALSE(taken.headers.find("Warning"));
}

TEST_F(HttpFrontendTest, AnApplyPatchRequiresAFieldManagerAndAcceptsYaml) {
  const std::string yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: s\ndata:\n  k: v\n";
  const std::string target = std::string(kMaps) + "/s";
  EXPECT_EQ(send("PATCH", target, "application/apply-patch+yaml", yaml).status, 422);
  const auto applied = send("PATCH", target + "?fieldManager=me", "application/apply-patch+yaml", yaml);
  EXPECT_EQ(applied.status, 201) << applied.body;
  const json::value fields = parsed(applied).at("metadata").at("managedFields");
  EXPECT_EQ(fields.at(0).at("manager"), "me");
}

TEST_F(HttpFrontendTest, DeleteReadsItsOptionsFromTheBodyOrTheQuery) {
  const auto refused = send("DELETE", std::string(kMaps) + "/a", "application/json",
                            R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"other"}})");
  EXPECT_EQ(reason(refused), "Conflict");
  EXPECT_EQ(send("DELETE", std::string(kMaps) + "/a?propagationPolicy=Sideways", "application/json", "").status, 422);
  const auto dry = send("DELETE", std::string(kMaps) + "/a", "application/json", R"({"dryRun":["All"]})");
  EXPECT_EQ(dry.status, 200) << dry.body;
  EXPECT_EQ(get(std::string(kMaps) + "/a").status, 200);
  const json::value gone = parsed(send("DELETE", std::string(kMaps) + "/a", "application/json", ""));
  EXPECT_EQ(gone.at("status"), "Success");
  EXPECT_EQ(gone.at("details").at("kind"), "configmaps");
}

TEST_F(HttpFrontendTest, AnEvictionOfVersionV1Beta1IsAccepted) {
  rig_.run_on_server_thread([this] { EXPECT_TRUE(rig_.server.create(pod_of("p"))); });
  const auto evicted = send("POST", "/api/v1/namespaces/web/pods/p/eviction", "application/json",
                            R"({"kind":"Eviction","apiVersion":"policy/v1beta1","metadata":{"name":"p"}})");
  EXPECT_EQ(evicted.status, 201) << evicted.body;
  EXPECT_EQ(parsed(evicted).at("status"), "Success");
}

TEST_F(HttpFrontendTest, AJsonWatchSendsOneLinePerEvent) {
  const std::string target = std::string(kMaps) + "?watch=1&timeoutSeconds=70&allowWatchBookmarks=true";
  const auto watched = get(target);
  EXPECT_EQ(watched.headers.get("Content-Type"), "application/json");
  EXPECT_EQ(watched.body.find("{\"type\":\"ADDED\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\""), 0U);
  EXPECT_THAT(watched.body, HasSubstr("}\n{\"type\":\"BOOKMARK\",\"object\":{\"apiVersion\":\"v1\""));
  const auto one = get(std::string(kMaps) + "/b?watch=true&timeoutSeconds=1");
  EXPECT_THAT(one.body, HasSubstr("\"name\":\"b\""));
  EXPECT_THAT(one.body, Not(HasSubstr("\"name\":\"a\"")));
}

TEST_F(HttpFrontendTest, AWatchOfTablesSendsTheColumnDefinitionsOnce) {
  const std::string table = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const auto watched = get(std::string(kMaps) + "?watch=1&timeoutSeconds=1", table);
  const auto end = watched.body.find('\n');
  EXPECT_THAT(watched.body.substr(0, end), HasSubstr("\"columnDefinitions\":[{"));
  EXPECT_THAT(watched.body.substr(end), Not(HasSubstr("\"columnDefinitions\":[{")));
}

TEST_F(HttpFrontendTest, AWatchFromAnExpiredVersionGetsAnErrorEventInItsStream) {
  rig_.run_on_server_thread([this] {
    rig_.server.store().forget_history();
    EXPECT_TRUE(rig_.server.create(map_of("c", "1")));
    rig_.server.store().forget_history();
  });
  const auto watched = get(std::string(kMaps) + "?watch=1&resourceVersion=1");
  EXPECT_EQ(watched.status, 200);
  const json::value event = parsed(watched);
  EXPECT_EQ(event.at("type"), "ERROR");
  EXPECT_EQ(event.at("object").at("code"), 410);
  EXPECT_EQ(event.at("object").at("reason"), "Expired");
}

TEST_F(HttpFrontendTest, AddedPathsAndPodLogsAreServed) {
  rig_.run_on_server_thread([this] {
    rig_.frontend->add_path("/api/v1/nodes/", [](const std::string& path) -> std::optional<TextAnswer> {
      if (path != "/api/v1/nodes/n1/proxy/metrics?x=1") return std::nullopt;
      return TextAnswer{.body = "load 1\n"};
    });
    EXPECT_TRUE(rig_.server.create(node_of("n1")));
    EXPECT_TRUE(rig_.server.create(pod_of("p")));
  });
  EXPECT_EQ(get("/api/v1/nodes/n1/proxy/metrics?x=1").body, "load 1\n");
  EXPECT_EQ(parsed(get("/api/v1/nodes/n1")).at("kind"), "Node");
  const auto log = get("/api/v1/namespaces/web/pods/p/log");
  EXPECT_EQ(log.status, 200);
  EXPECT_EQ(log.headers.get("Content-Type"), "text/plain");
  EXPECT_EQ(get("/api/v1/namespaces/web/pods/q/log").status, 404);
}

TEST_F(HttpFrontendTest, CustomKindsAreServedAsSoonAsTheyAreDefined) {
  const std::string definition = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"migrations.rescheduler.io"},"spec":{"group":"rescheduler.io","scope":"Namespaced",
    "names":{"plural":"migrations","singular":"migration","kind":"Migration","listKind":"MigrationList"},
    "versions":[{"name":"v1alpha1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
    "properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}})";
  const auto defined =
      send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/json", definition);
  ASSERT_EQ(defined.status, 201) << defined.body;
  const std::string migrations = "/apis/rescheduler.io/v1alpha1/namespaces/web/migrations";
  const auto made =
      send("POST", migrations, "application/json",
           R"({"apiVersion":"rescheduler.io/v1alpha1","kind":"Migration","metadata":{"name":"m"},"spec":{"n":1}})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(parsed(get(migrations)).at("items").at(0).at("spec").at("n"), 1);
  EXPECT_EQ(parsed(get("/apis/rescheduler.io/v1alpha1")).at("resources").at(0).at("name"), "migrations");
  EXPECT_THAT(get("/openapi/v3").body, HasSubstr("apis/rescheduler.io/v1alpha1"));
}

}  // namespace
}  // namespace rescheduler::sim
