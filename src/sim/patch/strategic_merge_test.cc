#include "sim/patch/strategic_merge.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/codec/resource.h"
#include "kube/codec/wire_types.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "sim/patch/field_rules.h"
#include "sim/patch/json_literal.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;
using Kind = StrategicFault::Kind;
using google::protobuf::Descriptor;

struct Example {
  const char* name;
  const Descriptor* schema;
  json::value document, patch, expected;
};
void PrintTo(const Example& example, std::ostream* out) { *out << example.name; }

class StrategicMergeExample : public testing::TestWithParam<Example> {};

TEST_P(StrategicMergeExample, GivesTheResultOfKubernetes) {
  const auto merged = strategically_merged(GetParam().document, GetParam().patch, GetParam().schema);
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(Json{*merged}, Json{GetParam().expected});
}

const Descriptor* pod() { return api::Pod::descriptor(); }
const Descriptor* node() { return api::Node::descriptor(); }
const Descriptor* deployment() { return api::Deployment::descriptor(); }

INSTANTIATE_TEST_SUITE_P(
    Lists,
    StrategicMergeExample,
    testing::Values(
        Example{"containers merge by name", pod(),
                "{'spec':{'containers':[{'name':'a','image':'1'},{'name':'b'}]}}"_json,
                "{'spec':{'containers':[{'name':'a','image':'2'}]}}"_json,
                "{'spec':{'containers':[{'name':'a','image':'2'},{'name':'b'}]}}"_json},
        Example{"added items come first", pod(), "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}"_json,
                "{'spec':{'containers':[{'name':'c'}]}}"_json,
                "{'spec':{'containers':[{'name':'c'},{'name':'a'},{'name':'b'}]}}"_json},
        Example{
            "nested lists merge, too", deployment(),
            "{'spec':{'template':{'spec':{'containers':[{'name':'a','env':[{'name':'X','value':'1'}],'ports':[{'containerPort':80,'name':'http'}]}]}}}}"_json,
            "{'spec':{'template':{'spec':{'containers':[{'name':'a','env':[{'name':'Y','value':'2'}],'ports':[{'containerPort':80,'hostPort':8080}]}]}}}}"_json,
            "{'spec':{'template':{'spec':{'containers':[{'name':'a','env':[{'name':'Y','value':'2'},{'name':'X','value':'1'}],'ports':[{'containerPort':80,'name':'http','hostPort':8080}]}]}}}}"_json},
        Example{"ports of services merge by port", api::Service::descriptor(),
                "{'spec':{'ports':[{'port':80,'targetPort':1},{'port':443}]}}"_json,
                "{'spec':{'ports':[{'port':80,'targetPort':'http'}]}}"_json,
                "{'spec':{'ports':[{'port':80,'targetPort':'http'},{'port':443}]}}"_json},
        Example{
            "conditions merge by type", node(),
            "{'status':{'conditions':[{'type':'Ready','status':'True'},{'type':'DiskPressure','status':'False'}]}}"_json,
            "{'status':{'conditions':[{'type':'Ready','status':'Unknown'}]}}"_json,
            "{'status':{'conditions':[{'type':'Ready','status':'Unknown'},{'type':'DiskPressure','status':'False'}]}}"_json},
        Example{"taints are replaced", node(), "{'spec':{'taints':[{'key':'a','effect':'NoSchedule'}]}}"_json,
                "{'spec':{'taints':[{'key':'b','effect':'NoExecute'}]}}"_json,
                "{'spec':{'taints':[{'key':'b','effect':'NoExecute'}]}}"_json},
        Example{"tolerations are replaced", pod(), "{'spec':{'tolerations':[{'key':'a'}]}}"_json,
                "{'spec':{'tolerations':[{'key':'b'}]}}"_json, "{'spec':{'tolerations':[{'key':'b'}]}}"_json},
        Example{"arguments are replaced", pod(), "{'spec':{'containers':[{'name':'a','args':['1','2']}]}}"_json,
                "{'spec':{'containers':[{'name':'a','args':['3']}]}}"_json,
                "{'spec':{'containers':[{'name':'a','args':['3']}]}}"_json},
        Example{"finalizers are a set", pod(), "{'metadata':{'finalizers':['a','b']}}"_json,
                "{'metadata':{'finalizers':['b','c']}}"_json, "{'metadata':{'finalizers':['a','b','c']}}"_json},
        Example{"owners merge by uid", pod(), "{'metadata':{'ownerReferences':[{'uid':'1','name':'x'}]}}"_json,
                "{'metadata':{'ownerReferences':[{'uid':'1','controller':true}]}}"_json,
                "{'metadata':{'ownerReferences':[{'uid':'1','name':'x','controller':true}]}}"_json}));

