#include "rescheduling/loop/effects.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <boost/json.hpp>

#include "kube/value/time.h"

namespace rescheduler::rescheduling {
namespace {

namespace json = boost::json;
using config::Strategy;

// The load of a node is that of its busier resource; empty if both are unknown.
std::optional<double> load_of(const NodeUtilization& node) {
  if (std::isnan(node.cpu) && std::isnan(node.memory)) return std::nullopt;
  if (std::isnan(node.cpu)) return node.memory * 100;
  if (std::isnan(node.memory)) return node.cpu * 100;
  return std::max(node.cpu, node.memory) * 100;
}

// Percentage points above the mean, by node.
std::map<std::string, double> above_mean(const BalanceReport& balance_report) {
  std::map<std::string, double> loads;
  double sum = 0;
  for (const NodeUtilization& node : balance_report.nodes) {
    const auto load = load_of(node);
    if (!load) continue;
    loads[node.name] = *load;
    sum += *load;
  }
  const double mean = loads.empty() ? 0 : sum / static_cast<double>(loads.size());
  for (auto& [name, load] : loads) load -= mean;
  return loads;
}

}  // namespace

void EffectTracker::begun(const Plan& plan) {
  const auto before = above_mean(plan.before);
  const auto after = above_mean(plan.after);
  Watched watched;
  for (const PlannedMove& move : plan.moves) {
    if (move.strategy != config::Strategy::LoadBalancing) continue;
    watched.strategy = move.strategy;
    const auto was = before.find(move.source);
    const auto will = after.find(move.source);
    if (was == before.end() || will == after.end()) continue;
    Prediction& prediction = watched.nodes[move.source];
    prediction.before = was->second;
    prediction.predicted = was->second - will->second;
    ++prediction.planned;
  }
  if (!watched.nodes.empty()) plans_[plan.id] = std::move(watched);
}

void EffectTracker::ended(const std::string& plan, const std::string& source, bool moved, WallTime at) {
  const auto found = plans_.find(plan);
  if (found == plans_.end()) return;
  found->second.last = std::max(found->second.last, at);
  found->second.any_ended = true;
  const auto prediction = found->second.nodes.find(source);
  if (prediction != found->second.nodes.end() && moved) ++prediction->second.moved;
}

std::vector<Effect> EffectTracker::look(const BalanceReport& now, WallTime at) {
  std::vector<Effect> effects;
  const auto loads = above_mean(now);
  for (auto it = plans_.begin(); it != plans_.end();) {
    const Watched& watched = it->second;
    if (!watched.any_ended || at - watched.last < kSettle) {
      ++it;
      continue;
    }
    Effect effect{it->first, watched.strategy};
    for (const auto& [node, prediction] : watched.nodes) {
      const auto load = loads.find(node);
      if (load == loads.end() || prediction.moved == 0) continue;
      effect.predicted += prediction.predicted * prediction.moved / prediction.planned;
      effect.measured += prediction.before - load->second;
    }
    it = plans_.erase(it);
    if (effect.predicted < kLeastPredicted) continue;
    effect.helped = effect.measured >= kEnough * effect.predicted;
    int& failures = failures_[effect.strategy];
    failures = effect.helped ? 0 : failures + 1;
    if (effect.helped) {
      until_.erase(effect.strategy);
    } else {
      until_[effect.strategy] = at + rest_ * (1 << std::min(failures - 1, kMostDoublings));
    }
    effects.push_back(std::move(effect));
  }
  return effects;
}

std::string EffectTracker::to_json() const {
  json::object all;
  for (const auto& [strategy, failures] : failures_) {
    if (failures == 0) continue;
    json::object one{{"failures", failures}};
    const auto until = until_.find(strategy);
    if (until != until_.end()) one["until"] = kube::format_time(until->second);
    all[std::string(to_string(strategy))] = std::move(one);
  }
  return json::serialize(all);
}

void EffectTracker::restore(std::string_view text) {
  failures_.clear();
  until_.clear();
  json::error_code error;
  const json::value value = json::parse(text, error);
  const json::object* all = error ? nullptr : value.if_object();
  if (all == nullptr) return;
  for (const Strategy strategy : config::kStrategies) {
    const json::value* entry = all->if_contains(to_string(strategy));
    const json::object* one = entry == nullptr ? nullptr : entry->if_object();
    const json::value* failures = one == nullptr ? nullptr : one->if_contains("failures");
    const json::value* until = one == nullptr ? nullptr : one->if_contains("until");
    if (failures == nullptr || !failures->is_int64() || until == nullptr || !until->is_string()) continue;
    const auto time = kube::parse_time(std::string_view(until->get_string()));
    if (!time || failures->get_int64() < 1) continue;
    failures_[strategy] = static_cast<int>(std::min<std::int64_t>(failures->get_int64(), kMostDoublings + 1));
    until_[strategy] = *time;
  }
}

}  // namespace rescheduler::rescheduling
