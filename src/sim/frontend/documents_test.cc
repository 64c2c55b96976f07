#include "sim/frontend/documents.h"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/codec/wire.h"
#include "sim/frontend/discovery.h"
#include "sim/frontend/media.h"
#include "sim/frontend/open_api.h"
#include "sim/frontend/request_target.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

class DocumentsTest : public testing::Test {
 protected:
  json::value get(const std::string& path, std::string_view accept = "application/json") {
    auto answer = documents_.find(path, accept);
    EXPECT_TRUE(answer) << path;
    return answer ? json::parse(answer->body) : json::value();
  }

  Agenda agenda_;
  Server server_{agenda_, Rng(1)};
  Documents documents_{server_};
};

TEST_F(DocumentsTest, AggregatedDiscoveryIsReturnedOnlyWhenRequested) {
  EXPECT_EQ(get("/apis").at("kind"), "APIGroupList");
  const std::string accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
  const auto answer = documents_.find("/apis", accept);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->content_type, kAggregatedType);
  EXPECT_EQ(json::parse(answer->body).at("kind"), "APIGroupDiscoveryList");
  // A client that supports only the older version gets the plain form.
  EXPECT_EQ(get("/apis", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList").at("kind"),
            "APIGroupList");
}

TEST_F(DocumentsTest, AGroupReportsItsPreferredVersion) {
  const json::value group = get("/apis/autoscaling");
  EXPECT_EQ(group.at("kind"), "APIGroup");
  EXPECT_EQ(group.at("preferredVersion").at("groupVersion"), "autoscaling/v2");
}

TEST_F(DocumentsTest, SubresourcesAreListedWithTheirOwnKind) {
  const json::value core = get("/api/v1");
  std::map<std::string, std::string> kinds;
  for (const json::value& one : core.at("resources").as_array()) {
    kinds[json::value_to<std::string>(one.at("name"))] = json::value_to<std::string>(one.at("kind"));
  }
  EXPECT_EQ(kinds["pods"], "Pod");
  EXPECT_EQ(kinds["pods/eviction"], "Eviction");
  EXPECT_EQ(kinds["pods/binding"], "Binding");
  EXPECT_EQ(kinds["replicationcontrollers/scale"], "Scale");
}

TEST_F(DocumentsTest, OpenApiDeclaresServerSideFieldValidationForKubectl) {
  const json::value index = get("/openapi/v3");
  const std::string url = json::value_to<std::string>(index.at("paths").at("apis/apps/v1").at("serverRelativeURL"));
  const json::value document = get(url);
  const json::value& patch =
      document.at("paths").at("/apis/apps/v1/namespaces/{namespace}/deployments/{name}").at("patch");
  EXPECT_EQ(patch.at("x-kubernetes-group-version-kind").at("kind"), "Deployment");
  EXPECT_THAT(json::serialize(patch.at("parameters")), HasSubstr("\"name\":\"fieldValidation\",\"in\":\"query\""));
  // The document has no merge keys of lists. Without requestBody, clients compute no strategic merge patch from it.
  EXPECT_FALSE(patch.as_object().contains("requestBody"));
}

TEST_F(DocumentsTest, OpenApiDescribesTheFieldsForKubectlExplain) {
  const json::value document = get("/openapi/v3/api/v1");
  const json::object& schemas = document.at("components").at("schemas").as_object();
  const json::value& pod = schemas.at("io.k8s.api.Pod");
  EXPECT_EQ(pod.at("x-kubernetes-group-version-kind").at(0).at("kind"), "Pod");
  EXPECT_EQ(pod.at("properties").at("spec").at("$ref"), "#/components/schemas/io.k8s.api.PodSpec");
  const json::value& container = schemas.at("io.k8s.api.Container");
  EXPECT_EQ(container.at("properties").at("image").at("type"), "string");
  EXPECT_EQ(container.at("properties").at("ports").at("type"), "array");
  const json::value& metadata = schemas.at("io.k8s.api.ObjectMeta");
  EXPECT_EQ(metadata.at("properties").at("creationTimestamp").at("format"), "date-time");
  EXPECT_EQ(metadata.at("properties").at("labels").at("additionalProperties").at("type"), "string");
}

