// A hundred moves, several at once: revisions and ReplicaSets do not change, and enough replicas stay ready.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/migrator.h"

namespace rescheduler::test {
namespace {

using migration::MoveMode;
using migration::MoveResult;

// A workload whose pods are moved one at a time.
struct Lane {
  std::string app;
  MoveMode mode;
  int left;
  std::string moving{};  // uid of the pod that is being moved; empty: none
};

class ManyMoves : public MigrationTest {
 protected:
  struct Tally {
    int moves = 0;
    int reached = 0;
    std::vector<std::string> others{};
  };

  void begin_next(Lane& lane) {
    const auto pods = pods_of(lane.app);
    ASSERT_FALSE(pods.empty()) << lane.app;
    const api::Pod& pod = pods[static_cast<std::size_t>(lane.left) % pods.size()];
    auto request = move_request_for(pod, other_node(pod.spec().node_name()));
    request.mode = lane.mode;
    lane.moving = pod.metadata().uid();
    --lane.left;
    migrator().begin(std::move(request));
  }

  Tally move_around(std::vector<Lane> lanes) {
    Tally tally;
    std::size_t reported = 0;
    const bool ended = eventually(
        [&] {
          const auto outcomes = migrator().outcomes();
          for (; reported < outcomes.size(); ++reported) {
            const auto& one = outcomes[reported];
            ++tally.moves;
            if (one.result == MoveResult::Succeeded) ++tally.reached;
            if (one.result != MoveResult::Succeeded) {
              tally.others.push_back(fmt::format("{}: {}", to_string(one.result), one.message));
            }
            for (Lane& lane : lanes) {
              if (lane.moving == one.request.uid) lane.moving.clear();
            }
          }
          for (Lane& lane : lanes) {
            if (lane.moving.empty() && lane.left > 0) begin_next(lane);
          }
          return HasFatalFailure()
                 || std::ranges::all_of(lanes, [](const Lane& lane) { return lane.moving.empty() && lane.left == 0; });
        },
        std::chrono::seconds{240});
    EXPECT_TRUE(ended) << tally.moves << " moves ended";
    return tally;
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(ManyMoves);

TEST_P(ManyMoves, AHundredMovesKeepRevisionAndReplicaSetsAndEnoughReadyReplicas) {
  std::vector<Lane> lanes;
  std::vector<std::string> apps;
  for (int i = 0; i < 5; ++i) lanes.push_back({fmt::format("web{}", i), MoveMode::Coordinated, 12});
  for (int i = 0; i < 4; ++i) lanes.push_back({fmt::format("solo{}", i), MoveMode::MakeBeforeBreak, 10});
  const auto replicas = [](const Lane& lane) { return lane.mode == MoveMode::Coordinated ? 4 : 1; };
  std::map<std::string, std::string> templates;
  for (const Lane& lane : lanes) {
    deploy(lane.app, replicas(lane));
    templates[lane.app] = template_hash(lane.app);
    apps.push_back(lane.app);
  }
  start_migrator();
  AvailabilityWatch watch(cluster(), ns(), apps);
  ASSERT_TRUE(eventually([&] { return watch.samples() > 0; }));
  const Tally tally = move_around(lanes);
  watch.stop();
  EXPECT_EQ(tally.moves, 100);
  EXPECT_GE(tally.reached * 100, tally.moves * 99) << testing::PrintToString(tally.others);
  for (const Lane& lane : lanes) {
    EXPECT_EQ(template_hash(lane.app), templates[lane.app]);
    EXPECT_GE(watch.least_ready(lane.app), lane.mode == MoveMode::Coordinated ? 3 : 1)
        << lane.app << ", " << watch.samples() << " samples";
    EXPECT_TRUE(available(lane.app, replicas(lane)));
  }
  migrator().sweep();
  EXPECT_TRUE(eventually([&] { return leftovers().empty(); })) << testing::PrintToString(leftovers());
  std::cout << fmt::format("{} moves, {} on their target, {} samples of availability\n", tally.moves, tally.reached,
                           watch.samples());
}

}  // namespace
}  // namespace rescheduler::test
