#include "sim/controllers/pod_creation.h"

#include <algorithm>

#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::sim {

namespace {

bool namespace_is_going(const Refusal& refusal) {
  return std::ranges::any_of(refusal.causes, [](const Cause& cause) { return cause.reason == "NamespaceTerminating"; });
}

}  // namespace

PodCreation::PodCreation(Server& server,
                         EventWriter& events,
                         std::string reporter,
                         std::function<void(const std::string&)> retry)
    : server_(server), events_(events), reporter_(std::move(reporter)), retry_(std::move(retry)) {}

void PodCreation::create(const std::string& key, const Message& owner, std::unique_ptr<api::Pod> pod) {
  const std::string ns = pod->metadata().namespace_();
  ++state_->under_way[key];
  const std::weak_ptr<State> state = state_;
  creating_ = true;
  server_.submit_create(server_.kinds().of<api::Pod>(), ns, std::move(pod), {},
                        [this, state, key, ref = kube::ref_to(owner)](const Answer<VersionPtr>& answer) {
                          if (!state.expired()) finished(key, ref, answer);
                        });
  creating_ = false;
}

void PodCreation::finished(const std::string& key, const kube::ObjectRef& owner, const Answer<VersionPtr>& answer) {
  const auto count = state_->under_way.find(key);
  if (--count->second == 0) state_->under_way.erase(count);
  if (answer) {
    if (!events_.enabled()) return;
    events_.note(owner, kube::EventType::Normal, "SuccessfulCreate", "Create",
                 fmt::format("Created pod: {}", (*answer)->as<api::Pod>()->metadata().name()), reporter_);
  } else if (!namespace_is_going(answer.error())) {
    state_->faults.emplace(key, answer.error().message);
    events_.note(owner, kube::EventType::Warning, "FailedCreate", "Create",
                 fmt::format("Error creating: {}", answer.error().message), reporter_);
  }
  // Who is creating right now sees the fault itself, and a pod that arrived wakes its owner.
  if (!creating_ && !under_way(key) && failed(key)) retry_(key);
}

bool PodCreation::under_way(const std::string& key) const { return state_->under_way.contains(key); }

std::string PodCreation::take_fault(const std::string& key) {
  auto fault = state_->faults.extract(key);
  return fault ? std::move(fault.mapped()) : std::string();
}

std::string delete_pod(Server& server,
                       EventWriter& events,
                       std::string_view reporter,
                       const Message& owner,
                       const PodView& pod) {
  const std::string name(pod.name());
  const auto removed = server.remove(server.kinds().of<api::Pod>(), std::string(pod.ns()), name, api::DeleteOptions());
  if (removed) {
    events.note(kube::ref_to(owner), kube::EventType::Normal, "SuccessfulDelete", "Delete",
                fmt::format("Deleted pod: {}", name), reporter);
    return {};
  }
  if (removed.error().code == 404) return {};
  events.note(kube::ref_to(owner), kube::EventType::Warning, "FailedDelete", "Delete",
              fmt::format("Error deleting: {}", removed.error().message), reporter);
  return removed.error().message;
}

}  // namespace rescheduler::sim
