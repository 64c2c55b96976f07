// Small random clusters for property tests. They have few nodes, zones, labels and sizes, so that a random step is
// likely to affect a random pod.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "placement/testing.h"

namespace rescheduler::placement::testing {

using cluster::testing::NamespaceBuilder;
using cluster::testing::NodeBuilder;
using cluster::testing::PodBuilder;

int pick(int count);  // 0 to count - 1, from rapidcheck
bool one_in(int count);
std::string pick(const std::vector<std::string>& words);

NodeBuilder random_node(const std::string& name);
// No two pods of one test start at the same time, so that their order of importance is unique.
PodBuilder random_pod(const std::string& name);
void give_requests(PodBuilder& pod);

// The objects of a cluster, and the model that has processed all their changes.
class ClusterFuzzer {
 public:
  enum class Kind { NodeUpserted, NodeRemoved, PodUpserted, PodRemoved, NamespaceChanged, Assumed, Forgotten, Nothing };
  struct Step {
    Kind kind = Kind::Nothing;
    cluster::ClusterEventPtr event{};
    std::string text{};
  };

  ClusterFuzzer();
  Step random_step();
  // Builds a model that has seen only the last state of each object.
  void build(Bench& fresh) const;
  void repeat_nominations(Bench& bench) const;
  Bench& incremental() { return incremental_; }

  Step upsert_node(const std::string& name, const NodeBuilder& node);
  Step remove_node(const std::string& name);
  Step upsert_pod(const std::string& name, const PodBuilder& pod);
  Step remove_pod(const std::string& name);
  const std::map<std::string, NodeBuilder>& nodes() const { return nodes_; }
  const std::map<std::string, PodBuilder>& pods() const { return pods_; }
  std::size_t assumed() const { return assumed_.size(); }

 private:
  Step change_namespace();
  Step assume(const std::string& name);
  Step confirm_or_forget(std::string name);
  Step change_pod(const std::string& name);
  void nominate_or_not();

  Bench incremental_;
  std::map<std::string, NodeBuilder> nodes_;
  std::map<std::string, PodBuilder> pods_;         // confirmed pods
  std::map<std::string, PodBuilder> assumed_;      // without a node in their spec
  std::map<std::string, std::string> assumed_on_;  // node by pod
  std::map<std::string, NamespaceBuilder> namespaces_;
  std::vector<std::pair<PodBuilder, std::string>> nominated_;
};

}  // namespace rescheduler::placement::testing
