#include "rescheduler/plan_json.h"

#include <cmath>

#include <fmt/format.h>

#include "kube/codec/json_scalars.h"
#include "kube/value/time.h"

namespace rescheduler::rescheduling {
namespace {

std::string text(std::string_view value) {
  std::string out;
  kube::append_json_string(out, value);
  return out;
}

// Two digits are more than anybody measures, and the same on every machine.
std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  const double rounded = std::round(value * 100) / 100;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string percent(double share) { return number(share * 100); }

// [a, b, c] of what `one` says of each.
template <class List, class One>
std::string array(const List& list, const One& one) {
  std::string out = "[";
  for (const auto& item : list) {
    if (out.size() > 1) out += ',';
    out += one(item);
  }
  return out + "]";
}

std::string node_json(const NodePicture& node) {
  return fmt::format(R"({{"name":{},"cpu":{},"memory":{},"cpuRequested":{},"memoryRequested":{},"pods":{}}})",
                     text(node.name), percent(node.cpu), percent(node.memory), percent(node.cpu_requested),
                     percent(node.memory_requested), node.pods);
}

std::string picture_json(const Picture& shown) {
  return fmt::format(
      R"({{"balanceScore":{},"cpuDeviation":{},"memoryDeviation":{},"cpuMax":{},"memoryMax":{},"nodes":{}}})",
      number(shown.balance.score), number(shown.balance.cpu_deviation), number(shown.balance.memory_deviation),
      number(shown.balance.cpu_max), number(shown.balance.memory_max), array(shown.nodes, node_json));
}

std::string target_json(const RefusedTarget& target) {
  return fmt::format(R"({{"node":{},"reason":{}}})", text(target.node), text(target.why));
}

std::string move_json(const PlannedMove& move) {
  return fmt::format(
      R"({{"step":{},"namespace":{},"pod":{},"uid":{},"owner":{{"kind":{},"name":{}}},"source":{},"target":{},)"
      R"("strategy":{},"reason":{},"gain":{},"budget":{},"detour":{},"autoscaled":{},"refusedTargets":{}}})",
      move.step, text(move.ns), text(move.pod), text(move.uid), text(move.lineage.kind), text(move.lineage.name),
      text(move.source), text(move.target), text(placement::to_string(move.strategy)), text(move.reason),
      number(move.gain), text(to_string(move.budget)), move.detour, move.autoscaled, array(move.refused, target_json));
}

std::string refusal_json(const Refusal& one) {
  return fmt::format(R"({{"namespace":{},"pod":{},"node":{},"code":{},"reason":{}}})", text(one.ns), text(one.pod),
                     text(one.node), text(one.code), text(one.reason));
}

}  // namespace

std::string to_json(const Plan& plan) {
  return fmt::format(R"({{"id":{},"made":{},"judgedBy":{},"moves":{},"before":{},"after":{},"refused":{},"notes":{}}})",
                     text(plan.id), text(kube::format_time(plan.made)), text(plan.judged_by),
                     array(plan.moves, move_json), picture_json(plan.before), picture_json(plan.after),
                     array(plan.refused, refusal_json), array(plan.notes, text));
}

}  // namespace rescheduler::rescheduling
