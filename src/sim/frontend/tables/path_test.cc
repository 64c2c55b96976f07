#include "sim/frontend/tables/path.h"

#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace rescheduler::sim {
namespace {

std::string at(std::string_view path) {
  static const boost::json::value object = boost::json::parse(R"({
      "spec":{"a.b/c":"dotted","n":[{"k":"x","v":1},{"k":"y","v":2},{"k":"y","v":3,"w":true}]},
      "status":{"conditions":[{"type":"Ready","status":"False"}]}})");
  const std::optional<JsonPath> parsed = JsonPath::parse(path);
  if (!parsed) return "unsupported";
  const boost::json::value* value = parsed->first(object);
  return value ? boost::json::serialize(*value) : "none";
}

TEST(JsonPath, NamesCanContainDots) {
  EXPECT_EQ(at(R"(.spec.a\.b/c)"), R"("dotted")");
  EXPECT_EQ(at(".spec['a.b/c']"), R"("dotted")");
  EXPECT_EQ(at("{.spec.n[0].k}"), R"("x")");
  EXPECT_EQ(at(".spec.a"), "none");
}

TEST(JsonPath, IndexesCountFromTheStartOrTheEndAndCanBeWildcards) {
  EXPECT_EQ(at(".spec.n[1].v"), "2");
  EXPECT_EQ(at(".spec.n[-1].v"), "3");
  EXPECT_EQ(at(".spec.n[3].v"), "none");
  EXPECT_EQ(at(".spec.n[*].w"), "true");
}

TEST(JsonPath, FiltersCompareStringsAndNumbers) {
  EXPECT_EQ(at(R"(.status.conditions[?(@.type=="Ready")].status)"), R"("False")");
  EXPECT_EQ(at(R"(.spec.n[?(@.k == 'y')].v)"), "2");
  EXPECT_EQ(at(".spec.n[?(@.v>2)].v"), "3");
  EXPECT_EQ(at(".spec.n[?(@.v<=1)].k"), R"("x")");
  EXPECT_EQ(at(R"(.spec.n[?(@.k!="x")].v)"), "2");
  EXPECT_EQ(at(".spec.n[?(@.w)].v"), "3");
  EXPECT_EQ(at(R"(.spec.n[?(@.k=="z")].v)"), "none");
}

TEST(JsonPath, RejectsUnsupportedExpressions) {
  EXPECT_EQ(at("..name"), "unsupported");
  EXPECT_EQ(at(".spec.n[0:2]"), "unsupported");
  EXPECT_EQ(at(".spec.n[?(@.k=="), "unsupported");
  EXPECT_EQ(at("spec"), "unsupported");
}

}  // namespace
}  // namespace rescheduler::sim
