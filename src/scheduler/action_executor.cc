#include "scheduler/action_executor.h"

#include <fmt/format.h>

#include "base/log.h"
#include "kube/proto/core_pod.pb.h"
#include "scheduler/messages.h"
#include "scheduler/status_patch.h"

namespace rescheduler::scheduler {
namespace {

kube::EventRecord event_about(const api::Pod& pod) {
  kube::EventRecord record;
  record.regarding = kube::ref_to(pod);
  return record;
}

}  // namespace

ActionExecutor::ActionExecutor(kube::Api& api,
                               std::vector<kube::EventRecorder*> recorders,
                               ActionExecutorSettings settings,
                               ActionCallbacks results,
                               kube::LoopServices services)
    : client_(api),
      recorders_(std::move(recorders)),
      settings_(std::move(settings)),
      results_(std::move(results)),
      services_(services),
      bindings_(services.executor, "bind a pod", settings_.bindings_at_once),
      reports_(services.executor, "report on a pod", settings_.reports_at_once) {
  bind_ = [this](const BindAction& action) { return post_binding(action); };
}

void ActionExecutor::take(SchedulingAction action) {
  if (auto* binding = std::get_if<BindAction>(&action)) {
    bindings_.add([this, one = std::move(*binding)] { return bind(one); });
  } else if (auto* report_order = std::get_if<StatusAction>(&action)) {
    reports_.add([this, one = std::move(*report_order)] { return report(one); });
  } else {
    reports_.add([this, one = std::move(std::get<PreemptAction>(action))] { return preempt(one); });
  }
}

void ActionExecutor::drop_waiting() {
  bindings_.drop_waiting();
  reports_.drop_waiting();
}

net::Task<Result<void>> ActionExecutor::wait_idle() {
  while (!idle()) {
    for (BoundedQueue* lane : {&bindings_, &reports_}) {
      auto waited = co_await lane->wait_idle();
      if (!waited) co_return waited;
    }
  }
  co_return Result<void>{};
}

void ActionExecutor::record_event(std::size_t profile, kube::EventRecord record) const {
  recorders_[profile]->record(std::move(record));
}

api::Binding binding_of(const PodToBind& pod, const std::string& node) {
  api::Binding binding;
  binding.mutable_metadata()->set_namespace_(pod.ns);
  binding.mutable_metadata()->set_name(pod.name);
  binding.mutable_metadata()->set_uid(pod.uid);
  binding.mutable_target()->set_kind("Node");
  binding.mutable_target()->set_name(node);
  return binding;
}

net::Task<Result<void>> ActionExecutor::post_binding(const BindAction& action) {
  const auto& meta = action.pod->metadata();
  auto binding = binding_of({meta.namespace_(), meta.name(), meta.uid()}, action.node);
  for (const auto& [key, value] : action.annotations) (*binding.mutable_metadata()->mutable_annotations())[key] = value;
  return client_.create_sub<api::Pod>(meta.namespace_(), meta.name(), "binding", std::move(binding));
}

net::Task<Result<bool>> ActionExecutor::has_node(const BindAction& action) {
  const auto& meta = action.pod->metadata();
  auto pod = co_await client_.get<api::Pod>(meta.namespace_(), meta.name());
  if (!pod) co_return fail(std::move(pod.error()));
  co_return pod->metadata().uid() == meta.uid() && pod->spec().node_name() == action.node;
}

net::Task<void> ActionExecutor::bind(BindAction action) {
  const std::string uid = action.pod->metadata().uid();
  if (!may_act()) {
    results_.bind_failed(uid, Error{Errc::Cancelled, "this process is no longer the leader"});
    co_return;
  }
  auto answer = co_await bind_(action);
  if (!answer && answer.error().code == Errc::Timeout) {
    // The API server may have bound the pod although the answer was lost. Then the binding succeeded.
    const auto done = co_await has_node(action);
    if (done && *done) answer = Result<void>{};
  }
  if (!answer) {
    results_.bind_failed(uid, std::move(answer.error()).within("binding rejected"));
    co_return;
  }
  results_.bound(uid);
  kube::EventRecord record = event_about(*action.pod);
  record.reason = "Scheduled";
  record.action = "Binding";
  record.note = fmt::format("Successfully assigned {}/{} to {}", action.pod->metadata().namespace_(),
                            action.pod->metadata().name(), action.node);
  record_event(action.profile, std::move(record));
  if (!action.above_threshold) co_return;
  kube::EventRecord warning = event_about(*action.pod);
  warning.type = kube::EventType::Warning;
  warning.reason = "AboveLoadThreshold";
  warning.action = "Binding";
  warning.note = fmt::format(
      "All nodes that the pod fits on are above a load threshold; the pod did not wait any longer and was assigned to "
      "{} by score",
      action.node);
  record_event(action.profile, std::move(warning));
}

net::Task<void> ActionExecutor::report(StatusAction action) {
  if (!may_act()) co_return;
  if (!action.message.empty()) {
    kube::EventRecord record = event_about(*action.pod);
    record.type = kube::EventType::Warning;
    record.reason = "FailedScheduling";
    record.action = "Scheduling";
    record.note = action.message;
    record_event(action.profile, std::move(record));
  }
  if (action.event_only) co_return;
  const PodReport pod_report{action.reason, action.message, action.nominated_node};
  const auto patch = status_patch(*action.pod, pod_report, services_.clock->wall_now());
  if (!patch) co_return;
  const auto& meta = action.pod->metadata();
  kube::PatchOptions options;
  options.kind = kube::PatchKind::StrategicMerge;
  options.subresource = "status";
  // A pod that was deleted needs no report. After another failure the next scheduling attempt reports again.
  const auto written = co_await client_.patch<api::Pod>(meta.namespace_(), meta.name(), *patch, options);
  if (!written && written.error().code != Errc::NotFound) {
    log_warning(messages::kStatusNotWritten,
                {{"pod", meta.namespace_() + "/" + meta.name()}, {"err", written.error().message}});
  }
}

net::Task<bool> ActionExecutor::evict_victim(const PreemptAction& action, const Victim& victim) {
  kube::PatchOptions options;
  options.kind = kube::PatchKind::StrategicMerge;
  options.subresource = "status";
  const std::string patch =
      victim_patch(victim.uid, settings_.scheduler_names[action.profile], services_.clock->wall_now());
  const auto marked = co_await client_.patch<api::Pod>(victim.ns, victim.name, patch, options);
  if (!marked) co_return marked.error().code == Errc::NotFound;
  kube::DeleteSettings settings;
  settings.uid = victim.uid;
  const auto removed = co_await client_.remove<api::Pod>(victim.ns, victim.name, settings);
  if (!removed) co_return removed.error().code == Errc::NotFound || removed.error().code == Errc::Conflict;
  kube::EventRecord record;
  record.regarding = {.api_version = "v1", .kind = "Pod", .ns = victim.ns, .name = victim.name, .uid = victim.uid};
  record.related = kube::ref_to(*action.pod);
  record.reason = "Preempted";
  record.action = "Preempting";
  record.note = fmt::format("Preempted by pod {} on node {}", action.pod->metadata().uid(), action.node);
  record_event(action.profile, std::move(record));
  co_return true;
}

net::Task<void> ActionExecutor::preempt(PreemptAction action) {
  bool all = true;
  for (const Victim& victim : action.victims) {
    if (victim.leaving) continue;
    if (!may_act()) co_return;
    const bool gone = co_await evict_victim(action, victim);
    all = all && gone;
  }
  results_.preemption_finished(action.pod->metadata().uid(), all);
}

}  // namespace rescheduler::scheduler
