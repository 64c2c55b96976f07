// Many moves, one after the other: what each of them leaves unchanged stays unchanged.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/mover.h"

namespace rescheduler::test {
namespace {

using migration::MoveMode;
using migration::MoveResult;

class ManyMoves : public MigrationTest {
 protected:
  // The real cluster is shared and slower.
  int share(int of) const { return GetParam() == Tier::InProcess ? of : of / 4; }

  struct Tally {
    int moves = 0;
    int reached = 0;
    std::vector<std::string> others{};
  };
  void move_around(const std::string& app, int times, MoveMode mode, Tally& tally) {
    for (int i = 0; i < times && !HasFailure(); ++i) {
      const auto pods = pods_of(app);
      const api::Pod& pod = pods[static_cast<std::size_t>(i) % pods.size()];
      auto order = order_for(pod, other_node(pod.spec().node_name()));
      order.mode = mode;
      const auto outcome = move(order);
      ++tally.moves;
      if (outcome.result == MoveResult::Succeeded) {
        ++tally.reached;
      } else {
        tally.others.push_back(fmt::format("{}: {}", to_string(outcome.result), outcome.message));
      }
    }
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(ManyMoves);

TEST_P(ManyMoves, LeaveRevisionAndReplicaSetAsTheyWereAndNeverGoBelowTheBudget) {
  deploy("web", 4);
  deploy("solo", 1);
  const std::string web = template_hash("web");
  const std::string solo = template_hash("solo");
  start_mover();
  AvailabilityWatch watch_web(cluster(), ns(), "app=web");
  AvailabilityWatch watch_solo(cluster(), ns(), "app=solo");
  ASSERT_TRUE(eventually([&] { return watch_web.samples() > 0 && watch_solo.samples() > 0; }));
  Tally tally;
  move_around("web", share(60), MoveMode::Coordinated, tally);
  move_around("solo", share(40), MoveMode::MakeBeforeBreak, tally);
  watch_web.stop();
  watch_solo.stop();
  EXPECT_GE(tally.reached * 100, tally.moves * 99) << testing::PrintToString(tally.others);
  EXPECT_EQ(template_hash("web"), web);
  EXPECT_EQ(template_hash("solo"), solo);
  EXPECT_GE(watch_web.least_ready(), 3) << watch_web.samples() << " looks";
  EXPECT_GE(watch_solo.least_ready(), 1) << watch_solo.samples() << " looks";
  EXPECT_TRUE(available("web", 4));
  EXPECT_TRUE(available("solo", 1));
  mover().sweep();
  EXPECT_TRUE(eventually([&] { return leftovers().empty(); })) << testing::PrintToString(leftovers());
  std::cout << fmt::format("{} moves, {} on their target, {} looks at availability\n", tally.moves, tally.reached,
                           watch_web.samples() + watch_solo.samples());
}

}  // namespace
}  // namespace rescheduler::test
