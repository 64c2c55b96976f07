#include "cli/view/view.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/view/bars.h"

namespace rescheduler::cli {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr double kGi = 1024.0 * 1024 * 1024;

NodeRow node(const std::string& name, double cpu_share, double memory_share = 0.5) {
  NodeRow made;
  made.name = name;
  made.cpu = {8 * cpu_share, 4, 8};
  made.memory = {32 * kGi * memory_share, 8 * kGi, 32 * kGi};
  made.pods = 7;
  return made;
}

ViewState state_of(int nodes) {
  ViewState state;
  state.scenario = "imbalance";
  state.description = "everything runs on a third of the nodes; the others are idle";
  state.notice = "no scheduler yet";
  state.elapsed = std::chrono::seconds(65);
  state.speed = 10;
  for (int i = 1; i <= nodes; ++i) state.nodes.push_back(node(fmt::format("node-{}", i), i % 10 / 10.0));
  state.pods = {.running = 40, .starting = 2, .pending = 1};
  state.balance = 42;
  for (int i = 0; i < 20; ++i)
    state.tail.push_back({std::chrono::seconds(i), fmt::format("event {} 你好", i), i == 19});
  return state;
}

std::string all(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

class ViewAtWidth : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Widths, ViewAtWidth, testing::Values(40, 80, 200));

TEST_P(ViewAtWidth, TheLinesFitTheWidthAndTheHeight) {
  for (const int nodes : {0, 1, 12, 300, 5000}) {
    for (const std::size_t height : {5UL, 24UL, 50UL}) {
      for (const bool fancy : {false, true}) {
        const ViewStyle style{GetParam(), height, fancy, fancy};
        const auto lines = render(state_of(nodes), style);
        EXPECT_LE(lines.size(), height) << nodes << " nodes";
        for (const std::string& line : lines) EXPECT_LE(columns_of(line), style.width) << line;
      }
    }
  }
}

TEST_P(ViewAtWidth, TheMostImportantValuesAreShownAtAnyWidth) {
  const std::string text = all(render(state_of(12), {.width = GetParam(), .height = 40}));
  EXPECT_THAT(text, HasSubstr("balance  42"));
  EXPECT_THAT(text, HasSubstr("pods 40 running"));
  EXPECT_THAT(text, HasSubstr("node-12"));
  EXPECT_THAT(text, HasSubstr("90%"));
  EXPECT_THAT(text, HasSubstr("no sched"));
}

TEST(View, NoLineExceedsTheWidthOfAVeryNarrowTerminal) {
  for (const std::size_t width : {1UL, 7UL, 20UL}) {
    for (const std::string& line : render(state_of(12), {.width = width, .height = 30, .colour = true})) {
      EXPECT_LE(columns_of(line), width) << line;
    }
  }
}

TEST(View, WithoutColourNoEscapeSequenceIsPrinted) {
  EXPECT_THAT(all(render(state_of(12), {.width = 80, .height = 40, .colour = false})), Not(HasSubstr("\x1b")));
  EXPECT_THAT(all(render(state_of(12), {.width = 80, .height = 40, .colour = true})), HasSubstr("\x1b[31m"));
}

TEST(View, WithoutUnicodeOnlyAsciiIsDrawn) {
  ViewState state = state_of(12);
  state.tail.clear();
  for (const int nodes : {12, 500}) {
    state.nodes = state_of(nodes).nodes;
    for (const char c : all(render(state, {.width = 80, .height = 30, .unicode = false}))) {
      EXPECT_LT(static_cast<unsigned char>(c), 0x80);
    }
  }
}

TEST(View, ManyNodesAreDrawnAsAMapAndTheHottestNodesAsLines) {
  ViewState state = state_of(1000);
  state.nodes[776].cpu.used = 8;  // node-777
  const std::string text = all(render(state, {.width = 80, .height = 24}));
  EXPECT_THAT(text, HasSubstr("CPU "));
  EXPECT_THAT(text, HasSubstr("node-777"));
  EXPECT_THAT(text, HasSubstr("hottest of 1000 nodes"));
  EXPECT_THAT(text, HasSubstr("event 19"));
}

TEST(View, CordonedAndNotReadyNodesAreMarked) {
  ViewState state = state_of(3);
  state.nodes[0].health = NodeRow::Health::Cordoned;
  state.nodes[1].health = NodeRow::Health::NotReady;
  const auto lines = render(state, {.width = 80, .height = 40});
  EXPECT_THAT(lines, Contains(testing::AllOf(HasSubstr("node-1 "), HasSubstr("cordoned"))));
  EXPECT_THAT(lines, Contains(testing::AllOf(HasSubstr("node-2 "), HasSubstr("NOT READY"))));
}

TEST(View, TheBarShowsTheUsageAndMarksTheRequests) {
  const ViewStyle style{.unicode = false};
  EXPECT_EQ(use_bar({.used = 4, .requested = 0, .capacity = 8}, 10, style), "#####.....");
  EXPECT_EQ(use_bar({.used = 2, .requested = 6, .capacity = 8}, 8, style), "##....|.");
  EXPECT_EQ(use_bar({.used = 8, .requested = 2, .capacity = 8}, 8, style), "##|#####");
  EXPECT_EQ(use_bar({.used = 80, .requested = 20, .capacity = 8}, 4, style), "###|");
  EXPECT_EQ(use_bar({}, 4, style), "....");
}

TEST(View, TheStatusLineShowsTimeBalanceHottestNodePodsAndMoves) {
  EXPECT_EQ(status_line(state_of(12)),
            "  1m05s  balance  42  hottest node  90%  pods 40 running, 1 pending, 2 starting  moves 0");
}

TEST(View, TheSummaryComparesTheEndWithTheStart) {
  ViewState first = state_of(12);
  ViewState last = first;
  last.balance = 97.4;
  last.moves = 9;
  EXPECT_THAT(summary(first, last), Contains("balance 42 at first, 97 at the end; 9 moves"));
}

TEST(Text, TablesHaveColumnsAsWideAsTheirWidestCell) {
  EXPECT_THAT(aligned({{"NODE", "WHY"}, {"你好", "no room"}, {"a"}}),
              ::testing::ElementsAre("NODE  WHY", "你好  no room", "a"));
  EXPECT_THAT(aligned({{"a", ""}, {"bbb", "c"}}), ::testing::ElementsAre("a    ", "bbb  c"));
}

TEST(Text, ColumnsCountTheDisplayWidthAndNotBytes) {
  EXPECT_EQ(columns_of("abc"), 3U);
  EXPECT_EQ(columns_of("█▏"), 2U);
  EXPECT_EQ(columns_of("你好"), 4U);
  EXPECT_EQ(columns_of("\x1b[31mred\x1b[0m"), 3U);
  EXPECT_EQ(clipped("你好吗", 5), "你好~");
  EXPECT_EQ(clipped("abc", 3), "abc");
  EXPECT_EQ(clipped("\x1b[31mred\x1b[0m", 2), "\x1b[31mr~\x1b[0m");
  EXPECT_EQ(padded("ab", 4), "ab  ");
}

TEST(Text, NumbersInNamesAreComparedAsNumbers) {
  EXPECT_TRUE(natural_less("node-2", "node-10"));
  EXPECT_FALSE(natural_less("node-10", "node-2"));
  EXPECT_TRUE(natural_less("a-10", "b-2"));
  EXPECT_TRUE(natural_less("a", "a1"));
  EXPECT_FALSE(natural_less("a-2", "a-2"));
}

}  // namespace
}  // namespace rescheduler::cli