INSTANTIATE_TEST_SUITE_P(
    Maps,
    StrategicMergeExample,
    testing::Values(Example{"null removes a member", pod(), "{'metadata':{'labels':{'a':'1','b':'2'}}}"_json,
                            "{'metadata':{'labels':{'a':null,'z':null}}}"_json,
                            "{'metadata':{'labels':{'b':'2'}}}"_json},
                    Example{"nulls in a new map are dropped", pod(), "{}"_json,
                            "{'metadata':{'labels':{'a':null,'b':'1'}}}"_json,
                            "{'metadata':{'labels':{'b':'1'}}}"_json},
                    Example{"a budget's selector is replaced", api::PodDisruptionBudget::descriptor(),
                            "{'spec':{'selector':{'matchLabels':{'a':'1'}}}}"_json,
                            "{'spec':{'selector':{'matchLabels':{'b':'1'}}}}"_json,
                            "{'spec':{'selector':{'matchLabels':{'b':'1'}}}}"_json},
                    Example{"without a schema lists are replaced", nullptr,
                            "{'metadata':{'finalizers':['a']},'rules':[{'name':'a'}],'x':{'y':1}}"_json,
                            "{'metadata':{'finalizers':['b']},'rules':[{'name':'b'}],'x':{'z':2}}"_json,
                            "{'metadata':{'finalizers':['b','a']},'rules':[{'name':'b'}],'x':{'y':1,'z':2}}"_json}));

INSTANTIATE_TEST_SUITE_P(
    Directives,
    StrategicMergeExample,
    testing::Values(
        Example{"$patch delete removes an item", pod(), "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}"_json,
                "{'spec':{'containers':[{'$patch':'delete','name':'a'}]}}"_json,
                "{'spec':{'containers':[{'name':'b'}]}}"_json},
        Example{"$patch replace replaces the list", pod(), "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}"_json,
                "{'spec':{'containers':[{'$patch':'replace'},{'name':'c'}]}}"_json,
                "{'spec':{'containers':[{'name':'c'}]}}"_json},
        Example{"$patch replace replaces a map", pod(), "{'metadata':{'labels':{'a':'1'}}}"_json,
                "{'metadata':{'labels':{'$patch':'replace','b':'2'}}}"_json, "{'metadata':{'labels':{'b':'2'}}}"_json},
        Example{"$patch delete empties a map", pod(), "{'metadata':{'labels':{'a':'1'}}}"_json,
                "{'metadata':{'labels':{'$patch':'delete'}}}"_json, "{'metadata':{'labels':{}}}"_json},
        Example{"deleting a missing item does nothing", pod(), "{'spec':{}}"_json,
                "{'spec':{'containers':[{'$patch':'delete','name':'a'}],'securityContext':{'$patch':'delete'}}}"_json,
                "{'spec':{'containers':[]}}"_json},
        Example{"$retainKeys drops all other members", deployment(),
                "{'spec':{'strategy':{'type':'RollingUpdate','rollingUpdate':{'maxSurge':1}}}}"_json,
                "{'spec':{'strategy':{'$retainKeys':['type'],'type':'Recreate'}}}"_json,
                "{'spec':{'strategy':{'type':'Recreate'}}}"_json},
        Example{"$retainKeys changes the type of a volume", pod(),
                "{'spec':{'volumes':[{'name':'v','emptyDir':{}}]}}"_json,
                "{'spec':{'volumes':[{'$retainKeys':['hostPath','name'],'name':'v','hostPath':{'path':'/x'}}]}}"_json,
                "{'spec':{'volumes':[{'name':'v','hostPath':{'path':'/x'}}]}}"_json},
        Example{"$deleteFromPrimitiveList", pod(), "{'metadata':{'finalizers':['a','b','c']}}"_json,
                "{'metadata':{'$deleteFromPrimitiveList/finalizers':['b'],'finalizers':['d']}}"_json,
                "{'metadata':{'finalizers':['d','a','c']}}"_json},
        Example{"$setElementOrder reorders", pod(),
                "{'spec':{'containers':[{'name':'a'},{'name':'b'},{'name':'c'}]}}"_json,
                "{'spec':{'$setElementOrder/containers':[{'name':'c'},{'name':'a'}]}}"_json,
                "{'spec':{'containers':[{'name':'b'},{'name':'c'},{'name':'a'}]}}"_json},
        Example{
            "$setElementOrder places added items", pod(), "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}"_json,
            "{'spec':{'$setElementOrder/containers':[{'name':'a'},{'name':'n'},{'name':'b'}],'containers':[{'name':'n','image':'1'}]}}"_json,
            "{'spec':{'containers':[{'name':'a'},{'name':'n','image':'1'},{'name':'b'}]}}"_json},
        Example{
            "$setElementOrder with a deletion, as kubectl apply sends it", pod(),
            "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}"_json,
            "{'spec':{'$setElementOrder/containers':[{'name':'a'}],'containers':[{'$patch':'delete','name':'b'}]}}"_json,
            "{'spec':{'containers':[{'name':'a'}]}}"_json}));

