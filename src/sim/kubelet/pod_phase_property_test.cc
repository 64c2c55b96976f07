// For any sequence of events of pods and nodes, the status of a pod changes only as in a real cluster.
#include <functional>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/kubelet/kubelet_fixture.h"

namespace rescheduler::sim {
namespace {

struct LastStatus {
  std::string uid, phase;
  std::vector<int> restarts;
};

bool allowed(const std::string& from, const std::string& to) {
  if (from == to || from.empty() || from == "Pending") return true;
  return from == "Running" && (to == "Succeeded" || to == "Failed");
}

// Checks every change and keeps the first violation.
class TransitionChecker {
 public:
  explicit TransitionChecker(Server& server)
      : subscription_(server.store().subscribe(&server.kinds().of<api::Pod>(),
                                               [this](const Change& change) { check(change); })) {}
  std::string fault;
  std::string log;

 private:
  void check(const Change& change) {
    const auto pod = change.after->as<api::Pod>();
    const auto& status = pod->status();
    log += pod->metadata().name() + " " + status.phase() + " " + pod->metadata().resource_version() + "\n";
    LastStatus& seen = seen_[pod->metadata().name()];
    if (seen.uid != pod->metadata().uid()) seen = {pod->metadata().uid(), status.phase(), {}};
    if (!allowed(seen.phase, status.phase())) report(*pod, seen.phase + " became " + status.phase());
    seen.phase = status.phase();
    seen.restarts.resize(static_cast<std::size_t>(status.container_statuses_size()));
    bool all_ready = status.container_statuses_size() > 0;
    for (int i = 0; i < status.container_statuses_size(); ++i) {
      const auto& container = status.container_statuses(i);
      int& restarts = seen.restarts[static_cast<std::size_t>(i)];
      if (container.restart_count() < restarts || container.restart_count() > restarts + 1)
        report(*pod, "the restart count decreases or skips a value");
      restarts = container.restart_count();
      const int states =
          container.state().has_waiting() + container.state().has_running() + container.state().has_terminated();
      if (states != 1) report(*pod, "a container does not have exactly one state");
      if (container.ready() && !container.state().has_running()) report(*pod, "a container is ready but not running");
      all_ready = all_ready && container.ready();
    }
    const auto* ready = find_condition(status, "Ready");
    if (ready != nullptr && ready->status() == "True" && !all_ready)
      report(*pod, "the pod is Ready but not all its containers are");
  }
  void report(const api::Pod& pod, const std::string& what) {
    if (fault.empty()) fault = pod.metadata().name() + ": " + what;
  }

  std::map<std::string, LastStatus> seen_;
  std::unique_ptr<Store::Subscription> subscription_;
};

struct PodOrNodeEvent {
  int kind, pod, value, seconds;
};

api::Pod some_pod(int number, int value) {
  api::Pod pod = KubeletRig::pod("p" + std::to_string(number), value % 2 == 0 ? "n1" : "n2");
  const std::vector<std::string> policies{"Always", "OnFailure", "Never"};
  pod.mutable_spec()->set_restart_policy(policies[static_cast<std::size_t>(value / 2 % 3)]);
  if (value % 5 == 1) KubeletRig::add_container(pod, "second");
  if (value % 5 == 2) KubeletRig::add_init(pod, "init");
  if (value % 5 == 3) KubeletRig::add_init(pod, "side", true);
  if (value % 7 == 1) KubeletRig::annotate(pod, kCrashOn, "n1");
  if (value % 7 == 2) KubeletRig::annotate(pod, kRunFor, "20s");
  if (value % 7 == 3) KubeletRig::annotate(pod, kImagePullFailsOn, "n2");
  if (value % 7 == 4) KubeletRig::annotate(pod, kOomOn, "*");
  if (value % 7 == 5) KubeletRig::annotate(pod, kReadyDelay, "7s");
  if (value % 11 == 0) pod.mutable_spec()->set_active_deadline_seconds(40);
  return pod;
}

void perform(KubeletRig& rig, const PodOrNodeEvent& event) {
  const std::string name = "p" + std::to_string(event.pod);
  const std::string node = event.value % 2 == 0 ? "n1" : "n2";
  switch (event.kind) {
    case 0:
    case 1:
      if (!rig.get(name)) rig.create(some_pod(event.pod, event.value));
      break;
    case 2:
      if (rig.get(name)) rig.remove(name, event.value % 40);
      break;
    case 3: rig.kubelets.faults().set_node(node, NodeFault(event.value / 2 % 4)); break;
    case 4: rig.kubelets.faults().set_node(node, std::nullopt); break;
    case 5:
      rig.kubelets.faults().set_pod("web", name,
                                    {.crash = event.value % 3 == 1, .oom = false, .unready = event.value % 3 == 2});
      break;
    default: break;
  }
  rig.agenda.run_for(std::chrono::milliseconds{event.seconds * 700});
}

std::string run_events(const std::vector<PodOrNodeEvent>& events, std::string* fault) {
  KubeletSettings settings;  // with jitter
  KubeletRig rig(settings);
  TransitionChecker checker(rig.server);
  rig.add_node("n1");
  rig.add_node("n2");
  for (const PodOrNodeEvent& event : events) perform(rig, event);
  for (const auto node : {"n1", "n2"}) rig.kubelets.faults().set_node(node, std::nullopt);
  for (int i = 0; i < 6; ++i)
    if (rig.get("p" + std::to_string(i))) rig.remove("p" + std::to_string(i));
  rig.agenda.run_for(2min);
  *fault = checker.fault;
  const bool left =
      rig.kubelets.tracked_pods() != 0 || rig.load.node_usage("n1")->pods != 0 || rig.load.node_usage("n2")->pods != 0;
  if (left && fault->empty()) *fault = "pods or their usage remain after all pods are removed";
  return checker.log;
}

RC_GTEST_PROP(PodPhaseProperty, StatusTransitionsAreThoseOfARealClusterAndRunsAreReproducible, ()) {
  std::vector<PodOrNodeEvent> events;
  const int count = *rc::gen::inRange(1, 40);
  for (int i = 0; i < count; ++i) {
    events.push_back(
        {*rc::gen::inRange(0, 7), *rc::gen::inRange(0, 6), *rc::gen::inRange(0, 2310), *rc::gen::inRange(0, 30)});
  }
  std::string fault, again;
  const std::string log = run_events(events, &fault);
  if (!fault.empty()) RC_LOG() << fault << "\n" << log;
  RC_ASSERT(fault.empty());
  RC_ASSERT(log == run_events(events, &again));
}

}  // namespace
}  // namespace rescheduler::sim
