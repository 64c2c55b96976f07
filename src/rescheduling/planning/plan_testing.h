// Builds a snapshot in a few lines, and plans for it.
//
//   PlanBench bench;
//   bench.node("a", 0.9, 0.4).node("b", 0.2, 0.4);
//   bench.pods("web", 4, "a", "500m", "1Gi");
//   EXPECT_EQ(moves_of(bench.plan({Strategy::LoadBalancing})), ...);
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster/testing.h"
#include "config/rescheduler_settings.h"
#include "placement/framework.h"
#include "rescheduling/planning/make_plan.h"
#include "rescheduling/planning/snapshot.h"

namespace rescheduler::rescheduling::testing {

using cluster::testing::budget;
using cluster::testing::BudgetBuilder;
using cluster::testing::NodeBuilder;
using cluster::testing::PodBuilder;
using config::Strategy;

inline constexpr std::int64_t kNow = 1'800'000'000;  // seconds since 1970

// A pod of a ReplicaSet that has been running and ready for an hour.
PodBuilder running(const std::string& name, const std::string& owner = "web");
// A copy of the pod after `change`, for example without its owner or not ready.
PodBuilder changed(const api::Pod& pod, const std::function<void(api::Pod&)>& change);

class PlanBench {
 public:
  PlanBench();

  // A node with 4 CPUs and 32 GiB and this load; NaN: unknown.
  PlanBench& node(const std::string& name, double cpu, double memory);
  PlanBench& add(const NodeBuilder& node);
  PlanBench& add(const PodBuilder& pod);
  PlanBench& add(const BudgetBuilder& budget);
  // Adds `count` running pods of one owner to a node: <owner>-<node>-<number>.
  PlanBench& pods(const std::string& owner,
                  int count,
                  const std::string& node,
                  const std::string& cpu,
                  const std::string& memory);
  PlanBench& uses(const std::string& node, double cpu, double memory);
  PlanBench& pod_uses(const std::string& uid, double cores, double bytes);
  // A workload object; `replicas` < 0: the field is not set.
  PlanBench& workload(const std::string& kind, const std::string& name, int replicas);
  // From now on nodes are judged by requests.
  PlanBench& by_requests();

  Plan plan(const std::vector<Strategy>& strategies);
  // Applies the moves: pods and their load move to the targets.
  void carry_out(const Plan& plan);
  void carry_out(const PlannedMove& move);

  Snapshot snapshot;
  config::ReschedulerSettings args;
  PlanRequest request;  // all but args, framework and strategies

 private:
  void look();
  std::unique_ptr<placement::Framework> framework_;
  std::map<std::string, PodBuilder> pods_;  // by uid
  bool measured_ = true;
};

// "web-1 a -> b", in the order of the plan.
std::vector<std::string> moves_of(const Plan& plan);
// Refusal codes by pod.
std::map<std::string, std::string> refusals_of(const Plan& plan);
// The whole cluster model as text, to check that it is unchanged.
std::string text_of(const Snapshot& snapshot);

}  // namespace rescheduler::rescheduling::testing
