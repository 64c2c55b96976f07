// PodDisruptionBudgets: how many pods of a group may be disrupted now.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "base/copy_on_write.h"
#include "cluster/assigned_pod.h"

namespace rescheduler::api {
class PodDisruptionBudget;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

struct Interner;

struct Budget {
  std::string name{};
  Symbol ns = Symbol::Empty;
  SelectorId selector{};
  std::int64_t disruptions_allowed = 0;
  std::int64_t current_healthy = 0;
  std::int64_t desired_healthy = 0;
  bool always_lets_unhealthy_go = false;               // unhealthyPodEvictionPolicy: AlwaysAllow
  bool outdated = false;                               // changed since its status was computed
  boost::unordered_flat_set<std::string> disrupted{};  // pods whose disruption is already counted
};

class Budgets {
 public:
  explicit Budgets(Interner& interner) : interner_(interner) {}
  Budgets(const Budgets& other, Interner& interner) : interner_(interner), budgets_(other.budgets_) {}

  void upsert(const api::PodDisruptionBudget& object);
  void remove(std::string_view ns, std::string_view name);
  const std::vector<Budget>& all() const { return *budgets_; }
  // Does the PodDisruptionBudget select this pod? An empty selector selects no pod, and a pod without labels is never
  // selected.
  bool covers(const Budget& budget, const AssignedPod& pod) const;

 private:
  Interner& interner_;
  Cow<std::vector<Budget>> budgets_;
};

}  // namespace rescheduler::cluster
