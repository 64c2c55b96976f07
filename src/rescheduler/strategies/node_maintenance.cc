// NodeMaintenance: what is to leave, and whether it can. Everything is tried out first, also what the caps leave for
// later rounds, so that the answer to "can this node be emptied" comes before the first pod moves.
#include <algorithm>

#include <fmt/format.h>

#include "rescheduler/strategies/strategies.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::NodeIndex;
using cluster::PodIndex;
using config::Strategy;

struct Verdict {
  std::size_t going = 0;
  std::size_t later = 0;                           // for which the caps leave no room in this plan
  std::map<std::string_view, std::size_t> stay{};  // by code
};

// Stay with their node by their nature: nobody waits for them to leave.
bool belongs_to_node(const Stays& stays) { return stays.code == why::kDaemon || stays.code == why::kMirror; }

// The largest first: they are the hardest to place.
void sort_by_size(const Draft& draft, std::vector<PodIndex>& pods) {
  const auto size = [&](PodIndex pod) {
    const cluster::Amounts& asked = draft.cluster().pod(pod).form->needs->requests.plain;
    return std::pair(-asked.cpu, -asked.memory);
  };
  std::ranges::sort(pods, [&](PodIndex a, PodIndex b) {
    const auto of_a = size(a);
    const auto of_b = size(b);
    return of_a != of_b ? of_a < of_b : a < b;
  });
}

std::string verdict_text(const std::string& node, const Verdict& verdict) {
  std::size_t stay = 0;
  std::string codes;
  for (const auto& [code, count] : verdict.stay) {
    stay += count;
    codes += fmt::format("{}{} {}", codes.empty() ? "" : ", ", count, code);
  }
  const std::size_t all = verdict.going + verdict.later + stay;
  if (all == 0) return fmt::format("node {} is empty but for pods that belong to it", node);
  std::string text = stay == 0
                         ? fmt::format("node {} can be emptied: {} of {} pods go now", node, verdict.going, all)
                         : fmt::format("node {} cannot be emptied: {} of {} pods go now", node, verdict.going, all);
  if (verdict.later != 0) text += fmt::format(", {} later", verdict.later);
  if (stay != 0) text += fmt::format(", {} stay ({})", stay, codes);
  return text;
}

class Emptying {
 public:
  explicit Emptying(Draft& draft) : draft_(draft) {}

  void add(NodeIndex node);
  void run();

 private:
  bool place(PodIndex pod);

  Draft& draft_;
  std::vector<NodeIndex> nodes_;
  std::map<NodeIndex, Verdict> verdicts_;
  std::vector<PodIndex> leaving_;  // by node, the largest first
  std::vector<PodIndex> later_;
};

void Emptying::add(NodeIndex index) {
  nodes_.push_back(index);
  Verdict& verdict = verdicts_[index];
  // Those that found a place in an earlier turn.
  for (const auto& [pod, intent] : draft_.intents()) {
    if (intent.strategy == Strategy::NodeMaintenance && draft_.is_moved(pod) && draft_.trial().first_on(pod) == index)
      ++verdict.going;
  }
  std::vector<PodIndex> leaving;
  for (const PodIndex pod : draft_.cluster().node(index).pods) {
    const auto stays = draft_.why_stays(pod, Purpose::Empty);
    if (!stays) {
      leaving.push_back(pod);
      continue;
    }
    if (belongs_to_node(*stays)) continue;
    // What is going already is no blocker, only slow.
    if (stays->code != why::kTerminating) ++verdict.stay[stays->code];
    draft_.refuse(pod, *stays);
  }
  sort_by_size(draft_, leaving);
  leaving_.insert(leaving_.end(), leaving.begin(), leaving.end());
}

bool Emptying::place(PodIndex pod) {
  const NodeIndex from = draft_.cluster().pod(pod).node;
  const bool now = draft_.within_caps(pod);
  draft_.trial().lift(pod);
  const NodeIndex target = draft_.best_target(pod);
  draft_.trial().put_down(pod, target == cluster::kNoNode ? from : target);
  if (target == cluster::kNoNode) return false;
  if (now) {
    draft_.moved(pod, {.strategy = Strategy::NodeMaintenance,
                       .cause = fmt::format("{} is under maintenance", draft_.name_of(from))});
    ++verdicts_[from].going;
  } else {
    later_.push_back(pod);
    ++verdicts_[from].later;
  }
  return true;
}

// Again as long as anybody finds a place: who wants to be near another may have to wait for that one to go first.
void Emptying::run() {
  std::size_t before = 0;
  do {
    before = leaving_.size();
    std::erase_if(leaving_, [&](PodIndex pod) { return place(pod); });
  } while (!leaving_.empty() && leaving_.size() < before);
  for (const PodIndex pod : leaving_) {
    const NodeIndex from = draft_.cluster().pod(pod).node;
    draft_.trial().lift(pod);
    const Stays stays{why::kNoTarget, draft_.nobody_takes(pod)};
    draft_.trial().put_down(pod, from);
    ++verdicts_[from].stay[stays.code];
    draft_.refuse(pod, stays);
  }
  for (const PodIndex pod : later_) draft_.trial().move(pod, draft_.trial().home_of(pod));
  for (const NodeIndex index : nodes_) {
    draft_.note_about("node " + draft_.name_of(index), verdict_text(draft_.name_of(index), verdicts_[index]));
  }
}

}  // namespace

void empty_draining_nodes(Draft& draft) {
  std::vector<std::pair<std::string, NodeIndex>> nodes;
  for (const NodeIndex index : draft.cluster().existing_nodes()) {
    if (!draft.rules().drains(index)) continue;
    if (draft.rules().is_off(index, Strategy::NodeMaintenance)) {
      draft.note(fmt::format("node {} is under maintenance, which is off in its pool", draft.name_of(index)));
      continue;
    }
    nodes.emplace_back(draft.name_of(index), index);
  }
  std::ranges::sort(nodes);
  Emptying emptying(draft);
  for (const auto& [name, index] : nodes) emptying.add(index);
  emptying.run();
}

}  // namespace rescheduler::rescheduling
