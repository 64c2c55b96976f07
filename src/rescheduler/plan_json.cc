#include "rescheduler/plan_json.h"

#include <cmath>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "kube/value/time.h"

namespace rescheduler::rescheduling {
namespace {

namespace json = boost::json;

// Two digits are more than anybody measures, and the same on every machine.
json::value number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::round(value * 100) / 100;
}

json::value percent(double share) { return number(share * 100); }

json::object picture(const Picture& shown) {
  json::array nodes;
  for (const NodePicture& node : shown.nodes) {
    nodes.push_back(json::object{{"name", node.name},
                                 {"cpu", percent(node.cpu)},
                                 {"memory", percent(node.memory)},
                                 {"cpuRequested", percent(node.cpu_requested)},
                                 {"memoryRequested", percent(node.memory_requested)},
                                 {"pods", node.pods}});
  }
  return {{"balanceScore", number(shown.balance_score)},
          {"cpuDeviation", number(shown.cpu_deviation)},
          {"memoryDeviation", number(shown.memory_deviation)},
          {"cpuMax", number(shown.cpu_max)},
          {"memoryMax", number(shown.memory_max)},
          {"nodes", std::move(nodes)}};
}

json::object move(const PlannedMove& planned) {
  json::array refused;
  for (const RefusedTarget& target : planned.refused) {
    refused.push_back(json::object{{"node", target.node}, {"reason", target.why}});
  }
  return {{"step", planned.step},
          {"namespace", planned.ns},
          {"pod", planned.pod},
          {"uid", planned.uid},
          {"owner", json::object{{"kind", planned.lineage.kind}, {"name", planned.lineage.name}}},
          {"source", planned.source},
          {"target", planned.target},
          {"strategy", placement::to_string(planned.strategy)},
          {"reason", planned.reason},
          {"gain", number(planned.gain)},
          {"budget", to_string(planned.budget)},
          {"detour", planned.detour},
          {"refusedTargets", std::move(refused)}};
}

}  // namespace

std::string to_json(const Plan& plan) {
  json::array moves;
  for (const PlannedMove& planned : plan.moves) moves.push_back(move(planned));
  json::array refused;
  for (const Refusal& one : plan.refused) {
    refused.push_back(json::object{
        {"namespace", one.ns}, {"pod", one.pod}, {"node", one.node}, {"code", one.code}, {"reason", one.reason}});
  }
  json::array notes;
  for (const std::string& note : plan.notes) notes.push_back(json::string(note));
  const json::object document{{"id", plan.id},
                              {"made", kube::format_time(plan.made)},
                              {"judgedBy", plan.judged_by},
                              {"moves", std::move(moves)},
                              {"before", picture(plan.before)},
                              {"after", picture(plan.after)},
                              {"refused", std::move(refused)},
                              {"notes", std::move(notes)}};
  return json::serialize(document);
}

}  // namespace rescheduler::rescheduling
