#include "placement/explain.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

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
    case Outcome::Preempts: return "nominated";
    case Outcome::Unschedulable: return "unschedulable";
    case Outcome::Failed: return "error";
  }
  return "error";
}

json::array names_of(const std::vector<cluster::PodIndex>& pods, const cluster::Cluster& cluster) {
  json::array names;
  for (const cluster::PodIndex index : pods) {
    const cluster::AssignedPod& pod = cluster.pod(index);
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

// All rejections, including the nodes that were not examined, which share one reason.
std::vector<NodeVerdict> refusals_of(const Decision& decision, const cluster::Cluster& cluster) {
  std::vector<NodeVerdict> all = decision.diagnosis.verdicts;
  // A search that stopped early has no verdict for the other nodes.
  const bool stopped_early = decision.evaluated != 0 && decision.diagnosis.absent.reasons.empty();
  if (decision.outcome == Outcome::Gated || stopped_early) return all;
  std::set<cluster::NodeIndex> listing(decision.feasible.begin(), decision.feasible.end());
  for (const NodeVerdict& verdict : decision.diagnosis.verdicts) listing.insert(verdict.node);
  for (const cluster::NodeInfo& node : cluster.nodes()) {
    if (node.exists() && !listing.contains(node.index)) all.push_back({node.index, decision.diagnosis.absent});
  }
  return all;
}

json::array sorted_by_name(std::vector<json::object> nodes) {
  std::ranges::sort(nodes, {}, [](const json::object& node) { return node.at("name").as_string(); });
  json::array all;
  for (json::object& node : nodes) all.emplace_back(std::move(node));
  return all;
}

json::array nodes_of(const Decision& decision, const cluster::Cluster& cluster) {
  std::vector<json::object> nodes;
  for (std::size_t i = 0; i < decision.feasible.size(); ++i) nodes.push_back(feasible_node(decision, i, cluster));
  for (const NodeVerdict& verdict : refusals_of(decision, cluster)) nodes.push_back(refused_node(verdict, cluster));
  return sorted_by_name(std::move(nodes));
}

std::string joined(const std::vector<std::string>& reasons) {
  std::string all;
  for (const std::string& reason : reasons) all += fmt::format("{}{}", all.empty() ? "" : "; ", reason);
  return all;
}

// The rejected nodes by plugin and reason, most frequent first.
json::array refusals_counted(const std::vector<NodeVerdict>& refused, const cluster::Cluster& cluster) {
  constexpr std::size_t kMostNames = 20;
  using Cause = std::tuple<std::string, std::string, std::string>;  // plugin, code, reasons
  std::map<Cause, std::vector<std::string_view>> causes;
  for (const NodeVerdict& one : refused) {
    causes[{std::string(one.status.plugin), std::string(to_string(one.status.code)), joined(one.status.reasons)}]
        .push_back(cluster.node(one.node).node->name);
  }
  std::vector<std::pair<std::size_t, const Cause*>> order;
  for (const auto& [cause, names] : causes) order.emplace_back(names.size(), &cause);
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : *a.second < *b.second;
  });
  json::array all;
  for (const auto& [count, cause] : order) {
    std::vector<std::string_view>& names = causes[*cause];
    std::ranges::sort(names);
    json::array some;
    for (std::size_t i = 0; i < std::min(kMostNames, names.size()); ++i) some.emplace_back(names[i]);
    const auto& [plugin, code, reason] = *cause;
    all.push_back(
        {{"plugin", plugin}, {"code", code}, {"reason", reason}, {"nodes", count}, {"names", std::move(some)}});
  }
  return all;
}

// The nodes that `listing` selects, and the counts of all nodes.
std::pair<json::array, json::object> some_nodes_of(const Decision& decision,
                                                   const cluster::Cluster& cluster,
                                                   const NodeListing& listing) {
  const auto name_of = [&](cluster::NodeIndex node) -> std::string_view { return cluster.node(node).node->name; };
  const auto asked_for = [&](cluster::NodeIndex node) {
    return name_of(node).find(listing.containing) != std::string_view::npos;
  };
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < decision.feasible.size(); ++i) {
    if (asked_for(decision.feasible[i])) places.push_back(i);
  }
  const std::size_t matching = places.size();
  const auto& totals = decision.choice.totals;
  std::ranges::sort(places, [&](std::size_t a, std::size_t b) {
    const bool scored = !totals.empty() && totals[a] != totals[b];
    return scored ? totals[a] > totals[b] : name_of(decision.feasible[a]) < name_of(decision.feasible[b]);
  });
  std::vector<json::object> nodes;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool wanted = i < listing.most || name_of(decision.feasible[places[i]]) == listing.always;
    if (wanted) nodes.push_back(feasible_node(decision, places[i], cluster));
  }
  const std::vector<NodeVerdict> refused = refusals_of(decision, cluster);
  std::size_t listed = 0;
  for (const NodeVerdict& one : refused) {
    const bool by_name = !listing.containing.empty() && asked_for(one.node) && listed++ < listing.most;
    if (by_name || name_of(one.node) == listing.always) nodes.push_back(refused_node(one, cluster));
  }
  json::object counts{{"nodes", decision.feasible.size() + refused.size()},
                      {"feasible", decision.feasible.size()},
                      {"matching", matching},
                      {"refused", refusals_counted(refused, cluster)}};
  return {sorted_by_name(std::move(nodes)), std::move(counts)};
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

// Everything except the nodes.
json::object outline_of(const Decision& decision, const PodContext& context, const Framework& framework) {
  const cluster::Cluster& cluster = context.cluster;
  json::object out;
  out["pod"] = fmt::format("{}/{}", context.pod.metadata().namespace_(), context.pod.metadata().name());
  out["profile"] = framework.profile().scheduler_name;
  out["outcome"] = word_for(decision.outcome);
  if (decision.outcome == Outcome::Scheduled) {
    out["node"] = cluster.node(decision.node).node->name;
    json::array best;
    for (const cluster::NodeIndex node : decision.choice.best) best.emplace_back(cluster.node(node).node->name);
    out["best"] = std::move(best);
  }
  if (decision.outcome == Outcome::Preempts) {
    out["nominatedNode"] = cluster.node(decision.node).node->name;
    out["victims"] = names_of(decision.victims, cluster);
    out["preemption"] = {{"candidates", candidates_of(decision, cluster)}};
  }
  out["message"] = decision.message;
  return out;
}

}  // namespace

std::string to_json(const Decision& decision, const PodContext& context, const Framework& framework) {
  json::object out = outline_of(decision, context, framework);
  out["nodes"] = nodes_of(decision, context.cluster);
  return json::serialize(out);
}

std::string to_json(const Decision& decision,
                    const PodContext& context,
                    const Framework& framework,
                    const NodeListing& listing) {
  json::object out = outline_of(decision, context, framework);
  // All nodes of the cluster can be equally good, so the list is limited.
  if (json::value* best = out.if_contains("best"); best != nullptr && best->get_array().size() > listing.most) {
    best->get_array().resize(listing.most);
  }
  if (json::value* room = out.if_contains("preemption")) {
    json::array& candidates = room->get_object()["candidates"].get_array();
    if (candidates.size() > listing.most) candidates.resize(listing.most);
  }
  auto [nodes, counts] = some_nodes_of(decision, context.cluster, listing);
  out["nodes"] = std::move(nodes);
  out["counts"] = std::move(counts);
  return json::serialize(out);
}

}  // namespace rescheduler::placement
