#include "sim/patch/json_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/patch/json_literal.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;
using Kind = JsonPatchFault::Kind;

struct Example {
  const char* name;
  json::value document, patch, expected;
};
void PrintTo(const Example& example, std::ostream* out) { *out << example.name; }

class JsonPatchExample : public testing::TestWithParam<Example> {};

TEST_P(JsonPatchExample, GivesTheExpectedDocument) {
  const auto patched = json_patched(GetParam().document, GetParam().patch);
  ASSERT_TRUE(patched) << patched.error().message;
  EXPECT_EQ(Json{*patched}, Json{GetParam().expected});
}

INSTANTIATE_TEST_SUITE_P(
    Rfc6902,
    JsonPatchExample,
    testing::Values(
        Example{"A1 adds a member", "{'foo':'bar'}"_json, "[{'op':'add','path':'/baz','value':'qux'}]"_json,
                "{'baz':'qux','foo':'bar'}"_json},
        Example{"A2 adds an item", "{'foo':['bar','baz']}"_json, "[{'op':'add','path':'/foo/1','value':'qux'}]"_json,
                "{'foo':['bar','qux','baz']}"_json},
        Example{"A3 removes a member", "{'baz':'qux','foo':'bar'}"_json, "[{'op':'remove','path':'/baz'}]"_json,
                "{'foo':'bar'}"_json},
        Example{"A4 removes an item", "{'foo':['bar','qux','baz']}"_json, "[{'op':'remove','path':'/foo/1'}]"_json,
                "{'foo':['bar','baz']}"_json},
        Example{"A5 replaces", "{'baz':'qux','foo':'bar'}"_json, "[{'op':'replace','path':'/baz','value':'boo'}]"_json,
                "{'baz':'boo','foo':'bar'}"_json},
        Example{"A6 moves a member", "{'foo':{'bar':'baz','waldo':'fred'},'qux':{'corge':'grault'}}"_json,
                "[{'op':'move','from':'/foo/waldo','path':'/qux/thud'}]"_json,
                "{'foo':{'bar':'baz'},'qux':{'corge':'grault','thud':'fred'}}"_json},
        Example{"A7 moves an item", "{'foo':['all','grass','cows','eat']}"_json,
                "[{'op':'move','from':'/foo/1','path':'/foo/3'}]"_json, "{'foo':['all','cows','eat','grass']}"_json},
        Example{"A8 tests", "{'baz':'qux','foo':['a',2,'c']}"_json,
                "[{'op':'test','path':'/baz','value':'qux'},{'op':'test','path':'/foo/1','value':2}]"_json,
                "{'baz':'qux','foo':['a',2,'c']}"_json},
        Example{"A10 adds a nested object", "{'foo':'bar'}"_json,
                "[{'op':'add','path':'/child','value':{'grandchild':{}}}]"_json,
                "{'foo':'bar','child':{'grandchild':{}}}"_json},
        Example{"A11 ignores other members", "{'foo':'bar'}"_json,
                "[{'op':'add','path':'/baz','value':'qux','xyz':123}]"_json, "{'foo':'bar','baz':'qux'}"_json},
        Example{"A14 escapes", "{'/':9,'~1':10}"_json, "[{'op':'test','path':'/~01','value':10}]"_json,
                "{'/':9,'~1':10}"_json},
        Example{"A16 adds an array", "{'foo':['bar']}"_json,
                "[{'op':'add','path':'/foo/-','value':['abc','def']}]"_json, "{'foo':['bar',['abc','def']]}"_json},
        Example{"copies", "{'a':{'b':1}}"_json, "[{'op':'copy','from':'/a','path':'/c'}]"_json,
                "{'a':{'b':1},'c':{'b':1}}"_json},
        Example{"replaces everything", "{'a':1}"_json, "[{'op':'replace','path':'','value':{'b':2}}]"_json,
                "{'b':2}"_json},
        Example{"a member may have an empty name", "{'':1}"_json, "[{'op':'replace','path':'/','value':2}]"_json,
                "{'':2}"_json},
        Example{"numbers are equal by value", "{'a':1}"_json, "[{'op':'test','path':'/a','value':1.0}]"_json,
                "{'a':1}"_json}));

INSTANTIATE_TEST_SUITE_P(
    AsKubernetes,
    JsonPatchExample,
    testing::Values(Example{"a slash in a label", "{'metadata':{'labels':{'a/b':'1'}}}"_json,
                            "[{'op':'replace','path':'/metadata/labels/a~1b','value':'2'}]"_json,
                            "{'metadata':{'labels':{'a/b':'2'}}}"_json},
                    Example{"replace adds a member", "{'labels':{}}"_json,
                            "[{'op':'replace','path':'/labels/a','value':'1'}]"_json, "{'labels':{'a':'1'}}"_json},
                    Example{"a test treats null as absence", "{'labels':{}}"_json,
                            "[{'op':'test','path':'/labels/a','value':null}]"_json, "{'labels':{}}"_json},
                    Example{"indices from the end", "{'l':[1,2,3]}"_json, "[{'op':'remove','path':'/l/-1'}]"_json,
                            "{'l':[1,2]}"_json}));

