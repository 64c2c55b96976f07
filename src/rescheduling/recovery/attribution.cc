#include "rescheduling/recovery/attribution.h"

#include <algorithm>
#include <span>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cluster/objects/nodes.h"
#include "kube/proto/core_node.pb.h"
#include "kube/value/repeated.h"
#include "kube/value/time.h"

namespace rescheduler::rescheduling::recovery {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostNamed = 5;  // owners in the reason of a quarantine

std::string_view effect_of(NodeQuarantine quarantine) {
  return quarantine == NodeQuarantine::Quarantined ? "NoSchedule" : "PreferNoSchedule";
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

std::string_view to_string(NodeQuarantine quarantine) {
  switch (quarantine) {
    case NodeQuarantine::None: return "none";
    case NodeQuarantine::Quarantined: return "quarantined";
    case NodeQuarantine::Probation: return "probation";
  }
  return "?";
}

QuarantineStatus quarantine_status_of(const api::Node& node, WallTime now) {
  QuarantineStatus standing{.name = node.metadata().name(), .zone = cluster::zone_of(node)};
  for (const api::Taint& taint : node.spec().taints()) {
    if (taint.key() != kQuarantineTaint) continue;
    standing.quarantine =
        taint.effect() == "PreferNoSchedule" ? NodeQuarantine::Probation : NodeQuarantine::Quarantined;
  }
  if (standing.quarantine == NodeQuarantine::None) return standing;
  const auto record = node.metadata().annotations().find(std::string(kQuarantineRecord));
  standing.until = record == node.metadata().annotations().end() ? now : until_of(record->second, now);
  return standing;
}

bool set_quarantine(api::Node& node, NodeQuarantine to, WallTime until, const std::string& why) {
  auto& taints = *node.mutable_spec()->mutable_taints();
  auto& annotations = *node.mutable_metadata()->mutable_annotations();
  const auto is_ours = [](const api::Taint& taint) { return taint.key() == kQuarantineTaint; };
  const std::string key(kQuarantineRecord);
  const auto known = annotations.find(key);
  if (to == NodeQuarantine::None) {
    if (known == annotations.end() && std::ranges::none_of(taints, is_ours)) return false;
    annotations.erase(key);
    kube::erase_if(taints, is_ours);
    return true;
  }
  const std::string record = json::serialize(json::object{{"until", kube::format_time(until)}, {"why", why}});
  const auto taint = std::ranges::find_if(taints, is_ours);
  // Compared field by field: the bytes of a message with a map differ from call to call.
  if (std::ranges::count_if(taints, is_ours) == 1 && taint->value() == to_string(to) && taint->effect() == effect_of(to)
      && known != annotations.end() && known->second == record) {
    return false;
  }
  kube::erase_if(taints, is_ours);
  api::Taint& made = *taints.Add();
  made.set_key(std::string(kQuarantineTaint));
  made.set_value(std::string(to_string(to)));
  made.set_effect(std::string(effect_of(to)));
  annotations[key] = record;
  return true;
}

void Attribution::remove_node(const std::string& node) {
  failures_.erase(node);
  well_.erase(node);
}

void Attribution::failed(const std::string& node, const std::string& owner, NodeFailure failure) {
  NodeFailure& last = failures_[node][owner].failure;
  if (failure.at >= last.at) last = std::move(failure);
}

bool Attribution::fails_elsewhere(const std::string& node, const std::string& owner, const NodeFailure& failure) const {
  return std::ranges::any_of(failures_, [&](const auto& other) {
    if (other.first == node) return false;
    const auto found = other.second.find(owner);
    if (found == other.second.end()) return false;
    const NodeFailure& there = found->second.failure;
    const bool same = there.release == failure.release || there.release.empty() || failure.release.empty();
    return same && !there.by_kubelet;
  });
}

void Attribution::review(const HealthyElsewhere& healthy_elsewhere, WallTime now) {
  forget_old(now);
  for (auto& [node, owners] : failures_) {
    for (auto& [owner, evidence] : owners) {
      const NodeFailure& failure = evidence.failure;
      if (failure.by_kubelet) continue;
      evidence.only_here = !fails_elsewhere(node, owner, failure) && healthy_elsewhere(node, owner, failure.release);
    }
  }
}

void Attribution::forget_old(WallTime now) {
  for (auto& [node, owners] : failures_) {
    std::erase_if(owners, [&](const auto& one) { return !is_recent(one.second.failure, now); });
  }
  std::erase_if(failures_, [](const auto& one) { return one.second.empty(); });
}

std::vector<std::string> Attribution::owners_failing_on(const std::string& node, WallTime now) const {
  std::vector<std::string> owners;
  const auto found = failures_.find(node);
  if (found == failures_.end()) return owners;
  for (const auto& [owner, evidence] : found->second) {
    if ((evidence.failure.by_kubelet || evidence.only_here) && is_recent(evidence.failure, now))
      owners.push_back(owner);
  }
  return owners;
}

std::set<std::string> Attribution::faulty_nodes(const std::vector<QuarantineStatus>& nodes, WallTime now) const {
  std::set<std::string> all;
  for (const QuarantineStatus& node : nodes) {
    if (node.quarantine == NodeQuarantine::Quarantined
        || owners_failing_on(node.name, now).size() >= settings_.owners) {
      all.insert(node.name);
    }
  }
  return all;
}

std::vector<QuarantineAction> Attribution::decide(const std::vector<QuarantineStatus>& nodes, WallTime now) {
  std::map<std::string, std::uint32_t> confined;  // quarantined nodes by zone
  for (const QuarantineStatus& node : nodes) {
    if (node.quarantine == NodeQuarantine::Quarantined) ++confined[node.zone];
  }
  std::vector<QuarantineAction> requests;
  for (const QuarantineStatus& node : nodes) {
    const bool over = node.until <= now;
    if (node.quarantine == NodeQuarantine::Quarantined && over) {
      --confined[node.zone];
      failures_.erase(node.name);  // failures before the quarantine no longer count
      requests.push_back(
          {node.name, NodeQuarantine::Probation, now + settings_.probation, "the quarantine has expired"});
    } else if (node.quarantine == NodeQuarantine::Probation
               && owners_failing_on(node.name, now).size() < settings_.owners) {
      const auto well = well_.find(node.name);
      const bool proven = well != well_.end() && well->second + settings_.probation > node.until;
      if (!over && !proven) continue;
      requests.push_back({node.name,
                          NodeQuarantine::None,
                          {},
                          proven ? "a new pod is healthy on the node" : "the probation has expired"});
    }
  }
  // Nodes with the most failing owners first, because the number of nodes per zone is limited; equal nodes by name.
  std::vector<std::pair<std::vector<std::string>, const QuarantineStatus*>> suspects;
  for (const QuarantineStatus& node : nodes) {
    if (node.quarantine == NodeQuarantine::Quarantined) continue;
    auto owners = owners_failing_on(node.name, now);
    if (owners.size() >= settings_.owners) suspects.emplace_back(std::move(owners), &node);
  }
  std::ranges::sort(suspects, [](const auto& a, const auto& b) {
    if (a.first.size() != b.first.size()) return a.first.size() > b.first.size();
    return a.second->name < b.second->name;
  });
  for (const auto& [owners, node] : suspects) {
    if (confined[node->zone] >= settings_.per_zone) continue;
    ++confined[node->zone];
    requests.push_back({node->name, NodeQuarantine::Quarantined, now + settings_.expiry,
                        fmt::format("pods of {} different owners fail on the node: {}", owners.size(),
                                    fmt::join(std::span(owners).first(std::min(owners.size(), kMostNamed)), ", "))});
  }
  return requests;
}

}  // namespace rescheduler::rescheduling::recovery
