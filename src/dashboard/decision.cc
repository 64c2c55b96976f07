#include "dashboard/decision.h"

#include <fmt/format.h>

#include "kube/codec/json_words.h"
#include "kube/proto/core_pod.pb.h"
#include "placement/decide.h"
#include "placement/explain.h"
#include "scheduler/live_scheduler.h"
#include "scheduler/scheduler.h"

namespace rescheduler::dashboard {

Result<std::string> explain(scheduler::Scheduler& scheduler, api::Pod pod, placement::NodeListing listing) {
  cluster::Cluster& cluster = scheduler.cluster();
  const placement::Framework& framework =
      scheduler.framework(scheduler.profile_named(pod.spec().scheduler_name()).value_or(0));
  const std::string current = pod.spec().node_name();
  pod.mutable_spec()->clear_node_name();
  const auto placed = cluster.find_pod(pod.metadata().uid());
  const auto from = placed ? cluster.pod(*placed).node : cluster::kNoNode;
  const auto compiled_spec = cluster.compiled_spec_of(pod);
  const auto context = placement::make_pod_context(cluster, pod, *compiled_spec);
  framework.prepare(cluster, context);
  const bool unassigned = placed && from != cluster::kNoNode;
  if (unassigned) cluster.unassign(*placed);
  const placement::NominatedPods no_nominated_pods;
  const auto decision = placement::decide(framework, context, no_nominated_pods, {.explain = true});
  listing.always = current;
  std::string json = placement::to_json(decision, context, framework, listing);
  if (unassigned) cluster.assign(*placed, from);
  json.pop_back();  // the closing brace
  return fmt::format(R"({},"current":{}}})", json, kube::json_string_or_null(current));
}

net::Task<Result<std::string>> explain(scheduler::LiveScheduler& live, api::Pod pod, placement::NodeListing listing) {
  Result<std::string> answer = fail(Errc::Unavailable, "the scheduler has stopped");
  const auto look = [&](scheduler::Scheduler& scheduler) { answer = explain(scheduler, pod, listing); };
  co_await live.visit(look);
  co_return answer;
}

}  // namespace rescheduler::dashboard
