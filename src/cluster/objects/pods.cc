#include "cluster/objects/pods.h"

#include <algorithm>
#include <charconv>
#include <string>

#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cluster {
namespace {

// The CronJob controller appends the scheduled time, in minutes since 1970.
constexpr std::size_t kDigitsOfAMinute = 8;

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

// "nightly" of "nightly-29384120"; empty: the Job was not created by a CronJob.
std::string_view cron_job_of(std::string_view job) {
  const auto dash = job.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return {};
  const std::string_view minute = job.substr(dash + 1);
  return minute.size() >= kDigitsOfAMinute && std::ranges::all_of(minute, is_decimal) ? job.substr(0, dash)
                                                                                      : std::string_view{};
}

// "web" of "web-5488d44c9f", if the label pod-template-hash of the pod is "5488d44c9f".
std::string_view deployment_of(std::string_view replica_set, const api::ObjectMeta& pod) {
  const auto hash = pod.labels().find("pod-template-hash");
  if (hash == pod.labels().end() || hash->second.size() + 1 >= replica_set.size()) return {};
  if (!replica_set.ends_with(hash->second)) return {};
  replica_set.remove_suffix(hash->second.size());
  if (!replica_set.ends_with('-')) return {};
  replica_set.remove_suffix(1);
  return replica_set;
}

}  // namespace

bool is_ready(const api::Pod& pod) {
  return std::ranges::any_of(pod.status().conditions(), [](const api::PodCondition& condition) {
    return condition.type() == "Ready" && condition.status() == "True";
  });
}

bool is_finished(const api::Pod& pod) {
  return pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed";
}

bool is_terminating(const api::ObjectMeta& meta) { return meta.has_deletion_timestamp(); }

bool is_mirror(const api::Pod& pod) {
  const auto& annotations = pod.metadata().annotations();
  if (annotations.contains("kubernetes.io/config.mirror")) return true;
  // The source that the kubelet read the pod from. "api" means that the pod is not a mirror pod.
  const auto source = annotations.find("kubernetes.io/config.source");
  if (source != annotations.end() && !source->second.empty() && source->second != "api") return true;
  const api::OwnerReference* owner = controller_of(pod.metadata());
  return owner != nullptr && owner->kind() == "Node";
}

std::optional<std::int32_t> parse_deletion_cost(std::string_view text) {
  if (text != "0" && (text.empty() || text.front() == '0')) return std::nullopt;
  std::int32_t cost = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return cost;
}

std::int32_t deletion_cost_of(const api::ObjectMeta& pod) {
  const auto found = pod.annotations().find(std::string(kDeletionCostKey));
  return found == pod.annotations().end() ? 0 : parse_deletion_cost(found->second).value_or(0);
}

const api::OwnerReference* controller_of(const api::ObjectMeta& meta) {
  for (const api::OwnerReference& owner : meta.owner_references()) {
    if (owner.controller()) return &owner;
  }
  return nullptr;
}

WorkloadName workload_of(const api::Pod& pod) {
  const api::OwnerReference* owner = controller_of(pod.metadata());
  if (owner == nullptr) return {};
  if (owner->kind() == "ReplicaSet") {
    if (const auto above = deployment_of(owner->name(), pod.metadata()); !above.empty()) return {"Deployment", above};
  }
  if (owner->kind() == "Job") {
    if (const auto above = cron_job_of(owner->name()); !above.empty()) return {"CronJob", above};
  }
  return {owner->kind(), owner->name()};
}

std::string workload_key(const api::Pod& pod) {
  const WorkloadName workload = workload_of(pod);
  if (workload.kind.empty()) return {};
  return fmt::format("{}/{}/{}", pod.metadata().namespace_(), workload.kind, workload.name);
}

}  // namespace rescheduler::cluster
