#include "kube/config/yaml_json.h"

#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

std::string json_of(std::string_view text) {
  const auto node = parse_yaml(text, "test");
  return node ? yaml_to_json(*node) : node.error().message;
}

TEST(YamlJson, ConvertsScalarsByTheCoreSchema) {
  EXPECT_EQ(
      json_of("[null, ~, Null, true, False, yes, on, 'true', 007, 0x1F, -5, 1.5, .5, 1e3, '12', 12Mi, 2024-01-01]"),
      R"([null,null,null,true,false,"yes","on","true",7,31,-5,1.5E0,5E-1,1E3,"12","12Mi","2024-01-01"])");
  EXPECT_EQ(json_of("{b: 1, a: {c: []}}"), R"({"b":1,"a":{"c":[]}})") << "in the order of the file";
  EXPECT_EQ(json_of(""), "null");
}

TEST(YamlJson, InfinityAndNanBecomeStringsAndAVeryLargeIntegerBecomesAFloat) {
  EXPECT_EQ(json_of("[.inf, -.Inf, .nan]"), R"([".inf","-.Inf",".nan"])");
  EXPECT_EQ(json_of("99999999999999999999"), "1E20");
}

}  // namespace
}  // namespace rescheduler::kube
