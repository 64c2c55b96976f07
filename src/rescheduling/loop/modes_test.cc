#include "rescheduling/loop/modes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::rescheduling {
namespace {

using config::NodePool;
using config::ReschedulerSettings;
using config::Strategy;
using config::StrategyMode;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Modes, TheSettingsDetermineTheModeOfAStrategy) {
  ReschedulerSettings args;
  EXPECT_EQ(mode_of(args, Strategy::LoadBalancing), StrategyMode::Act);
  EXPECT_EQ(mode_of(args, Strategy::ConstraintRepair), StrategyMode::Off) << "not enabled by default";
  args.rescheduling.enabled_strategies = {"ConstraintRepair"};
  EXPECT_EQ(mode_of(args, Strategy::ConstraintRepair), StrategyMode::Act);
  EXPECT_EQ(mode_of(args, Strategy::LoadBalancing), StrategyMode::Off);
  args.rescheduling.modes[Strategy::LoadBalancing] = StrategyMode::Observe;
  EXPECT_EQ(mode_of(args, Strategy::LoadBalancing), StrategyMode::Observe);
  args.rescheduling.enabled = false;
  EXPECT_EQ(mode_of(args, Strategy::LoadBalancing), StrategyMode::Off);
  EXPECT_THAT(strategies_that(args, StrategyMode::Act), IsEmpty());
}

TEST(Modes, NodeMaintenanceActsUnlessItsModeSaysOtherwise) {
  ReschedulerSettings args;
  args.rescheduling.enabled_strategies = {"LoadBalancing", "ResourceOptimization"};  // as in the guides
  EXPECT_EQ(mode_of(args, Strategy::NodeMaintenance), StrategyMode::Act) << "the label on the node asks for it";
  args.rescheduling.modes[Strategy::NodeMaintenance] = StrategyMode::Off;
  EXPECT_EQ(mode_of(args, Strategy::NodeMaintenance), StrategyMode::Off);
}

TEST(Modes, StrategiesAreInTheOrderOfTheirImportance) {
  EXPECT_THAT(strategies_that(ReschedulerSettings{}, StrategyMode::Act),
              ElementsAre(Strategy::NodeMaintenance, Strategy::LoadBalancing, Strategy::ResourceOptimization));
}

TEST(Modes, APoolHasItsOwnModesAndAPlanOfOneModeExcludesPoolsOfOtherModes) {
  ReschedulerSettings args;
  NodePool careful;
  careful.name = "careful";
  careful.selector = "careful=yes";
  careful.modes[Strategy::LoadBalancing] = StrategyMode::Observe;
  args.rescheduling.pools = {careful};
  EXPECT_TRUE(does(args, Strategy::LoadBalancing, StrategyMode::Act));
  EXPECT_TRUE(does(args, Strategy::LoadBalancing, StrategyMode::Observe));
  const auto acting = only_where(args, StrategyMode::Act).rescheduling.pools;
  EXPECT_EQ(acting.at(0).modes.at(Strategy::LoadBalancing), StrategyMode::Off);
  EXPECT_EQ(acting.at(0).modes.at(Strategy::NodeMaintenance), StrategyMode::Act);
  EXPECT_EQ(acting.at(1).selector, "");
  EXPECT_EQ(acting.at(1).modes.at(Strategy::LoadBalancing), StrategyMode::Act);
  const auto observing = only_where(args, StrategyMode::Observe).rescheduling.pools;
  EXPECT_EQ(observing.at(0).modes.at(Strategy::LoadBalancing), StrategyMode::Observe);
  EXPECT_EQ(observing.at(1).modes.at(Strategy::LoadBalancing), StrategyMode::Off);
}

}  // namespace
}  // namespace rescheduler::rescheduling
