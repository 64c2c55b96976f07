#include "kube/extender/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::shared_ptr<const api::Pod> pod_named(const std::string& name) {
  auto pod = std::make_shared<api::Pod>();
  pod->mutable_metadata()->set_name(name);
  return pod;
}

ExtenderNode node_named(const std::string& name) {
  auto node = std::make_shared<api::Node>();
  node->mutable_metadata()->set_name(name);
  return ExtenderNode{std::move(node)};
}

TEST(ExtenderWire, ArgumentsAreWrittenWithTheFieldNamesOfGo) {
  ExtenderArgs args;
  args.pod = pod_named("p");
  args.node_names = {"a", "b\"c"};
  EXPECT_EQ(write_extender_args(args), R"({"Pod":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":["a","b\"c"]})");
  args.node_names.reset();
  args.nodes.emplace();
  args.nodes->push_back(node_named("n"));
  EXPECT_EQ(write_extender_args(args),
            R"({"Pod":{"metadata":{"name":"p"}},"Nodes":{"metadata":{},"items":[{"metadata":{"name":"n"}}]},)"
            R"("NodeNames":null})");
}

TEST(ExtenderWire, AbsentNamesAndNodesDifferFromEmptyLists) {
  auto none = read_extender_args(R"({"Pod":{},"Nodes":null})");
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_FALSE(none->nodes);
  EXPECT_FALSE(none->node_names);
  auto empty = read_extender_args(R"({"Pod":{},"Nodes":{"items":null},"NodeNames":[]})");
  ASSERT_TRUE(empty) << empty.error().message;
  EXPECT_TRUE(empty->nodes && empty->nodes->empty());
  EXPECT_TRUE(empty->node_names && empty->node_names->empty());
}

TEST(ExtenderWire, KeysAreCaseInsensitiveAndTheLastDuplicateWins) {
  auto result = read_filter_result(
      R"({"nodenames":["x"],"NODENAMES":["a"],"failedNodes":{"b":"full"},"failedAndUnresolvableNodes":{"c":"gone"}})");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(*result->node_names, ElementsAre("a"));
  EXPECT_THAT(result->failed, ElementsAre(Pair("b", "full")));
  EXPECT_THAT(result->failed_and_unresolvable, ElementsAre(Pair("c", "gone")));
  EXPECT_FALSE(result->nodes);
  auto scores = read_priorities(R"([{"host":"a","score":7},{"Host":"b"}])");
  ASSERT_TRUE(scores) << scores.error().message;
  EXPECT_THAT(*scores, ElementsAre(HostPriority{"a", 7}, HostPriority{"b", 0}));
}

TEST(ExtenderWire, UnknownFieldsOfANodeAreWrittenBack) {
  auto args = read_extender_args(R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"n"},"status":{"novel":1}}]}})");
  ASSERT_TRUE(args) << args.error().message;
  ASSERT_EQ(args->nodes->size(), 1u);
  EXPECT_EQ(args->nodes->front().node->metadata().name(), "n");
  ExtenderFilterResult result;
  result.nodes = args->nodes;
  EXPECT_THAT(write_filter_result(result), HasSubstr(R"("items":[{"metadata":{"name":"n"},"status":{"novel":1}}])"));
}

TEST(ExtenderWire, PreemptionIsReadAndWrittenInBothForms) {
  ExtenderPreemptionArgs args;
  args.pod = pod_named("high");
  args.victims.emplace();
  (*args.victims)["n"] = Victims{{pod_named("low")}, 2};
  auto full = read_preemption_args(write_preemption_args(args));
  ASSERT_TRUE(full) << full.error().message;
  ASSERT_TRUE(full->victims);
  EXPECT_FALSE(full->meta_victims);
  EXPECT_EQ(full->victims->at("n").pods.at(0)->metadata().name(), "low");
  EXPECT_EQ(full->victims->at("n").pdb_violations, 2);
  const MetaVictimsByNode meta{{"n", MetaVictims{{"uid-1", "uid-2"}, 1}}};
  EXPECT_EQ(write_preemption_result(meta),
            R"({"NodeNameToMetaVictims":{"n":{"Pods":[{"UID":"uid-1"},{"UID":"uid-2"}],"NumPDBViolations":1}}})");
  EXPECT_EQ(read_preemption_result(write_preemption_result(meta)).value(), meta);
}

TEST(ExtenderWire, ErrorsNameTheInvalidField) {
  const auto error_text = [](const auto& result) { return result ? std::string("accepted") : result.error().message; };
  EXPECT_THAT(error_text(read_extender_args("{")), HasSubstr("the extender's arguments cannot be read"));
  EXPECT_THAT(error_text(read_extender_args("[]")), HasSubstr("expected an object, got an array"));
  EXPECT_THAT(error_text(read_extender_args("{}")), HasSubstr("Pod: expected an object, got nothing"));
  EXPECT_THAT(error_text(read_extender_args(R"({"Pod":{},"NodeNames":["a",1]})")),
              HasSubstr("NodeNames[1]: expected a string, got a number"));
  EXPECT_THAT(error_text(read_extender_args(R"({"Pod":{"metadata":{"name":5}}})")), HasSubstr("Pod: metadata.name"));
  EXPECT_THAT(error_text(read_extender_args(R"({"Pod":{},"Nodes":{"items":[null]}})")), HasSubstr("Nodes.items[0]"));
  EXPECT_THAT(error_text(read_priorities(R"([{"Score":1.5}])")), HasSubstr("[0].Score: expected a whole number"));
  EXPECT_THAT(error_text(read_priorities(R"([{"Score":9223372036854775808}])")), HasSubstr("[0].Score"));
  EXPECT_THAT(error_text(read_preemption_result(R"({"NodeNameToMetaVictims":{"n":{"Pods":[7]}}})")),
              HasSubstr(R"(NodeNameToMetaVictims["n"].Pods[0]: expected an object)"));
}

RC_GTEST_PROP(ExtenderWire, BindingsAreReadBackUnchanged, (std::string name, std::string uid)) {
  // JSON is text: bytes that are not UTF-8 cannot be preserved.
  for (std::string* text : {&name, &uid}) {
    for (char& letter : *text) letter = static_cast<char>(letter & 0x7f);
  }
  const ExtenderBindingArgs args{name, "ns", uid, "node"};
  RC_ASSERT(read_binding_args(write_binding_args(args)).value() == args);
  RC_ASSERT(read_binding_result(write_binding_result(name)).value() == name);
}

}  // namespace
}  // namespace rescheduler::kube
