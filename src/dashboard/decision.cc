#include "dashboard/decision.h"

#include <fmt/format.h>

#include "kube/codec/json_words.h"
#include "kube/proto/core_pod.pb.h"
#include "placement/decide.h"
#include "placement/explain.h"
#include "scheduler/live_scheduler.h"
#include "scheduler/scheduler.h"

namespace rescheduler::dashboard {

Result<std::string> explain(scheduler::Scheduler& scheduler, api::Pod pod, placement::NodesTold told) {
  cluster::Cluster& cluster = scheduler.cluster();
  const placement::Framework& framework =
      scheduler.framework(scheduler.profile_named(pod.spec().scheduler_name()).value_or(0));
  const std::string current = pod.spec().node_name();
  pod.mutable_spec()->clear_node_name();
  const auto placed = cluster.find_pod(pod.metadata().uid());
  const auto from = placed ? cluster.pod(*placed).node : cluster::kNoNode;
  const auto form = cluster.form_of(pod);
  const auto asked = placement::question_about(cluster, pod, *form);
  framework.prepare(cluster, asked);
  const bool lifted = placed && from != cluster::kNoNode;
  if (lifted) cluster.lift(*placed);
  const placement::NominatedPods nobody;
  const auto decision = placement::decide(framework, asked, nobody, {.explain = true});
  told.always = current;
  std::string json = placement::to_json(decision, asked, framework, told);
  if (lifted) cluster.put_down(*placed, from);
  json.pop_back();  // the brace
  return fmt::format(R"({},"current":{}}})", json, kube::json_string_or_null(current));
}

net::Task<Result<std::string>> explain(scheduler::LiveScheduler& live, api::Pod pod, placement::NodesTold told) {
  Result<std::string> answer = fail(Errc::Unavailable, "the scheduler has ended");
  const auto look = [&](scheduler::Scheduler& scheduler) { answer = explain(scheduler, pod, told); };
  co_await live.visit(look);
  co_return answer;
}

}  // namespace rescheduler::dashboard
