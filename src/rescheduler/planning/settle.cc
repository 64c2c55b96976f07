#include "rescheduler/planning/settle.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "rescheduler/strategies/strategies.h"

namespace rescheduler::rescheduling {
namespace {

using config::Strategy;
using Places = std::vector<std::pair<cluster::PodIndex, cluster::NodeIndex>>;

// Rounds in which every strategy has its turn. Two do nearly always: the second finds nothing.
constexpr int kMostRounds = 8;
// Begun again from where fewer strategies than all settled.
constexpr int kMostBeginnings = 4;

void apply(Strategy strategy, Draft& draft) {
  std::ranges::find(kByImportance, strategy, &StrategyEntry::strategy)->apply(draft);
}

class Settling {
 public:
  explicit Settling(Draft& draft) : draft_(draft) {
    const PlanRequest& request = draft.request();
    if (request.clock != nullptr && request.time) ends_ = request.clock->steady_now() + *request.time;
  }
  void run();

 private:
  bool over() const;
  bool rounds(const std::vector<Strategy>& strategies);
  std::optional<std::vector<Strategy>> begin();

  Draft& draft_;
  std::optional<SteadyTime> ends_;
};

// Nothing more can come of it.
bool Settling::over() const {
  return draft_.left_in_total() == 0 || (ends_ && draft_.request().clock->steady_now() >= *ends_);
}

// False: they go round in circles.
bool Settling::rounds(const std::vector<Strategy>& strategies) {
  std::set<Places> seen{draft_.places()};
  for (int i = 0; i < kMostRounds; ++i) {
    bool quiet = true;
    for (const Strategy strategy : strategies) {
      const Places before = draft_.places();
      draft_.begin_turn();
      apply(strategy, draft_);
      quiet = quiet && draft_.places() == before;
    }
    if (quiet || over()) return true;
    if (!seen.insert(draft_.places()).second) return false;
  }
  return false;
}

// All of them, else as many as agree: the more important ones first. Who is left out, or nothing: nobody agrees.
std::optional<std::vector<Strategy>> Settling::begin() {
  const std::vector<Strategy>& all = draft_.request().strategies;
  const Draft::Saved saved = draft_.save();
  for (std::uint32_t set = (1U << all.size()) - 1; set != 0; --set) {
    std::vector<Strategy> in;
    std::vector<Strategy> out;
    for (std::size_t i = 0; i < all.size(); ++i) {
      (((set >> (all.size() - 1 - i)) & 1U) != 0 ? in : out).push_back(all[i]);
    }
    if (rounds(in)) return out;
    draft_.go_back(saved);
  }
  return std::nullopt;
}

void Settling::run() {
  if (draft_.request().strategies.empty()) return;
  for (int i = 0; i < kMostBeginnings; ++i) {
    const Places before = draft_.places();
    const auto left_out = begin();
    if (!left_out || left_out->empty()) return;
    if (draft_.places() != before && !over()) continue;
    for (const Strategy strategy : *left_out) {
      draft_.note(fmt::format("{} is skipped: other strategies would undo its moves", to_string(strategy)));
    }
    return;
  }
}

}  // namespace

void settle(Draft& draft) { Settling(draft).run(); }

}  // namespace rescheduler::rescheduling
