// docs/development.md says that a new plugin needs only its class and one row. An example plugin checks this.
#include "config/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/effective.h"
#include "config/read.h"
#include "placement/plugins/plugins.h"
#include "placement/testing.h"

namespace rescheduler::config {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using placement::Point;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class PrefersShortNames final : public placement::PluginOf<PrefersShortNames> {
 public:
  std::string_view name() const override { return "PrefersShortNames"; }
  std::int64_t score(const placement::PodContext& /*asked*/,
                     const placement::CycleState& /*state*/,
                     const cluster::NodeInfo& node) const override {
    return placement::kMaxScore - static_cast<std::int64_t>(node.node->name.size());
  }
};

placement::Registry registry_with_example() {
  placement::Registry registry(placement::all_plugins());
  registry.add({"PrefersShortNames", [](const auto*) { return std::make_unique<PrefersShortNames>(); }, 7, false});
  return registry;
}

ConfigurationReading enabling_at(std::string_view point, const PluginCatalog& catalog) {
  return read_configuration(
      fmt::format("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
                  "- plugins: {{{}: {{enabled: [name: PrefersShortNames]}}}}\n",
                  point),
      "f", catalog);
}

TEST(ExamplePlugin, CanBeEnabledOnlyAtTheExtensionPointsThatItImplements) {
  const PluginCatalog catalog = catalog_of(registry_with_example());
  const auto reading = enabling_at("score", catalog);
  ASSERT_THAT(reading.problems, IsEmpty());
  EXPECT_TRUE(reading.configuration.profiles[0].uses("PrefersShortNames", Point::Score));
  EXPECT_THAT(effective_configuration(reading.configuration, catalog), HasSubstr("name: PrefersShortNames"));
  const auto everywhere = enabling_at("multiPoint", catalog);
  ASSERT_THAT(everywhere.problems, IsEmpty());
  EXPECT_THAT(everywhere.configuration.profiles[0].at(Point::Score),
              testing::Contains(placement::PluginUse{"PrefersShortNames", 7}));
  EXPECT_FALSE(everywhere.configuration.profiles[0].uses("PrefersShortNames", Point::Filter));
  EXPECT_THAT(enabling_at("filter", catalog).problems, SizeIs(1));
  EXPECT_THAT(enabling_at("score", default_catalog()).problems, SizeIs(1)) << "a plugin without a row is unknown";
}

TEST(ExamplePlugin, ChangesTheDecisionWhenItIsEnabled) {
  const placement::Registry registry = registry_with_example();
  const auto reading = enabling_at("multiPoint", catalog_of(registry));
  ASSERT_THAT(reading.problems, IsEmpty());
  placement::testing::Bench plain;
  placement::testing::Bench with(reading.configuration.profiles[0], registry);
  for (auto* bench : {&plain, &with}) bench->add(node("a-long-name")).add(node("n"));
  EXPECT_THAT(plain.decide(pod("p")).best, SizeIs(2));
  EXPECT_THAT(with.decide(pod("p")).best, testing::ElementsAre("n"));
}

TEST(Catalog, EveryRowHasTheNameOfItsPlugin) {
  for (const KnownPlugin& plugin : default_catalog()) {
    EXPECT_EQ((*placement::Registry::standard().find(plugin.name))(nullptr)->name(), plugin.name);
  }
}

}  // namespace
}  // namespace rescheduler::config
