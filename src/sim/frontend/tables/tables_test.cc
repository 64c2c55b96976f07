#include "sim/frontend/tables/tables.h"

#include <memory>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include "kube/proto/autoscaling.pb.h"
#include "kube/value/time.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

class Table : public testing::Test {
 protected:
  VersionPtr stored(const Kind& kind, std::string_view text, std::string managed_fields = {}) {
    ApiResult<MessagePtr> object = object_from_json(kind, text, false);
    EXPECT_TRUE(object.has_value());
    return std::make_shared<const Version>(kind.stored(), 7, ObjectPtr(std::move(*object)), std::move(managed_fields));
  }
  const Kind& kind(std::string_view group, std::string_view plural) { return *kinds_.find(group, "", plural); }
  json::value table(const Kind& kind, VersionPtr version, TableRequest request) {
    request.now = *kube::parse_time("2026-01-01T12:00:00Z");
    return json::parse(table_json(kind, {std::move(version)}, request));
  }

  KindRegistry kinds_;
};

constexpr std::string_view kPod = R"({"metadata":{"name":"p","namespace":"n","labels":{"a":"b"}},
    "spec":{"containers":[{"name":"c"}]},"status":{"phase":"Succeeded"}})";

TEST_F(Table, ContainsColumnsRowsAndListMetadata) {
  const Kind& pods = kind("", "pods");
  const json::value result =
      table(pods, stored(pods, kPod), {.resource_version = "9", .continue_token = "t", .remaining = 3});
  EXPECT_EQ(json::serialize(result.at("metadata")), R"({"resourceVersion":"9","continue":"t","remainingItemCount":3})");
  EXPECT_EQ(result.at("columnDefinitions").as_array().size(), 9U);
  EXPECT_EQ(result.at_pointer("/columnDefinitions/0/format").as_string(), "name");
  EXPECT_EQ(result.at_pointer("/rows/0/cells/2").as_string(), "Succeeded");
  EXPECT_EQ(result.at_pointer("/rows/0/conditions/0/type").as_string(), "Completed");
}

TEST_F(Table, RowsContainTheObjectFormThatIncludeObjectSelects) {
  const Kind& pods = kind("", "pods");
  const VersionPtr pod = stored(pods, kPod, R"([{"manager":"m"}])");
  const json::value metadata = table(pods, pod, {}).at_pointer("/rows/0/object");
  EXPECT_EQ(metadata.at("kind").as_string(), "PartialObjectMetadata");
  EXPECT_EQ(metadata.at_pointer("/metadata/labels/a").as_string(), "b");
  EXPECT_EQ(metadata.at_pointer("/metadata/managedFields/0/manager").as_string(), "m");
  EXPECT_FALSE(metadata.as_object().contains("spec"));
  const json::value whole = table(pods, pod, {.include_object = "Object"}).at_pointer("/rows/0/object");
  EXPECT_EQ(whole.at("kind").as_string(), "Pod");
  EXPECT_EQ(whole.at_pointer("/spec/containers/0/name").as_string(), "c");
  EXPECT_TRUE(table(pods, pod, {.include_object = "None"}).at_pointer("/rows/0/object").is_null());
}

TEST_F(Table, ColumnDefinitionsAreEmptyWhenTheyAreNotRequested) {
  const Kind& pods = kind("", "pods");
  EXPECT_TRUE(table(pods, stored(pods, kPod), {.with_columns = false}).at("columnDefinitions").as_array().empty());
}

TEST_F(Table, KindsWithoutAPrinterShowTheirCreationTime) {
  const Kind& roles = kind("rbac.authorization.k8s.io", "roles");
  const json::value result =
      table(roles, stored(roles, R"({"metadata":{"name":"r","creationTimestamp":"2026-01-01T11:00:00Z"}})"), {});
  EXPECT_EQ(result.at_pointer("/columnDefinitions/1/name").as_string(), "Created At");
  EXPECT_EQ(json::serialize(result.at_pointer("/rows/0/cells")), R"(["r","2026-01-01T11:00:00Z"])");
}

TEST_F(Table, AScaleHasItsOwnColumns) {
  api::Scale scale;
  scale.mutable_metadata()->set_name("web");
  scale.mutable_spec()->set_replicas(3);
  scale.mutable_status()->set_replicas(2);
  const json::value result = json::parse(table_json(scale, {.include_object = "None"}));
  EXPECT_EQ(result.at_pointer("/columnDefinitions/1/name").as_string(), "Desired");
  EXPECT_EQ(json::serialize(result.at_pointer("/rows/0/cells")), R"(["web",3,2,"<unknown>"])");
}

TEST_F(Table, CoreEventsArePrintedWithTheirCoreFields) {
  const Kind& events = kind("", "events");
  const json::value result = table(events, stored(events, R"({"metadata":{"name":"e","namespace":"n"},"type":"Normal",
      "reason":"Started","message":"it began","involvedObject":{"kind":"Pod","name":"p"},
      "source":{"component":"kubelet"},"lastTimestamp":"2026-01-01T11:59:30Z"})"),
                                   {});
  EXPECT_EQ(json::serialize(result.at_pointer("/rows/0/cells")),
            R"(["30s","Normal","Started","pod/p","","kubelet","it began","<unknown>",1,"e"])");
}

}  // namespace
}  // namespace rescheduler::sim