struct Failure {
  json::value document, patch;
  Kind kind;
  const char* message;
};

TEST(JsonPatch, ReportsWhyAPatchCannotBeApplied) {
  const Failure failures[] = {
      {"{'a':1}"_json, "[{'op':'test','path':'/a','value':2}]"_json, Kind::TestFailed,
       "testing value /a failed: test failed"},
      {"{'a':1}"_json, "[{'op':'test','path':'/b','value':2}]"_json, Kind::TestFailed,
       "testing value /b failed: test failed"},
      {"{'a':1}"_json, "[{'op':'test','path':'/b/c','value':2}]"_json, Kind::MissingPath,
       "test operation does not apply: is missing path: /b/c: missing value"},
      {"{'a':1}"_json, "[{'op':'remove','path':'/b'}]"_json, Kind::MissingPath,
       "error in remove for path: '/b': Unable to remove nonexistent key: b: missing value"},
      {"{'a':1}"_json, "[{'op':'remove','path':'/b/c'}]"_json, Kind::MissingPath,
       "remove operation does not apply: doc is missing path: \"/b/c\": missing value"},
      {"{'a':1}"_json, "[{'op':'add','path':'/b/c','value':1}]"_json, Kind::MissingPath,
       "add operation does not apply: doc is missing path: \"/b/c\": missing value"},
      {"{'a':[1]}"_json, "[{'op':'add','path':'/a/3','value':1}]"_json, Kind::MissingPath,
       "error in add for path: '/a/3': Unable to access invalid index: 3: invalid index referenced"},
      {"{'a':[1]}"_json, "[{'op':'add','path':'/a/x','value':1}]"_json, Kind::MissingPath,
       "error in add for path: '/a/x': value was not a proper array index: 'x'"},
      {"{'a':[1]}"_json, "[{'op':'replace','path':'/a/1','value':1}]"_json, Kind::MissingPath,
       "replace operation does not apply: doc is missing key: /a/1: missing value"},
      {"{'a':{'b':1}}"_json, "[{'op':'move','from':'/a','path':'/a/c'}]"_json, Kind::MissingPath,
       "move operation does not apply: doc is missing destination path: /a/c: missing value"},
      {"{}"_json, "[{'op':'copy','from':'/a','path':'/b'}]"_json, Kind::MissingPath,
       "copy operation does not apply: doc is missing from path: /a: missing value"},
      {"{'a':1}"_json, "[{'op':'remove','path':'a'}]"_json, Kind::MissingPath,
       "remove operation does not apply: doc is missing path: \"a\": missing value"},
      {"{}"_json, "[{'op':'frobnicate','path':'/a'}]"_json, Kind::Malformed, "Unexpected kind: frobnicate"},
      {"{}"_json, "[{'op':'add','path':'/a'}]"_json, Kind::Malformed,
       "the add operation of the JSON patch has no value"},
      {"{}"_json, "{'op':'add'}"_json, Kind::Malformed, "a JSON patch is an array of operations"},
  };
  for (const Failure& failure : failures) {
    SCOPED_TRACE(json::serialize(failure.patch));
    const auto patched = json_patched(failure.document, failure.patch);
    ASSERT_FALSE(patched);
    EXPECT_EQ(patched.error().kind, failure.kind);
    EXPECT_EQ(patched.error().message, failure.message);
  }
}

TEST(JsonPatch, RepeatedCopiesThatGrowTooLargeAreRejected) {
  json::array patch;
  for (int i = 0; i < 64; ++i) patch.push_back("{'op':'copy','from':'/a','path':'/a/-'}"_json);
  const auto patched = json_patched("{'a':[1,2,3]}"_json, patch);
  ASSERT_FALSE(patched);
  EXPECT_EQ(patched.error().kind, Kind::TooLarge);
}

TEST(JsonPatch, NestingThatIsTooDeepIsRejected) {
  json::array patch;
  std::string path = "/a";
  for (int i = 0; i < 200; ++i, path += "/a") {
    patch.push_back(json::object{{"op", "add"}, {"path", path}, {"value", json::object()}});
  }
  const auto patched = json_patched("{}"_json, patch);
  ASSERT_FALSE(patched);
  EXPECT_EQ(patched.error().kind, Kind::TooLarge);
}

TEST(JsonPatch, TooManyOperationsAreRejected) {
  json::array patch(kMostPatchOperations + 1, "{'op':'test','path':'','value':{}}"_json);
  EXPECT_EQ(json_patched("{}"_json, patch).error().kind, Kind::TooMany);
}

}  // namespace
}  // namespace rescheduler::sim
