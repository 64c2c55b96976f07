#include "rescheduling/planning/run_until_stable.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "rescheduling/strategies/strategies.h"

namespace rescheduler::rescheduling {
namespace {

using config::Strategy;
using Places = std::vector<std::pair<cluster::PodIndex, cluster::NodeIndex>>;

// Rounds in which every strategy runs once. Two rounds are nearly always enough: the second finds nothing.
constexpr int kMostRounds = 8;
// Restarts with all strategies, after a subset of the strategies became stable.
constexpr int kMostBeginnings = 4;

void apply(Strategy strategy, PlanBuilder& builder) {
  std::span<const StrategyEntry> table = builder.request().table;
  if (table.empty()) table = kByImportance;
  std::ranges::find(table, strategy, &StrategyEntry::strategy)->apply(builder);
}

class StableRun {
 public:
  explicit StableRun(PlanBuilder& builder) : builder_(builder) {
    const PlanRequest& request = builder.request();
    if (request.clock != nullptr && request.time) ends_ = request.clock->steady_now() + *request.time;
  }
  void run();

 private:
  bool over() const;
  bool rounds(const std::vector<Strategy>& strategies);
  std::optional<std::vector<Strategy>> begin();

  PlanBuilder& builder_;
  std::optional<SteadyTime> ends_;
};

// The caps or the time are used up.
bool StableRun::over() const {
  return builder_.left_in_total() == 0 || (ends_ && builder_.request().clock->steady_now() >= *ends_);
}

// False: the strategies repeat an earlier state, or need more than kMostRounds.
bool StableRun::rounds(const std::vector<Strategy>& strategies) {
  std::set<Places> seen{builder_.places()};
  for (int i = 0; i < kMostRounds; ++i) {
    bool quiet = true;
    for (const Strategy strategy : strategies) {
      const Places before = builder_.places();
      builder_.begin_round();
      apply(strategy, builder_);
      quiet = quiet && builder_.places() == before;
    }
    if (quiet || over()) return true;
    if (!seen.insert(builder_.places()).second) return false;
  }
  return false;
}

// Tries all strategies, then smaller sets that keep the more important strategies. Returns the strategies that are left
// out; empty optional: no set becomes stable.
std::optional<std::vector<Strategy>> StableRun::begin() {
  const std::vector<Strategy>& all = builder_.request().strategies;
  const PlanBuilder::Saved saved = builder_.save();
  for (std::uint32_t set = (1U << all.size()) - 1; set != 0; --set) {
    std::vector<Strategy> in;
    std::vector<Strategy> out;
    for (std::size_t i = 0; i < all.size(); ++i) {
      (((set >> (all.size() - 1 - i)) & 1U) != 0 ? in : out).push_back(all[i]);
    }
    if (rounds(in)) return out;
    builder_.go_back(saved);
  }
  return std::nullopt;
}

void StableRun::run() {
  if (builder_.request().strategies.empty()) return;
  for (int i = 0; i < kMostBeginnings; ++i) {
    const Places before = builder_.places();
    const auto left_out = begin();
    if (!left_out || left_out->empty()) return;
    if (builder_.places() != before && !over()) continue;
    for (const Strategy strategy : *left_out) {
      builder_.note(fmt::format("{} is skipped: other strategies would undo its moves", to_string(strategy)));
    }
    return;
  }
}

}  // namespace

void run_until_stable(PlanBuilder& builder) { StableRun(builder).run(); }

}  // namespace rescheduler::rescheduling
