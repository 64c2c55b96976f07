#include "rescheduler/recovery/attribution.h"

#include <algorithm>
#include <tuple>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "cluster/objects/nodes.h"
#include "kube/proto/core_node.pb.h"
#include "kube/value/time.h"

namespace rescheduler::rescheduling::recovery {
namespace {

namespace json = boost::json;

std::string_view effect_of(Confinement confinement) {
  return confinement == Confinement::Quarantined ? "NoSchedule" : "PreferNoSchedule";
}

WallTime until_of(const std::string& record, WallTime otherwise) {
  json::error_code fault;
  const json::value value = json::parse(record, fault);
  if (fault || !value.is_object()) return otherwise;
  const json::value* until = value.get_object().if_contains("until");
  if (until == nullptr || !until->is_string()) return otherwise;
  return kube::parse_time(std::string_view(until->get_string())).value_or(otherwise);
}

}  // namespace

std::string_view to_string(Confinement confinement) {
  switch (confinement) {
    case Confinement::None: return "none";
    case Confinement::Quarantined: return "quarantined";
    case Confinement::Probation: return "probation";
  }
  return "?";
}

NodeStanding standing_of(const api::Node& node, WallTime now) {
  NodeStanding standing{.name = node.metadata().name(), .zone = cluster::zone_of(node)};
  for (const api::Taint& taint : node.spec().taints()) {
    if (taint.key() != kQuarantineTaint) continue;
    standing.confinement = taint.effect() == "PreferNoSchedule" ? Confinement::Probation : Confinement::Quarantined;
  }
  if (standing.confinement == Confinement::None) return standing;
  const auto record = node.metadata().annotations().find(std::string(kQuarantineRecord));
  standing.until = record == node.metadata().annotations().end() ? now : until_of(record->second, now);
  return standing;
}

bool confine(api::Node& node, Confinement to, WallTime until, const std::string& why) {
  auto& taints = *node.mutable_spec()->mutable_taints();
  auto& annotations = *node.mutable_metadata()->mutable_annotations();
  const std::string before = node.SerializeAsString();
  taints.erase(std::remove_if(taints.begin(), taints.end(),
                              [](const api::Taint& taint) { return taint.key() == kQuarantineTaint; }),
               taints.end());
  annotations.erase(std::string(kQuarantineRecord));
  if (to != Confinement::None) {
    api::Taint& taint = *taints.Add();
    taint.set_key(std::string(kQuarantineTaint));
    taint.set_value(std::string(to_string(to)));
    taint.set_effect(std::string(effect_of(to)));
    annotations[std::string(kQuarantineRecord)] =
        json::serialize(json::object{{"until", kube::format_time(until)}, {"why", why}});
  }
  return node.SerializeAsString() != before;
}

void Attribution::node_gone(const std::string& node) {
  failures_.erase(node);
  well_.erase(node);
}

void Attribution::forget_old(WallTime now) {
  for (auto& [node, owners] : failures_) {
    std::erase_if(owners, [&](const auto& one) { return one.second + settings_.window <= now; });
  }
  std::erase_if(failures_, [](const auto& one) { return one.second.empty(); });
}

std::size_t Attribution::owners_failing_on(const std::string& node, WallTime now) const {
  const auto found = failures_.find(node);
  if (found == failures_.end()) return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(found->second, [&](const auto& one) { return one.second + settings_.window > now; }));
}

std::set<std::string> Attribution::blamed(const std::vector<NodeStanding>& nodes, WallTime now) const {
  std::set<std::string> all;
  for (const NodeStanding& node : nodes) {
    if (node.confinement == Confinement::Quarantined || owners_failing_on(node.name, now) >= settings_.owners) {
      all.insert(node.name);
    }
  }
  return all;
}

std::vector<NodeOrder> Attribution::decide(const std::vector<NodeStanding>& nodes, WallTime now) {
  forget_old(now);
  std::map<std::string, std::uint32_t> confined;  // by zone
  for (const NodeStanding& node : nodes) {
    if (node.confinement == Confinement::Quarantined) ++confined[node.zone];
  }
  std::vector<NodeOrder> orders;
  for (const NodeStanding& node : nodes) {
    const bool over = node.until <= now;
    if (node.confinement == Confinement::Quarantined && over) {
      --confined[node.zone];
      failures_.erase(node.name);  // what was held against it was paid for
      orders.push_back({node.name, Confinement::Probation, now + settings_.probation, "its quarantine is over"});
    } else if (node.confinement == Confinement::Probation && owners_failing_on(node.name, now) < settings_.owners) {
      const auto well = well_.find(node.name);
      const bool proven = well != well_.end() && well->second + settings_.probation > node.until;
      if (!over && !proven) continue;
      orders.push_back(
          {node.name, Confinement::None, {}, proven ? "a new pod is well there" : "its probation is over"});
    }
  }
  // The worst first, so that a zone's share goes to them; by name among equals.
  std::vector<std::pair<std::size_t, const NodeStanding*>> suspects;
  for (const NodeStanding& node : nodes) {
    const std::size_t owners = owners_failing_on(node.name, now);
    if (node.confinement != Confinement::Quarantined && owners >= settings_.owners)
      suspects.emplace_back(owners, &node);
  }
  std::ranges::sort(suspects, [](const auto& a, const auto& b) {
    return std::tie(b.first, a.second->name) < std::tie(a.first, b.second->name);
  });
  for (const auto& [owners, node] : suspects) {
    if (confined[node->zone] >= settings_.per_zone) continue;
    ++confined[node->zone];
    orders.push_back({node->name, Confinement::Quarantined, now + settings_.expiry,
                      fmt::format("pods of {} different owners fail there", owners)});
  }
  return orders;
}

}  // namespace rescheduler::rescheduling::recovery
