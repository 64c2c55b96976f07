// NodeMaintenance: which pods leave a node, and whether they can. All moves are tried first, including those that the
// caps leave for later plans. So it is known whether the node can be emptied before the first pod moves.
#include <algorithm>

#include <fmt/format.h>

#include "rescheduling/strategies/strategies.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::NodeIndex;
using cluster::PodIndex;
using config::Strategy;

struct Verdict {
  std::size_t going = 0;
  std::size_t later = 0;                           // postponed to a later plan by the caps
  std::size_t left = 0;                            // left on the node by the policy
  std::map<std::string_view, std::size_t> stay{};  // by code
};

// DaemonSet pods and static pods stay on their node; the drain does not wait for them.
bool belongs_to_node(const MoveBlocker& blocker) {
  return blocker.code == why::kDaemon || blocker.code == why::kMirror;
}

// Largest first, because large pods are the hardest to place.
void sort_by_size(const PlanBuilder& builder, std::vector<PodIndex>& pods) {
  const auto size = [&](PodIndex pod) {
    const cluster::ResourceList& asked = builder.cluster().pod(pod).compiled_spec->requirements->requests.plain;
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
  const std::string left =
      verdict.left == 0 ? std::string{} : fmt::format("; its policy leaves {} on the node", verdict.left);
  if (all == 0) return fmt::format("node {} is drained; only DaemonSet pods and static pods remain{}", node, left);
  std::string text = stay == 0
                         ? fmt::format("node {} can be drained: {} of {} pods move now", node, verdict.going, all)
                         : fmt::format("node {} cannot be drained: {} of {} pods move now", node, verdict.going, all);
  if (verdict.later != 0) text += fmt::format(", {} later", verdict.later);
  if (stay != 0) text += fmt::format(", {} stay ({})", stay, codes);
  return text + left;
}

class Emptying {
 public:
  explicit Emptying(PlanBuilder& builder) : builder_(builder) {}

  void add(NodeIndex node);
  void run();

 private:
  bool place(PodIndex pod);

  PlanBuilder& builder_;
  std::vector<NodeIndex> nodes_;
  std::map<NodeIndex, Verdict> verdicts_;
  std::vector<PodIndex> leaving_;  // by node, largest first
  std::vector<PodIndex> later_;
};

void Emptying::add(NodeIndex index) {
  nodes_.push_back(index);
  Verdict& verdict = verdicts_[index];
  // Pods that got a target in an earlier round.
  for (const auto& [pod, intent] : builder_.intents()) {
    if (intent.strategy == Strategy::NodeMaintenance && builder_.is_moved(pod)
        && builder_.what_if().first_on(pod) == index)
      ++verdict.going;
  }
  std::vector<PodIndex> leaving;
  for (const PodIndex pod : builder_.cluster().node(index).pods) {
    const auto blocker = builder_.why_not_movable(pod, Purpose::Empty);
    if (!blocker) {
      leaving.push_back(pod);
      continue;
    }
    if (belongs_to_node(*blocker)) continue;
    if (blocker->left) {
      ++verdict.left;
    } else if (blocker->code != why::kTerminating) {  // a terminating pod does not block the drain, it only delays it
      ++verdict.stay[blocker->code];
    }
    builder_.refuse(pod, *blocker);
  }
  sort_by_size(builder_, leaving);
  leaving_.insert(leaving_.end(), leaving.begin(), leaving.end());
}

bool Emptying::place(PodIndex pod) {
  const NodeIndex from = builder_.cluster().pod(pod).node;
  const bool now = builder_.within_caps(pod);
  builder_.what_if().unassign(pod);
  const NodeIndex target = builder_.best_target(pod);
  builder_.what_if().assign(pod, target == cluster::kNoNode ? from : target);
  if (target == cluster::kNoNode) return false;
  if (now) {
    builder_.moved(pod, {.strategy = Strategy::NodeMaintenance,
                         .cause = fmt::format("{} is under maintenance", builder_.name_of(from))});
    ++verdicts_[from].going;
  } else {
    later_.push_back(pod);
    ++verdicts_[from].later;
  }
  return true;
}

// Repeats as long as a pod gets a target: a pod with affinity to another can need the other to move first.
void Emptying::run() {
  std::size_t before = 0;
  do {
    before = leaving_.size();
    std::erase_if(leaving_, [&](PodIndex pod) { return place(pod); });
  } while (!leaving_.empty() && leaving_.size() < before);
  for (const PodIndex pod : leaving_) {
    const NodeIndex from = builder_.cluster().pod(pod).node;
    builder_.what_if().unassign(pod);
    const MoveBlocker blocker{why::kNoTarget, builder_.why_no_target(pod)};
    builder_.what_if().assign(pod, from);
    ++verdicts_[from].stay[blocker.code];
    builder_.refuse(pod, blocker);
  }
  for (const PodIndex pod : later_) builder_.what_if().move(pod, builder_.what_if().home_of(pod));
  for (const NodeIndex index : nodes_) {
    builder_.note_about("node " + builder_.name_of(index), verdict_text(builder_.name_of(index), verdicts_[index]));
  }
}

}  // namespace

void empty_draining_nodes(PlanBuilder& builder) {
  std::vector<std::pair<std::string, NodeIndex>> nodes;
  for (const NodeIndex index : builder.cluster().existing_nodes()) {
    if (!builder.rules().drains(index)) continue;
    if (builder.rules().is_off(index, Strategy::NodeMaintenance)) {
      builder.note(
          fmt::format("node {} is under maintenance, but NodeMaintenance is off in its pool", builder.name_of(index)));
      continue;
    }
    nodes.emplace_back(builder.name_of(index), index);
  }
  std::ranges::sort(nodes);
  Emptying emptying(builder);
  for (const auto& [name, index] : nodes) emptying.add(index);
  emptying.run();
}

}  // namespace rescheduler::rescheduling
