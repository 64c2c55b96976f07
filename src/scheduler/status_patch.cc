#include "scheduler/status_patch.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"
#include "kube/value/time.h"

namespace rescheduler::scheduler {
namespace {

namespace json = boost::json;

const api::PodCondition* condition_of(const api::Pod& pod, std::string_view type) {
  const auto& all = pod.status().conditions();
  const auto found = std::ranges::find(all, type, &api::PodCondition::type);
  return found == all.end() ? nullptr : &*found;
}

std::string since(const api::PodCondition* before, WallTime now) {
  if (before == nullptr || before->status() != "False" || !before->has_last_transition_time()) {
    return kube::format_time(now);
  }
  const auto& time = before->last_transition_time();
  return kube::format_unix_time({time.seconds(), time.nanos()}, kube::TimePrecision::Seconds);
}

}  // namespace

std::optional<std::string> status_patch(const api::Pod& pod, const PodReport& report, WallTime now) {
  json::object status;
  const api::PodCondition* before = condition_of(pod, "PodScheduled");
  const bool says_so_already = before != nullptr && before->status() == "False" && before->reason() == report.reason
                               && before->message() == report.message;
  if (!report.message.empty() && !says_so_already) {
    json::object condition{{"type", "PodScheduled"},   {"status", "False"},
                           {"reason", report.reason},  {"message", report.message},
                           {"lastProbeTime", nullptr}, {"lastTransitionTime", since(before, now)}};
    if (pod.metadata().generation() != 0) condition["observedGeneration"] = pod.metadata().generation();
    status["conditions"] = json::array{std::move(condition)};
  }
  if (report.nominated_node && *report.nominated_node != pod.status().nominated_node_name()) {
    if (report.nominated_node->empty()) {
      status["nominatedNodeName"] = nullptr;
    } else {
      status["nominatedNodeName"] = *report.nominated_node;
    }
  }
  if (status.empty()) return std::nullopt;
  // With the UID the API server rejects the patch for a recreated pod with the same name.
  return json::serialize(json::object{{"metadata", {{"uid", pod.metadata().uid()}}}, {"status", std::move(status)}});
}

std::string victim_patch(std::string_view uid, std::string_view scheduler_name, WallTime now) {
  json::object condition{
      {"type", "DisruptionTarget"},
      {"status", "True"},
      {"reason", "PreemptionByScheduler"},
      {"message", fmt::format("{}: preempting to accommodate a higher priority pod", scheduler_name)},
      {"lastProbeTime", nullptr},
      {"lastTransitionTime", kube::format_time(now)}};
  return json::serialize(
      json::object{{"metadata", {{"uid", uid}}}, {"status", {{"conditions", json::array{std::move(condition)}}}}});
}

}  // namespace rescheduler::scheduler
