#include "sim/patch/merge_patch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/patch/json_literal.h"
#include "sim/patch/random_json.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

TEST(MergePatch, GivesTheResultsOfTheRfc) {
  struct Example {
    json::value document, patch, expected;
  };
  const Example examples[] = {
      {"{'a':'b'}"_json, "{'a':'c'}"_json, "{'a':'c'}"_json},
      {"{'a':'b'}"_json, "{'b':'c'}"_json, "{'a':'b','b':'c'}"_json},
      {"{'a':'b'}"_json, "{'a':null}"_json, "{}"_json},
      {"{'a':'b','b':'c'}"_json, "{'a':null}"_json, "{'b':'c'}"_json},
      {"{'a':['b']}"_json, "{'a':'c'}"_json, "{'a':'c'}"_json},
      {"{'a':'c'}"_json, "{'a':['b']}"_json, "{'a':['b']}"_json},
      {"{'a':{'b':'c'}}"_json, "{'a':{'b':'d','c':null}}"_json, "{'a':{'b':'d'}}"_json},
      {"{'a':[{'b':'c'}]}"_json, "{'a':[1]}"_json, "{'a':[1]}"_json},
      {"['a','b']"_json, "['c','d']"_json, "['c','d']"_json},
      {"{'a':'b'}"_json, "['c']"_json, "['c']"_json},
      {"{'a':'foo'}"_json, "null"_json, "null"_json},
      {"{'a':'foo'}"_json, "'bar'"_json, "'bar'"_json},
      {"{'e':null}"_json, "{'a':1}"_json, "{'e':null,'a':1}"_json},
      {"[1,2]"_json, "{'a':'b','c':null}"_json, "{'a':'b'}"_json},
      {"{}"_json, "{'a':{'bb':{'ccc':null}}}"_json, "{'a':{'bb':{}}}"_json},
  };
  for (const Example& example : examples) {
    SCOPED_TRACE(json::serialize(example.patch));
    EXPECT_EQ(Json{merge_patched(example.document, example.patch)}, Json{example.expected});
  }
}

// The patch that changes `from` into `to`.
json::object difference(const json::object& from, const json::object& to) {
  json::object patch;
  for (const auto& member : from) {
    if (!to.contains(member.key())) patch[member.key()] = nullptr;
  }
  for (const auto& member : to) {
    const json::value* before = from.if_contains(member.key());
    if (before != nullptr && same_value(*before, member.value())) continue;
    const bool both = before != nullptr && before->is_object() && member.value().is_object();
    patch[member.key()] =
        both ? json::value(difference(before->get_object(), member.value().get_object())) : member.value();
  }
  return patch;
}

RC_GTEST_PROP(MergePatchProperty, TheDifferenceOfTwoObjectsChangesOneIntoTheOther, ()) {
  // Without nulls: a merge patch cannot set a member to null.
  const json::value from = any_object(Nulls::Never);
  const json::value to = any_object(Nulls::Never);
  const json::value patch = difference(from.get_object(), to.get_object());
  RC_ASSERT(same_value(merge_patched(from, patch), to));
}

RC_GTEST_PROP(MergePatchProperty, ApplyingThePatchAgainChangesNothing, ()) {
  const json::value patch = any_object(Nulls::Sometimes);
  const json::value once = merge_patched(any_object(Nulls::Sometimes), patch);
  RC_ASSERT(same_value(merge_patched(once, patch), once));
}

}  // namespace
}  // namespace rescheduler::sim
