#include "placement/explain.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::placement {
namespace {

namespace json = boost::json;

std::string_view word_for(Outcome outcome) {
  switch (outcome) {
    case Outcome::Gated: return "gated";
    case Outcome::Scheduled: return "scheduled";
    case Outcome::MakesRoom: return "nominated";
    case Outcome::Unschedulable: return "unschedulable";
    case Outcome::Failed: return "error";
  }
  return "error";
}

json::array names_of(const std::vector<cluster::PodIndex>& pods, const cluster::Cluster& cluster) {
  json::array names;
  for (const cluster::PodIndex index : pods) {
    const cluster::PlacedPod& pod = cluster.pod(index);
    names.emplace_back(fmt::format("{}/{}", cluster.text(pod.ns), pod.name));
  }
  return names;
}

json::object feasible_node(const Decision& decision, std::size_t place, const cluster::Cluster& cluster) {
  json::object node;
  node["name"] = cluster.node(decision.feasible[place]).node->name;
  node["feasible"] = true;
  if (decision.choice.totals.empty()) return node;
  json::object scores;
  for (const PluginScores& one : decision.choice.by_plugin) {
    scores[one.plugin] = {{"raw", one.raw[place]},
                          {"normalized", one.normalized[place]},
                          {"weighted", one.normalized[place] * one.weight}};
  }
  node["scores"] = std::move(scores);
  node["total"] = decision.choice.totals[place];
  return node;
}

json::object refused_node(const NodeVerdict& verdict, const cluster::Cluster& cluster) {
  json::array reasons;
  for (const std::string& reason : verdict.status.reasons) reasons.emplace_back(reason);
  return {{"name", cluster.node(verdict.node).node->name},
          {"feasible", false},
          {"plugin", verdict.status.plugin},
          {"code", to_string(verdict.status.code)},
          {"reasons", std::move(reasons)}};
}

json::array nodes_of(const Decision& decision, const cluster::Cluster& cluster) {
  std::vector<json::object> nodes;
  std::vector<cluster::NodeIndex> told = decision.feasible;
  for (std::size_t i = 0; i < decision.feasible.size(); ++i) nodes.push_back(feasible_node(decision, i, cluster));
  for (const NodeVerdict& verdict : decision.diagnosis.verdicts) {
    nodes.push_back(refused_node(verdict, cluster));
    told.push_back(verdict.node);
  }
  // Those that nobody had to look at: all of them share one reason.
  for (const cluster::NodeState& node : cluster.nodes()) {
    if (!node.exists() || std::ranges::find(told, node.index) != told.end()) continue;
    if (decision.outcome == Outcome::Gated) continue;
    nodes.push_back(refused_node({node.index, decision.diagnosis.absent}, cluster));
  }
  std::ranges::sort(nodes, {}, [](const json::object& node) { return node.at("name").as_string(); });
  json::array all;
  for (json::object& node : nodes) all.emplace_back(std::move(node));
  return all;
}

json::array candidates_of(const Decision& decision, const cluster::Cluster& cluster) {
  json::array all;
  for (const Candidate& one : decision.candidates) {
    const auto [violations, highest, sum, count, start] = one.rank(cluster);
    all.push_back({{"node", cluster.node(one.node).node->name},
                   {"victims", names_of(one.victims, cluster)},
                   {"rank", {violations, highest, sum, count, start}}});
  }
  return all;
}

}  // namespace

std::string to_json(const Decision& decision, const Question& asked, const Framework& framework) {
  const cluster::Cluster& cluster = asked.cluster;
  json::object out;
  out["pod"] = fmt::format("{}/{}", asked.pod.metadata().namespace_(), asked.pod.metadata().name());
  out["profile"] = framework.profile().scheduler_name;
  out["outcome"] = word_for(decision.outcome);
  if (decision.outcome == Outcome::Scheduled) {
    out["node"] = cluster.node(decision.node).node->name;
    json::array best;
    for (const cluster::NodeIndex node : decision.choice.best) best.emplace_back(cluster.node(node).node->name);
    out["best"] = std::move(best);
  }
  if (decision.outcome == Outcome::MakesRoom) {
    out["nominatedNode"] = cluster.node(decision.node).node->name;
    out["victims"] = names_of(decision.victims, cluster);
    out["preemption"] = {{"candidates", candidates_of(decision, cluster)}};
  }
  out["message"] = decision.message;
  out["nodes"] = nodes_of(decision, cluster);
  return json::serialize(out);
}

}  // namespace rescheduler::placement