TEST_F(DocumentsTest, OpenApiV2IsServedAsProtobufWithAValidContentType) {
  const auto answer = documents_.find("/openapi/v2", std::string(kOpenApiV2Asked));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->content_type.find('@'), std::string::npos);
  kube::WireReader reader(answer->body);
  std::vector<std::uint32_t> fields;
  for (kube::WireField field; reader.next(field);) fields.push_back(field.number);
  EXPECT_EQ(reader.fault(), nullptr);
  EXPECT_THAT(fields, testing::ElementsAre(1, 2, 8));
  EXPECT_THAT(answer->body, HasSubstr("/apis/apps/v1/namespaces/{namespace}/deployments/{name}"));
  EXPECT_EQ(get("/openapi/v2").at("swagger"), "2.0");
}

TEST_F(DocumentsTest, TheHandlerWithTheLongestPrefixIsCalledFirst) {
  documents_.add_path("/x", [](const std::string&) { return TextAnswer{.body = "short"}; });
  documents_.add_path("/x/long", [](const std::string& path) -> std::optional<TextAnswer> {
    if (path.ends_with("?no")) return std::nullopt;
    return TextAnswer{.body = "long"};
  });
  EXPECT_EQ(documents_.find("/x/longer", "")->body, "long");
  EXPECT_EQ(documents_.find("/x/longer?no", "")->body, "short");
  EXPECT_EQ(documents_.find("/x/other", "")->body, "short");
}

TEST(RequestTarget, PathsAreParsedIntoTheirParts) {
  const auto text = [](std::string_view path) -> std::string {
    const auto parsed = parse_resource_path(path);
    if (!parsed) return "none";
    return fmt::format("{}|{}|{}|{}|{}|{}", parsed->group, parsed->version, parsed->ns, parsed->plural, parsed->name,
                       parsed->subresource);
  };
  EXPECT_EQ(text("/api/v1/pods"), "|v1||pods||");
  EXPECT_EQ(text("/api/v1/namespaces"), "|v1||namespaces||");
  EXPECT_EQ(text("/api/v1/namespaces/web"), "|v1||namespaces|web|");
  EXPECT_EQ(text("/api/v1/namespaces/web/status"), "|v1||namespaces|web|status");
  EXPECT_EQ(text("/api/v1/namespaces/web/pods/p/eviction"), "|v1|web|pods|p|eviction");
  EXPECT_EQ(text("/apis/apps/v1/namespaces/w%20x/deployments/d"), "apps|v1|w x|deployments|d|");
  EXPECT_EQ(text("/api/v1/nodes/n/proxy/stats/summary"), "|v1||nodes|n|proxy/stats/summary");
  EXPECT_EQ(text("/version"), "none");
  EXPECT_EQ(text("/apis/apps/v1"), "none");
  EXPECT_EQ(text("/api/v1/pods/%zz"), "none");
}

TEST(RequestTarget, QueriesAreDecodedAndTheFirstValueCounts) {
  const auto query = Query::parse("labelSelector=a%3Db%2Cc+in+(d)&watch&limit=5&limit=6&x=0");
  ASSERT_TRUE(query);
  EXPECT_EQ(query->get("labelSelector"), "a=b,c in (d)");
  EXPECT_TRUE(query->flag("watch"));
  EXPECT_FALSE(query->flag("x"));
  EXPECT_EQ(query->get("limit"), "5");
  EXPECT_FALSE(Query::parse("a=%q"));
}

TEST(Media, NegotiationSelectsTheFirstSupportedShapeAndEncoding) {
  const Offer list{true, true};
  const auto shape = [&list](std::string_view accept) { return negotiate(accept, list)->shape; };
  EXPECT_EQ(shape("application/json;as=Table;g=meta.k8s.io;v=v1"), Format::Shape::Table);
  EXPECT_EQ(shape("application/json;as=Table;g=meta.k8s.io;v=v1beta1,application/json"), Format::Shape::Whole);
  EXPECT_EQ(shape("application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,application/json"),
            Format::Shape::Whole);
  EXPECT_EQ(shape("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"), Format::Shape::Metadata);
  EXPECT_FALSE(negotiate("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", list));
  EXPECT_FALSE(negotiate("application/yaml", list));
  EXPECT_EQ(negotiate("", list)->encoding, kube::Encoding::Json);
}

}  // namespace
}  // namespace rescheduler::sim
