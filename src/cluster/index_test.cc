// Indexes of nodes and of pods do not convert into each other, and neither do loads and amounts. The compiler checks
// this.
#include "cluster/index.h"

#include <type_traits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cluster/node_load.h"

namespace rescheduler::cluster {
namespace {

static_assert(!std::is_convertible_v<NodeIndex, PodIndex>);
static_assert(!std::is_convertible_v<PodIndex, NodeIndex>);
static_assert(!std::is_constructible_v<PodIndex, NodeIndex>);
static_assert(!std::is_convertible_v<std::uint32_t, NodeIndex>);
static_assert(!std::equality_comparable_with<NodeIndex, PodIndex>);
static_assert(!std::is_convertible_v<Amounts, Loads>);
static_assert(!std::is_convertible_v<Loads, Amounts>);

TEST(Index, IncrementsAndPrintsAsANumber) {
  NodeIndex index{7};
  ++index;
  EXPECT_EQ(index, NodeIndex{8});
  EXPECT_LT(index, kNoNode);
  EXPECT_EQ(fmt::format("{}", index), "8");
}

}  // namespace
}  // namespace rescheduler::cluster
