// A test bench for decisions: a cluster and kube-scheduler's default profile.
//
//   Bench bench;
//   bench.add(node("n1"));
//   EXPECT_EQ(bench.decide(pod("p")).node, "n1");
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/testing.h"
#include "placement/decide.h"
#include "placement/framework.h"
#include "placement/registry.h"

namespace rescheduler::placement::testing {

// The profile of kube-scheduler 1.36 without a configuration file.
Profile standard_profile();
// Only these plugins, at all their extension points.
Profile profile_of(const std::vector<std::string>& plugins);

struct Verdict {
  Code code = Code::Success;
  Reasons reasons{};
  std::string plugin{};
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// A decision with names instead of indexes, so that decisions of two models of the same cluster can be compared.
struct SchedulingResult {
  struct NodeVictims {
    std::vector<std::string> victims{};  // names, the most important first
    Candidate::Rank rank{};
    friend bool operator==(const NodeVictims&, const NodeVictims&) = default;
  };

  Outcome outcome = Outcome::Failed;
  std::string node{};
  std::vector<std::string> feasible{};                                      // sorted
  std::vector<std::string> best{};                                          // sorted
  std::map<std::string, std::int64_t> totals{};                             // by node
  std::map<std::string, std::map<std::string, std::int64_t>> raw{};         // by plugin, by node
  std::map<std::string, std::map<std::string, std::int64_t>> normalized{};  // by plugin, by node
  std::map<std::string, Verdict> verdicts{};                                // of the rejected nodes, by node
  std::map<std::string, NodeVictims> candidates{};                          // for preemption, by node
  std::vector<std::string> victims{};
  std::set<std::string> rejected_by{};
  std::string message{};
};

std::ostream& operator<<(std::ostream& out, const Verdict& verdict);
// Describes how two results for the same pod differ; empty: they are equal. The choice between equally good nodes may
// differ.
std::string difference(const SchedulingResult& a, const SchedulingResult& b);

class Bench {
 public:
  explicit Bench(const Profile& profile = standard_profile(), const Registry& registry = Registry::standard());

  Bench& add(const cluster::testing::NodeBuilder& node);
  Bench& add(const cluster::testing::PodBuilder& pod);
  Bench& add(const cluster::testing::NamespaceBuilder& ns);
  Bench& add(const cluster::testing::BudgetBuilder& budget);
  Bench& nominate(const api::Pod& pod, const std::string& node);
  void forget_nominations() { nominated_.clear(); }

  SchedulingResult decide(const api::Pod& pod, DecideOptions options = {.explain = true});
  // The result of one plugin for a pod on a node, including its PreFilter.
  Verdict ask(std::string_view plugin, const api::Pod& pod, const std::string& node);
  // The hint of the plugin for an event; Skip if the plugin is not registered for it.
  QueueingHint hint(std::string_view plugin, const api::Pod& waiting, const cluster::ClusterEventPtr& what);
  // After PreScore, before and after normalize(); empty: no scores.
  std::map<std::string, std::int64_t> raw(std::string_view plugin, const api::Pod& pod);
  std::map<std::string, std::int64_t> scores(std::string_view plugin, const api::Pod& pod);

  cluster::Cluster& model() { return *cluster_; }
  const Framework& framework() const { return *framework_; }

 private:
  // Keeps the compiled spec alive, as the queue does for waiting pods: results are cached only for a spec in use.
  const cluster::CompiledPodSpec& compiled_spec_of(const api::Pod& pod) {
    return *pod_specs_.insert(cluster_->compiled_spec_of(pod)).first->get();
  }

  std::unique_ptr<cluster::Cluster> cluster_;
  std::set<cluster::CompiledPodSpecPtr> pod_specs_;
  std::unique_ptr<Framework> framework_;
  NominatedPods nominated_;
};

}  // namespace rescheduler::placement::testing
