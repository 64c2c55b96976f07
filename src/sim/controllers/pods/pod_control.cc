#include "sim/controllers/pods/pod_control.h"

#include <algorithm>

#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::sim {

bool namespace_is_terminating(const StatusError& refusal) {
  return std::ranges::any_of(refusal.causes, [](const Cause& cause) { return cause.reason == "NamespaceTerminating"; });
}

PodControl::PodControl(Server& server,
                       EventWriter& events,
                       std::string reporter,
                       std::function<void(const std::string&)> retry,
                       PodTexts texts)
    : server_(server), events_(events), reporter_(std::move(reporter)), retry_(std::move(retry)), texts_(texts) {}

void PodControl::note(const kube::ObjectRef& owner,
                      bool good,
                      bool create,
                      std::string_view pod,
                      std::string_view error) {
  if (!events_.enabled()) return;
  const std::string_view verb = create ? "Create" : "Delete";
  const std::string_view text =
      create ? (good ? texts_.created : texts_.not_created) : (good ? texts_.deleted : texts_.not_deleted);
  events_.note(
      owner, good ? kube::EventType::Normal : kube::EventType::Warning,
      std::string(good ? "Successful" : "Failed").append(verb), verb,
      fmt::format(fmt::runtime(text), fmt::arg("pod", pod), fmt::arg("owner", owner.name), fmt::arg("error", error)),
      reporter_);
}

void PodControl::create(const std::string& key, const Message& owner, std::unique_ptr<api::Pod> pod) {
  const std::string ns = pod->metadata().namespace_();
  const std::string name = pod->metadata().name();  // empty: the server generates a name
  ++state_->under_way[key];
  const std::weak_ptr<State> state = state_;
  creating_ = true;
  server_.submit_create(server_.kinds().of<api::Pod>(), ns, std::move(pod), {},
                        [this, state, key, name, ref = kube::ref_to(owner)](const ApiResult<VersionPtr>& answer) {
                          if (!state.expired()) finished(key, ref, name, answer);
                        });
  creating_ = false;
}

void PodControl::finished(const std::string& key,
                          const kube::ObjectRef& owner,
                          const std::string& name,
                          const ApiResult<VersionPtr>& answer) {
  const auto count = state_->under_way.find(key);
  if (--count->second == 0) state_->under_way.erase(count);
  if (answer) {
    if (events_.enabled()) note(owner, true, true, (*answer)->as<api::Pod>()->metadata().name(), "");
  } else if (!namespace_is_terminating(answer.error())) {
    state_->faults.emplace(key, answer.error().message);
    note(owner, false, true, name, answer.error().message);
  }
  // A caller inside create() sees the fault itself, and a created pod wakes its owner.
  if (!creating_ && !under_way(key) && failed(key)) retry_(key);
}

bool PodControl::under_way(const std::string& key) const { return state_->under_way.contains(key); }

std::string PodControl::take_fault(const std::string& key) {
  auto fault = state_->faults.extract(key);
  return fault ? std::move(fault.mapped()) : std::string();
}

std::string PodControl::remove(const Message& owner, const PodView& pod) {
  const std::string name(pod.name());
  const auto removed =
      server_.remove(server_.kinds().of<api::Pod>(), std::string(pod.ns()), name, api::DeleteOptions());
  if (removed) {
    note(kube::ref_to(owner), true, false, name, "");
    return {};
  }
  if (removed.error().code == 404) return {};
  note(kube::ref_to(owner), false, false, name, removed.error().message);
  return removed.error().message;
}

}  // namespace rescheduler::sim
