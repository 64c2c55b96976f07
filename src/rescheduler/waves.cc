#include "rescheduler/waves.h"

#include <algorithm>
#include <map>
#include <set>

namespace rescheduler::rescheduling {
namespace {

using cluster::PodIndex;

// What is under way in the step that is being filled.
class Filling {
 public:
  Filling(const Adapted& adapted, const Draft& draft) : adapted_(adapted), draft_(draft) {}

  bool takes(const planner::Step& step) const;
  void add(const planner::Step& step);

 private:
  static bool full(std::uint32_t most, std::uint32_t count) { return most != 0 && count >= most; }
  template <class Map, class Key>
  static std::uint32_t in(const Map& map, Key key) {
    const auto found = map.find(key);
    return found == map.end() ? 0 : found->second;
  }

  const Adapted& adapted_;
  const Draft& draft_;
  std::uint32_t total_ = 0;
  std::map<planner::Machine, std::uint32_t> leaving_;
  std::map<planner::Machine, std::uint32_t> coming_;
  std::map<cluster::Symbol, std::uint32_t> namespaces_;
  std::map<LineageIndex, std::uint32_t> lineages_;
  std::map<std::uint32_t, std::uint32_t> budgets_;
};

bool Filling::takes(const planner::Step& step) const {
  if (total_ == 0) return true;  // a step of nothing would never end
  const placement::MoveCaps& most = draft_.settings().brakes.at_once;
  const PodIndex pod = adapted_.pods[step.process];
  if (full(most.total, total_) || full(most.per_node, in(leaving_, step.from))
      || full(most.per_node, in(coming_, step.to))
      || full(most.per_namespace, in(namespaces_, draft_.cluster().pod(pod).ns))
      || full(most.per_workload, in(lineages_, draft_.census().lineage_of(pod)))) {
    return false;
  }
  if (in(leaving_, step.to) != 0 || in(coming_, step.from) != 0) return false;
  return std::ranges::all_of(draft_.census().budgets_of(pod), [&](std::uint32_t budget) {
    const std::int64_t allowed = draft_.cluster().budgets().all()[budget].disruptions_allowed;
    return in(budgets_, budget) < allowed;
  });
}

void Filling::add(const planner::Step& step) {
  const PodIndex pod = adapted_.pods[step.process];
  ++total_;
  ++leaving_[step.from];
  ++coming_[step.to];
  ++namespaces_[draft_.cluster().pod(pod).ns];
  ++lineages_[draft_.census().lineage_of(pod)];
  for (const std::uint32_t budget : draft_.census().budgets_of(pod)) ++budgets_[budget];
}

}  // namespace

std::vector<NumberedStep> number_steps(const std::vector<planner::Step>& steps,
                                       const Adapted& adapted,
                                       const Draft& draft) {
  std::vector<NumberedStep> numbered;
  std::uint32_t number = 0;
  for (std::size_t begin = 0; begin < steps.size();) {
    std::size_t end = begin;
    while (end < steps.size() && steps[end].wave == steps[begin].wave) ++end;
    std::vector<planner::Step> waiting(steps.begin() + static_cast<std::ptrdiff_t>(begin),
                                       steps.begin() + static_cast<std::ptrdiff_t>(end));
    while (!waiting.empty()) {
      ++number;
      Filling filling(adapted, draft);
      std::vector<planner::Step> later;
      for (const planner::Step& step : waiting) {
        if (!filling.takes(step)) {
          later.push_back(step);
          continue;
        }
        filling.add(step);
        numbered.push_back({step, number});
      }
      waiting = std::move(later);
    }
    begin = end;
  }
  return numbered;
}

}  // namespace rescheduler::rescheduling
