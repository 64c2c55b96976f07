#include "scheduler/extender_chain.h"

#include <algorithm>
#include <map>

#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::scheduler {
namespace {

using placement::Code;
using placement::Status;

// Extenders score from 0 to 10, plugins from 0 to 100.
constexpr std::int64_t kScoreScale = 10;

std::vector<std::string> names_of(const placement::Cycle& cycle) {
  std::vector<std::string> names;
  for (const cluster::NodeIndex node : cycle.feasible()) names.push_back(cycle.context().cluster.node(node).node->name);
  return names;
}

PodPtr copy_of(const api::Pod& pod) { return std::make_shared<const api::Pod>(pod); }

// The victims as names only; the network loop replaces them by the full objects.
kube::VictimsByNode named_victims(const placement::Cycle& cycle, const std::vector<placement::Candidate>& candidates) {
  const cluster::Cluster& cluster = cycle.context().cluster;
  kube::VictimsByNode victims;
  for (const placement::Candidate& one : candidates) {
    kube::Victims& there = victims[cluster.node(one.node).node->name];
    there.pdb_violations = one.budget_violations;
    for (const cluster::PodIndex index : one.victims) {
      const cluster::AssignedPod& pod = cluster.pod(index);
      api::Pod named;
      named.mutable_metadata()->set_namespace_(cluster.text(pod.ns));
      named.mutable_metadata()->set_name(pod.name);
      named.mutable_metadata()->set_uid(pod.uid);
      there.pods.push_back(std::make_shared<const api::Pod>(std::move(named)));
    }
  }
  return victims;
}

kube::ExtenderBindingArgs binding_args(const BindAction& action) {
  const auto& meta = action.pod->metadata();
  return {meta.name(), meta.namespace_(), meta.uid(), action.node};
}

}  // namespace

Result<std::unique_ptr<ExtenderChain>> ExtenderChain::make(const std::vector<config::Extender>& extenders,
                                                           net::EventLoop* network,
                                                           kube::LoopServices services) {
  if (extenders.empty()) return std::unique_ptr<ExtenderChain>();
  if (network == nullptr) {
    return fail(Errc::Unsupported, "extenders cannot be called here: decisions share a thread with the network");
  }
  Clients clients;
  for (const bool ignorable : {false, true}) {
    for (const config::Extender& extender : extenders) {
      if (extender.ignorable != ignorable) continue;
      auto client = ExtenderClient::make(services.executor, extender);
      if (!client) return fail(std::move(client.error()));
      clients.push_back(std::move(*client));
    }
  }
  return std::unique_ptr<ExtenderChain>(new ExtenderChain(std::move(clients), *network));
}

std::vector<NodePtr> ExtenderChain::nodes_named(const std::vector<std::string>& names) const {
  std::vector<NodePtr> nodes;
  for (const std::string& name : names) {
    if (NodePtr node = lookup_.node(name)) nodes.push_back(std::move(node));
  }
  return nodes;
}

net::Task<Result<ExtenderFiltered>> ExtenderChain::ask_filter(PodPtr pod, std::vector<std::string> names) {
  ExtenderFiltered all;
  all.passing = nodes_named(names);
  for (const auto& client : clients_) {
    if (all.passing.empty()) break;
    if (!client->is_filter() || !client->is_interested(*pod)) continue;
    auto answer = co_await client->filter(pod, all.passing);
    if (!answer && client->is_ignorable()) continue;
    if (!answer) co_return fail(std::move(answer.error()));
    all.passing = std::move(answer->passing);
    all.failed.merge(answer->failed);
    all.failed_and_unresolvable.merge(answer->failed_and_unresolvable);
  }
  co_return all;
}

Status ExtenderChain::filter(placement::Cycle& cycle) {
  auto answer = network_.await_result(ask_filter(copy_of(cycle.context().pod), names_of(cycle)));
  if (!answer) return {Code::Error, {answer.error().message}};
  const auto refused = [&](const kube::NodeReasons& reasons, Code code) {
    for (const auto& [name, why] : reasons) {
      const auto node = cycle.context().cluster.find_node(name);
      if (!node || std::ranges::find(cycle.feasible(), *node) == cycle.feasible().end()) continue;
      cycle.refuse(*node, {code, {why}, "Extender"});
    }
  };
  refused(answer->failed_and_unresolvable, Code::UnschedulableAndUnresolvable);
  refused(answer->failed, Code::Unschedulable);
  // A node that the answer does not mention is rejected without a reason.
  const auto left = cycle.feasible();
  for (const cluster::NodeIndex index : left) {
    const std::string& name = cycle.context().cluster.node(index).node->name;
    const bool passes =
        std::ranges::any_of(answer->passing, [&](const NodePtr& node) { return node->metadata().name() == name; });
    if (!passes) cycle.refuse(index, {Code::Unschedulable, {}, "Extender"});
  }
  return {};
}