TEST(StrategicMerge, ReportsWhyAPatchCannotBeApplied) {
  struct Failure {
    json::value document, patch;
    Kind kind;
    const char* message;
  };
  const Failure failures[] = {
      {"{'spec':{'containers':[{'name':'a'}]}}"_json, "{'spec':{'containers':[{'image':'x'}]}}"_json, Kind::Failed,
       R"(map: {"image":"x"} does not contain declared merge key: name)"},
      {"{'spec':{'containers':[{'name':'a'}]}}"_json, "{'spec':{'containers':[{'$patch':'merge','name':'a'}]}}"_json,
       Kind::Failed, "merging lists cannot yet be specified in the patch"},
      {"{'spec':{'containers':[{'name':'a'}]}}"_json, "{'spec':{'containers':[['a']]}}"_json, Kind::Unprocessable,
       "lists of lists are not supported"},
      {"{'metadata':{'labels':{'a':'1'}}}"_json, "{'metadata':{'labels':{'$patch':'tickle'}}}"_json, Kind::Failed,
       R"(unknown patch type: "tickle" in map: {"$patch":"tickle"})"},
      {"{'spec':{}}"_json, "{'spec':{'$retainKeys':'x'}}"_json, Kind::BadFormat, "invalid patch format of retainKeys"},
      {"{'spec':{}}"_json, "{'spec':{'$retainKeys':['a'],'b':1}}"_json, Kind::BadFormat,
       "invalid patch format of retainKeys"},
      {"{'spec':{}}"_json, "{'spec':{'$setElementOrder/containers':1}}"_json, Kind::BadFormat,
       "invalid patch format of setElementOrder list"},
      {"{'spec':{}}"_json, "{'spec':{'$deleteFromPrimitiveList':['a']}}"_json, Kind::BadFormat,
       "invalid patch format of primitive list"},
  };
  for (const Failure& failure : failures) {
    SCOPED_TRACE(json::serialize(failure.patch));
    const auto merged = strategically_merged(failure.document, failure.patch, pod());
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().kind, failure.kind);
    EXPECT_EQ(merged.error().message, failure.message);
  }
  const auto disordered = strategically_merged(
      "{'spec':{'containers':[{'name':'a'}]}}"_json,
      "{'spec':{'$setElementOrder/containers':[{'name':'a'}],'containers':[{'name':'b'}]}}"_json, pod());
  ASSERT_FALSE(disordered);
  EXPECT_THAT(disordered.error().message, testing::HasSubstr("doesn't match $setElementOrder"));
}

// A rule for a field that no message has is a misspelled rule.
TEST(FieldRules, EveryRuleNamesAnExistingField) {
  std::set<std::string_view> found;
  std::function<void(const Descriptor&)> visit = [&](const Descriptor& message) {
    for (int i = 0; i < message.field_count(); ++i) {
      if (const FieldRule* rule = rule_of(*message.field(i))) found.insert(rule->field);
    }
  };
  for (const auto* file : kube::wire_type_files()) {
    for (int i = 0; i < file->message_type_count(); ++i) visit(*file->message_type(i));
  }
  EXPECT_EQ(found.size(), rule_count());
}

json::array any_containers() {
  json::array list;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    if (!*rc::gen::arbitrary<bool>()) continue;
    json::object container{{"name", name}};
    if (*rc::gen::arbitrary<bool>()) container["image"] = *rc::gen::element<std::string>("1", "2");
    if (*rc::gen::arbitrary<bool>()) container["env"] = json::array{json::object{{"name", "X"}, {"value", "1"}}};
    list.insert(list.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(list.size()) + 1),
                container);
  }
  return list;
}

std::vector<std::string> names_in(const json::value& pod_document) {
  std::vector<std::string> names;
  for (const json::value& container : pod_document.at("spec").at("containers").get_array()) {
    names.emplace_back(container.at("name").get_string());
  }
  return names;
}

RC_GTEST_PROP(StrategicMergeProperty, ItemsThatThePatchDoesNotMentionKeepTheirOrder, ()) {
  const json::value before = json::object{{"spec", json::object{{"containers", any_containers()}}}};
  const json::value patch = json::object{{"spec", json::object{{"containers", any_containers()}}}};
  const auto merged = strategically_merged(before, patch, api::Pod::descriptor());
  RC_ASSERT(merged.has_value());
  const auto mentioned = names_in(patch);
  const auto unmentioned = [&mentioned](std::vector<std::string> names) {
    std::erase_if(names, [&](const std::string& name) { return std::ranges::count(mentioned, name) != 0; });
    return names;
  };
  RC_ASSERT(unmentioned(names_in(*merged)) == unmentioned(names_in(before)));
  auto unique = names_in(*merged);
  std::ranges::sort(unique);
  RC_ASSERT(std::ranges::adjacent_find(unique) == unique.end());
}

RC_GTEST_PROP(StrategicMergeProperty, ApplyingThePatchAgainChangesNothing, ()) {
  const json::value before = json::object{{"spec", json::object{{"containers", any_containers()}}}};
  const json::value patch = json::object{{"spec", json::object{{"containers", any_containers()}}}};
  const auto once = strategically_merged(before, patch, api::Pod::descriptor());
  const auto twice = strategically_merged(*once, patch, api::Pod::descriptor());
  RC_ASSERT(same_value(*once, *twice));
}

}  // namespace
}  // namespace rescheduler::sim
