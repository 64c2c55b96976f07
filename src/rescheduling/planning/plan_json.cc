#include "rescheduling/planning/plan_json.h"

#include <cmath>

#include <fmt/format.h>

#include "kube/codec/json_scalars.h"
#include "kube/codec/json_words.h"
#include "kube/value/time.h"

namespace rescheduler::rescheduling {
namespace {

std::string node_json(const NodeUtilization& node) {
  return fmt::format(R"({{"name":{},"cpu":{},"memory":{},"cpuRequested":{},"memoryRequested":{},"pods":{}}})",
                     kube::json_string(node.name), kube::json_percent(node.cpu), kube::json_percent(node.memory),
                     kube::json_percent(node.cpu_requested), kube::json_percent(node.memory_requested), node.pods);
}

std::string balance_json(const BalanceReport& shown) {
  return fmt::format(
      R"({{"balanceScore":{},"cpuDeviation":{},"memoryDeviation":{},"cpuMax":{},"memoryMax":{},"nodes":{}}})",
      kube::json_number(shown.balance.score), kube::json_number(shown.balance.cpu_deviation),
      kube::json_number(shown.balance.memory_deviation), kube::json_number(shown.balance.cpu_max),
      kube::json_number(shown.balance.memory_max), kube::json_array(shown.nodes, node_json));
}

std::string target_json(const RefusedTarget& target) {
  return fmt::format(R"({{"node":{},"reason":{}}})", kube::json_string(target.node), kube::json_string(target.why));
}

std::string move_json(const PlannedMove& move) {
  return fmt::format(
      R"({{"step":{},"namespace":{},"pod":{},"uid":{},"owner":{{"kind":{},"name":{}}},"source":{},"target":{},)"
      R"("strategy":{},"reason":{},"gain":{},"budget":{},"detour":{},"autoscaled":{},"refusedTargets":{}}})",
      move.step, kube::json_string(move.ns), kube::json_string(move.pod), kube::json_string(move.uid),
      kube::json_string(move.lineage.kind), kube::json_string(move.lineage.name), kube::json_string(move.source),
      kube::json_string(move.target), kube::json_string(config::to_string(move.strategy)),
      kube::json_string(move.reason), kube::json_number(move.gain), kube::json_string(to_string(move.budget)),
      move.detour, move.autoscaled, kube::json_array(move.refused, target_json));
}

std::string refusal_json(const UnmovedPod& one) {
  return fmt::format(R"({{"namespace":{},"pod":{},"node":{},"code":{},"reason":{}}})", kube::json_string(one.ns),
                     kube::json_string(one.pod), kube::json_string(one.node), kube::json_string(one.code),
                     kube::json_string(one.reason));
}

}  // namespace

std::string to_json(const Plan& plan) {
  return fmt::format(R"({{"id":{},"made":{},"judgedBy":{},"moves":{},"before":{},"after":{},"refused":{},"notes":{}}})",
                     kube::json_string(plan.id), kube::json_string(kube::format_time(plan.made)),
                     kube::json_string(plan.judged_by), kube::json_array(plan.moves, move_json),
                     balance_json(plan.before), balance_json(plan.after), kube::json_array(plan.refused, refusal_json),
                     kube::json_array(plan.notes, kube::json_string));
}

}  // namespace rescheduler::rescheduling