net::Task<Result<std::vector<ExtenderPriorities>>> ExtenderChain::ask_scores(PodPtr pod,
                                                                             std::vector<std::string> names) {
  const auto nodes = nodes_named(names);
  std::vector<ExtenderPriorities> all;
  for (const auto& client : clients_) {
    if (!client->is_prioritizer() || !client->is_interested(*pod)) continue;
    auto answer = co_await client->prioritize(pod, nodes);
    if (answer) all.push_back(std::move(*answer));  // an extender that fails does not score
  }
  co_return all;
}

std::vector<std::int64_t> ExtenderChain::scores(const placement::Cycle& cycle) {
  const bool any_interested = std::ranges::any_of(clients_, [&](const auto& client) {
    return client->is_prioritizer() && client->is_interested(cycle.context().pod);
  });
  if (!any_interested) return {};
  const auto answer = network_.await_result(ask_scores(copy_of(cycle.context().pod), names_of(cycle)));
  if (!answer) return {};
  std::map<std::string, std::int64_t> sums;
  for (const ExtenderPriorities& one : *answer) {
    for (const kube::HostPriority& host : one.scores) sums[host.host] += host.score * one.weight * kScoreScale;
  }
  std::vector<std::int64_t> scores;
  for (const std::string& name : names_of(cycle)) scores.push_back(sums[name]);
  return scores;
}

net::Task<Result<kube::VictimsByNode>> ExtenderChain::ask_preemption(PodPtr pod, kube::VictimsByNode victims) {
  for (auto& [node, there] : victims) {
    for (PodPtr& one : there.pods) {
      if (PodPtr whole = lookup_.pod(one->metadata().namespace_(), one->metadata().name())) one = std::move(whole);
    }
  }
  const kube::VictimsByNode known = victims;
  const PodLookup lookup = [&known](const std::string& node, const std::string& uid) -> PodPtr {
    const auto there = known.find(node);
    if (there == known.end()) return nullptr;
    const auto found =
        std::ranges::find_if(there->second.pods, [&](const PodPtr& one) { return one->metadata().uid() == uid; });
    return found == there->second.pods.end() ? nullptr : *found;
  };
  for (const auto& client : clients_) {
    if (!client->supports_preemption() || !client->is_interested(*pod)) continue;
    auto answer = co_await client->process_preemption(pod, victims, lookup);
    if (!answer && client->is_ignorable()) continue;
    if (!answer) co_return fail(std::move(answer.error()));
    victims = std::move(*answer);
    if (victims.empty()) break;
  }
  co_return victims;
}

Status ExtenderChain::review(const placement::Cycle& cycle, std::vector<placement::Candidate>& candidates) {
  const auto answer =
      network_.await_result(ask_preemption(copy_of(cycle.context().pod), named_victims(cycle, candidates)));
  if (!answer) return {Code::Error, {answer.error().message}};
  const cluster::Cluster& cluster = cycle.context().cluster;
  std::erase_if(candidates, [&](placement::Candidate& one) {
    const auto there = answer->find(cluster.node(one.node).node->name);
    if (there == answer->end() || there->second.pods.empty()) return true;
    one.budget_violations = there->second.pdb_violations;
    std::erase_if(one.victims, [&](cluster::PodIndex index) {
      return std::ranges::none_of(there->second.pods,
                                  [&](const PodPtr& pod) { return pod->metadata().uid() == cluster.pod(index).uid; });
    });
    return one.victims.empty();
  });
  return {};
}

net::Task<Result<void>> ExtenderChain::bind(const BindAction& action, ActionExecutor& action_executor) {
  for (const auto& client : clients_) {
    if (!client->is_binder() || !client->is_interested(*action.pod)) continue;
    auto args = binding_args(action);
    auto answer = co_await client->bind(std::move(args));
    co_return answer;
  }
  auto answer = co_await action_executor.post_binding(action);
  co_return answer;
}

}  // namespace rescheduler::scheduler
