#include "usage/habits.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "cluster/estimate.h"
#include "cluster/objects/pods.h"
#include "kube/proto/core_pod.pb.h"
#include "usage/half_life.h"

namespace rescheduler::usage {
namespace {

// Samples are means over a quarter of a minute or more; a workload's pods together jump less than one of them does.
constexpr std::chrono::minutes kHalfLife{1};
// What runs once a day is known the next day.
constexpr std::chrono::hours kKept{26};
}  // namespace

std::string workload_of(const api::Pod& pod) {
  const cluster::WorkloadName workload = cluster::workload_of(pod);
  if (workload.kind.empty()) return {};
  return fmt::format("{}/{}/{}", pod.metadata().namespace_(), workload.kind, workload.name);
}

const Habit* habit_of(const HabitsPtr& habits, const api::Pod& pod) {
  if (habits == nullptr || habits->empty()) return nullptr;
  const auto found = habits->find(workload_of(pod));
  return found == habits->end() ? nullptr : &found->second;
}

cluster::Loads expected_loads(const cluster::PodRequests& requests,
                              const Habit* habit,
                              const cluster::Amounts& allocatable) {
  cluster::Loads loads = cluster::estimated_loads(requests, allocatable);
  if (habit == nullptr) return loads;
  const auto raise = [&](std::size_t resource, double amount, std::int64_t whole) {
    // A node that has nothing of it to give is full by the estimate already.
    if (whole > 0) loads[resource] = std::max(loads[resource], amount / static_cast<double>(whole));
  };
  raise(cluster::kCpuLoad, habit->milli_cpu, allocatable.cpu);
  raise(cluster::kMemoryLoad, habit->memory, allocatable.memory);
  return loads;
}

void HabitKeeper::saw(const std::string& workload, const Habit& mean, WallTime now) {
  if (workload.empty() || !std::isfinite(mean.milli_cpu) || !std::isfinite(mean.memory)) return;
  const auto [place, fresh] = known_.try_emplace(workload, Known{mean, now});
  if (fresh) return;
  Known& known = place->second;
  const double weight = weight_of_new(now - known.seen, kHalfLife);
  known.habit.milli_cpu += weight * (mean.milli_cpu - known.habit.milli_cpu);
  known.habit.memory += weight * (mean.memory - known.habit.memory);
  known.seen = now;
}

HabitsPtr HabitKeeper::take(WallTime now) {
  boost::unordered::erase_if(known_, [&](const auto& entry) { return now - entry.second.seen > kKept; });
  auto habits = std::make_shared<Habits>();
  habits->reserve(known_.size());
  for (const auto& [workload, known] : known_) habits->emplace(workload, known.habit);
  return habits;
}

}  // namespace rescheduler::usage
