// A bench with the plugin Rescheduler, and nodes with a given load.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "placement/testing.h"

namespace rescheduler::placement::testing {

inline Profile by_load(const ReschedulerArgs& args, const std::vector<std::string>& plugins = {"Rescheduler"}) {
  Profile profile = profile_of(plugins);
  profile.args["Rescheduler"] = args;
  return profile;
}

struct LoadBench : Bench {
  explicit LoadBench(const ReschedulerArgs& args = {}) : Bench(by_load(args)) {}
  explicit LoadBench(const Profile& profile) : Bench(profile) {}

  cluster::NodeIndex index(const std::string& node) { return model().find_node(node).value(); }
  const cluster::NodeLoad& load(const std::string& node) { return model().node(index(node)).load; }

  // A node of 4 CPUs and 32 GiB with this load.
  LoadBench& uses(const std::string& node, double cpu, double memory) {
    cluster::NodeLoad load;
    load.used[cluster::kCpuLoad] = cpu;
    load.used[cluster::kMemoryLoad] = memory;
    return loaded(node, load);
  }
  LoadBench& loaded(const std::string& node, const cluster::NodeLoad& load) {
    if (!model().find_node(node)) add(cluster::testing::node(node));
    model().set_load(index(node), load);
    return *this;
  }
  LoadBench& reserve(const std::string& node, double cpu, double memory) {
    cluster::NodeLoad changed = load(node);
    changed.reserved[cluster::kCpuLoad] += cpu;
    changed.reserved[cluster::kMemoryLoad] += memory;
    return loaded(node, changed);
  }
  // Sets the LoadSummary as usage/ does: the means of the nodes whose load is known.
  cluster::ClusterEventPtr update_summary(cluster::LoadBasis basis = cluster::LoadBasis::Usage,
                                          const std::vector<std::string>& further = {}) {
    cluster::LoadSummary load_summary;
    load_summary.basis = basis;
    for (const std::string& name : further) load_summary.resources.push_back(name);
    for (std::size_t r = 0; r < load_summary.resources.size(); ++r) {
      double sum = 0;
      double known = 0;
      for (const cluster::NodeIndex at : model().existing_nodes()) {
        const cluster::NodeLoad& one = model().node(at).load;
        if (!one.knows(r)) continue;
        sum += one.predicted(r);
        known += 1;
      }
      if (known > 0) load_summary.mean[r] = sum / known;
    }
    model().set_load_summary(load_summary);
    return std::make_shared<const cluster::ClusterEvent>(cluster::ClusterEvent{
        .resource = cluster::EventResource::Load, .actions = cluster::ActionType::Update, .label = "LoadUpdate"});
  }
  std::int64_t score(const std::string& node, const api::Pod& pod) { return raw("Rescheduler", pod).at(node); }
};

}  // namespace rescheduler::placement::testing
