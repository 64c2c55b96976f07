#include "placement/framework.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/registry.h"
#include "placement/testing.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using ::testing::ElementsAre;

std::string refusal(const Profile& profile) {
  const auto made = Framework::make(profile, Registry::standard());
  return made ? "" : made.error().message;
}

TEST(FrameworkMake, AcceptsTheStandardProfile) { EXPECT_EQ(refusal(standard_profile()), ""); }

TEST(FrameworkMake, RejectsAnUnknownPlugin) {
  Profile profile = standard_profile();
  profile.at(Point::Filter).push_back({"Coscheduling"});
  EXPECT_EQ(refusal(profile),
            "profile 'default-scheduler' enables the plugin 'Coscheduling', which this program does not have");
}

TEST(FrameworkMake, RejectsAPluginAtAnExtensionPointThatThePluginDoesNotImplement) {
  Profile profile = standard_profile();
  profile.at(Point::Score).push_back({"NodeName"});
  EXPECT_EQ(refusal(profile),
            "profile 'default-scheduler': the plugin 'NodeName' does not implement the extension point score");
}

TEST(FrameworkMake, RejectsAPluginAtFilterWithoutItsPreFilter) {
  Profile profile = standard_profile();
  std::erase_if(profile.at(Point::PreFilter), [](const PluginUse& use) { return use.name == "PodTopologySpread"; });
  EXPECT_EQ(refusal(profile),
            "profile 'default-scheduler' enables the plugin 'PodTopologySpread' at filter but not at preFilter, which "
            "it needs");
}

TEST(FrameworkMake, UsesTheScoreWeightsOfTheProfile) {
  Profile profile = profile_of({"NodeAffinity"});
  profile.at(Point::Score) = {{"NodeAffinity", 7}};
  Bench bench(profile);
  bench.add(node("n").label("disk", "ssd")).add(node("m"));
  const auto context = pod("p").node_affinity(R"({"preferredDuringSchedulingIgnoredDuringExecution":[
      {"weight":1,"preference":{"matchExpressions":[{"key":"disk","operator":"Exists"}]}}]})");
  EXPECT_THAT(bench.decide(context).totals, ElementsAre(std::pair("m", 0), std::pair("n", 700)));
}

// A custom plugin that returns results that the standard plugins never return.
class CustomPlugin final : public PluginOf<CustomPlugin> {
 public:
  std::string_view name() const override { return "Odd"; }
  PreFilterResult pre_filter(const PodContext&, CycleState&) const override { return {before, nodes}; }
  Code filter(const PodContext&, const CycleState&, const cluster::NodeInfo&, Reasons* why) const override {
    if (why != nullptr) why->emplace_back("odd");
    return verdict;
  }
  Status pre_score(const PodContext&, CycleState&, std::span<const cluster::NodeIndex>) const override {
    return scoring;
  }
  std::int64_t score(const PodContext&, const CycleState&, const cluster::NodeInfo&) const override { return value; }

  Status before{};
  std::optional<std::set<std::string>> nodes{};
  Code verdict = Code::Success;
  Status scoring{};
  std::int64_t value = 0;
};

Decision decide_with(const CustomPlugin& plugin, cluster::Cluster& model, bool named_by_affinity = false) {
  Registry registry = Registry::standard();
  registry.add({"Odd", [&](const PluginArgs*) { return std::make_unique<CustomPlugin>(plugin); }});
  Profile profile = standard_profile();
  for (const Point point : {Point::PreFilter, Point::Filter, Point::PreScore, Point::Score}) {
    profile.at(point).push_back({"Odd"});
  }
  const auto framework = std::move(Framework::make(profile, registry).value());
  auto asked_for = pod("p");
  if (named_by_affinity) {
    asked_for.node_affinity(R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
        {"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]}})");
  }
  const auto compiled_spec = model.compiled_spec_of(asked_for);
  const PodContext context = make_pod_context(model, asked_for, *compiled_spec);
  framework->prepare(model, context);
  return decide(*framework, context, {}, {});
}

struct CustomPluginTest : ::testing::Test {
  CustomPluginTest() {
    model.upsert_node(node("n1"));
    model.upsert_node(node("n2"));
  }
  cluster::Cluster model;
  CustomPlugin plugin;
};

TEST_F(CustomPluginTest, AnErrorOfPreFilterFailsTheAttempt) {
  plugin.before = {Code::Error, {"out of order"}};
  const Decision decision = decide_with(plugin, model);
  EXPECT_EQ(decision.outcome, Outcome::Failed);
  EXPECT_EQ(decision.message, "running PreFilter plugin \"Odd\": out of order");
}

TEST_F(CustomPluginTest, AnErrorOfFilterFailsTheAttempt) {
  plugin.verdict = Code::Error;
  EXPECT_EQ(decide_with(plugin, model).outcome, Outcome::Failed);
}

TEST_F(CustomPluginTest, ARejectionByPreFilterIsReportedOnceForAllNodes) {
  plugin.before = {Code::Unschedulable, {"not today"}};
  const Decision decision = decide_with(plugin, model);
  EXPECT_EQ(decision.outcome, Outcome::Unschedulable);
  EXPECT_EQ(decision.message,
            "0/2 nodes are available: not today. no new claims to deallocate, preemption: 0/2 nodes are available: "
            "2 No preemption victims found for incoming pod.");
  EXPECT_THAT(decision.diagnosis.rejected_by, ElementsAre("Odd"));
}

TEST_F(CustomPluginTest, APluginThatReturnsPendingIsRecordedInPendingBy) {
  plugin.before = {Code::Pending, {"not yet"}};
  EXPECT_THAT(decide_with(plugin, model).diagnosis.pending_by, ElementsAre("Odd"));
}

TEST_F(CustomPluginTest, TheSearchEndsIfPreFilterPluginsLeaveNoNodes) {
  plugin.nodes = std::set<std::string>{};
  EXPECT_THAT(decide_with(plugin, model).message,
              ::testing::StartsWith("0/2 nodes are available: node(s) didn't satisfy plugin Odd."));
  plugin.nodes = std::set<std::string>{"n2"};
  EXPECT_THAT(decide_with(plugin, model, true).message,
              ::testing::StartsWith(
                  "0/2 nodes are available: node(s) didn't satisfy plugin(s) [NodeAffinity Odd] simultaneously."));
}

TEST_F(CustomPluginTest, AScoreAboveTheMaximumFailsTheAttempt) {
  plugin.value = 101;
  const Decision decision = decide_with(plugin, model);
  EXPECT_EQ(decision.outcome, Outcome::Failed);
  EXPECT_THAT(decision.message, ::testing::HasSubstr("plugin \"Odd\" returns an invalid score 101"));
}

TEST_F(CustomPluginTest, AnErrorOfPreScoreFailsTheAttemptAndSkipSkipsTheScores) {
  plugin.scoring = {Code::Error, {"no scale"}};
  EXPECT_EQ(decide_with(plugin, model).message, "running PreScore plugin \"Odd\": no scale");
  plugin.scoring = {Code::Skip};
  plugin.value = 101;  // never read, because PreScore returns Skip
  EXPECT_EQ(decide_with(plugin, model).outcome, Outcome::Scheduled);
}

}  // namespace
}  // namespace rescheduler::placement::testing
