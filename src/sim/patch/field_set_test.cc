#include "sim/patch/field_set.h"

#include <gtest/gtest.h>

#include "sim/patch/json_literal.h"
#include "sim/patch/managed_fields.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

FieldSet set_of(const char* fields) {
  std::string text(fields);
  std::ranges::replace(text, '\'', '"');
  return FieldSet::from_json(json::parse(text)).value();
}

std::string text_of(const FieldSet& set) { return json::serialize(set.to_json()); }

TEST(FieldSet, IsUnchangedAfterParsingAndSerializing) {
  const std::string text =
      R"({"f:metadata":{"f:finalizers":{".":{},"v:\"x/y\"":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},)"
      R"("f:image":{},"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}},)"
      R"("f:replicas":{}}})";
  const auto set = FieldSet::from_json(json::parse(text));
  ASSERT_TRUE(set);
  EXPECT_EQ(text_of(*set), text);
}

TEST(FieldSet, IsSerializedInSortedOrder) {
  EXPECT_EQ(text_of(set_of("{'f:b':{},'f:a':{'f:z':{},'f:y':{}}}")), R"({"f:a":{"f:y":{},"f:z":{}},"f:b":{}})");
}

TEST(FieldSet, FormatsPathsAsInConflictMessages) {
  const FieldSet set =
      FieldSet::from_json(json::parse(R"({"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":)"
                                      R"({"f:ports":{"k:{\"protocol\":\"TCP\",\"containerPort\":80}":{}}}},)"
                                      R"("f:finalizers":{"v:\"a\"":{}}}})"))
          .value();
  std::vector<std::string> paths;
  for (const FieldPath& path : set.paths()) paths.push_back(shown(path));
  EXPECT_EQ(paths, (std::vector<std::string>{R"(.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"])",
                                             R"(.spec.finalizers[="a"])"}));
}

TEST(FieldSet, TreatsAFieldAndItsChildrenSeparately) {
  const FieldSet both = set_of("{'f:a':{'.':{},'f:b':{}}}");
  EXPECT_EQ(both.without(set_of("{'f:a':{}}")), set_of("{'f:a':{'f:b':{}}}"));
  EXPECT_EQ(both.without(set_of("{'f:a':{'f:b':{}}}")), set_of("{'f:a':{}}"));
  EXPECT_TRUE(both.without_trees(set_of("{'f:a':{}}")).empty());
  EXPECT_EQ(both.shared(set_of("{'f:a':{},'f:c':{}}")), set_of("{'f:a':{}}"));
  EXPECT_EQ(set_of("{'f:a':{}}").united(set_of("{'f:a':{'f:b':{}}}")), both);
}

TEST(FieldSet, RejectsInvalidPaths) {
  EXPECT_FALSE(FieldSet::from_json("{'spec':{}}"_json));
  EXPECT_FALSE(FieldSet::from_json("{'k:nonsense':{}}"_json));
  EXPECT_FALSE(FieldSet::from_json("{'f:a':1}"_json));
}

TEST(ManagedFields, AreSortedWithAppliersFirstAndThenByTimeAndName) {
  ManagedFields managed;
  managed[{"late", false, "v1", ""}] = {"v1", "2024-01-02T00:00:00Z", set_of("{'f:a':{}}")};
  managed[{"b", false, "v1", ""}] = {"v1", "2024-01-01T00:00:00Z", set_of("{'f:b':{}}")};
  managed[{"a", false, "v1", "status"}] = {"v1", "2024-01-01T00:00:00Z", set_of("{'f:c':{}}")};
  managed[{"z", true, "", ""}] = {"v1", "2024-01-03T00:00:00Z", set_of("{'f:d':{}}")};
  const std::string text = to_text(managed);
  const json::value list = json::parse(text);
  std::vector<std::string> names;
  for (const json::value& entry : list.get_array()) names.emplace_back(entry.at("manager").get_string());
  EXPECT_EQ(names, (std::vector<std::string>{"z", "a", "b", "late"}));
  EXPECT_EQ(json::serialize(list.get_array()[1]),
            R"({"manager":"a","operation":"Update","apiVersion":"v1","time":"2024-01-01T00:00:00Z",)"
            R"("fieldsType":"FieldsV1","fieldsV1":{"f:c":{}},"subresource":"status"})");
  EXPECT_EQ(to_text(read_managed_fields(text).value()), text);
}

TEST(ManagedFields, InvalidEntriesAreRejected) {
  EXPECT_FALSE(read_managed_fields("{}"));
  EXPECT_FALSE(
      read_managed_fields(R"([{"manager":"a","operation":"Steal","apiVersion":"v1","fieldsType":"FieldsV1"}])"));
  EXPECT_FALSE(
      read_managed_fields(R"([{"manager":"a","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV2"}])"));
  EXPECT_TRUE(read_managed_fields("")->empty());
}

}  // namespace
}  // namespace rescheduler::sim
