// For any sequence of events of pods and nodes, the status of a pod changes only as in a real cluster.
#include <functional>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/kubelet/kubelet_fixture.h"

namespace rescheduler::sim {
namespace {

struct Seen {
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
                                               [this](const Change& change) { judge(change); })) {}
  std::string fault;
  std::string log;

 private:
  void judge(const Change& change) {
    const auto pod = change.after->as<api::Pod>();
    const auto& status = pod->status();
    log += pod->metadata().name() + " " + status.phase() + " " + pod->metadata().resource_version() + "\n";
    Seen& seen = seen_[pod->metadata().name()];
    if (seen.uid != pod->metadata().uid()) seen = {pod->metadata().uid(), status.phase(), {}};
    if (!allowed(seen.phase, status.phase())) complain(*pod, seen.phase + " became " + status.phase());
    seen.phase = status.phase();
    seen.restarts.resize(static_cast<std::size_t>(status.container_statuses_size()));
    bool all_ready = status.container_statuses_size() > 0;
    for (int i = 0; i < status.container_statuses_size(); ++i) {
      const auto& container = status.container_statuses(i);
      int& restarts = seen.restarts[static_cast<std::size_t>(i)];
      if (container.restart_count() < restarts || container.restart_count() > restarts + 1)
        complain(*pod, "restarts jump");
      restarts = container.restart_count();
      const int states =
          container.state().has_waiting() + container.state().has_running() + container.state().has_terminated();
      if (states != 1) complain(*pod, "a container is in several states");
      if (container.ready() && !container.state().has_running()) complain(*pod, "ready without running");
      all_ready = all_ready && container.ready();
    }
    const auto* ready = find_condition(status, "Ready");
    if (ready != nullptr && ready->status() == "True" && !all_ready) complain(*pod, "Ready without its containers");
  }
  void complain(const api::Pod& pod, const std::string& what) {
    if (fault.empty()) fault = pod.metadata().name() + ": " + what;
  }

  std::map<std::string, Seen> seen_;
  std::unique_ptr<Store::Subscription> subscription_;
};

struct Act {
  int kind, pod, value, seconds;
};

api::Pod some_pod(int number, int value) {
  api::Pod pod = KubeletBench::pod("p" + std::to_string(number), value % 2 == 0 ? "n1" : "n2");
  const std::vector<std::string> policies{"Always", "OnFailure", "Never"};
  pod.mutable_spec()->set_restart_policy(policies[static_cast<std::size_t>(value / 2 % 3)]);
  if (value % 5 == 1) KubeletBench::add_container(pod, "second");
  if (value % 5 == 2) KubeletBench::add_init(pod, "init");
  if (value % 5 == 3) KubeletBench::add_init(pod, "side", true);
  if (value % 7 == 1) KubeletBench::annotate(pod, kCrashOn, "n1");
  if (value % 7 == 2) KubeletBench::annotate(pod, kRunFor, "20s");
  if (value % 7 == 3) KubeletBench::annotate(pod, kImagePullFailsOn, "n2");
  if (value % 7 == 4) KubeletBench::annotate(pod, kOomOn, "*");
  if (value % 7 == 5) KubeletBench::annotate(pod, kReadyDelay, "7s");
  if (value % 11 == 0) pod.mutable_spec()->set_active_deadline_seconds(40);
  return pod;
}

void perform(KubeletBench& bench, const Act& act) {
  const std::string name = "p" + std::to_string(act.pod);
  const std::string node = act.value % 2 == 0 ? "n1" : "n2";
  switch (act.kind) {
    case 0:
    case 1:
      if (!bench.get(name)) bench.create(some_pod(act.pod, act.value));
      break;
    case 2:
      if (bench.get(name)) bench.remove(name, act.value % 40);
      break;
    case 3: bench.kubelets.faults().set_node(node, NodeFault(act.value / 2 % 4)); break;
    case 4: bench.kubelets.faults().set_node(node, std::nullopt); break;
    case 5:
      bench.kubelets.faults().set_pod("web", name,
                                      {.crash = act.value % 3 == 1, .oom = false, .unready = act.value % 3 == 2});
      break;
    default: break;
  }
  bench.agenda.run_for(std::chrono::milliseconds{act.seconds * 700});
}

std::string play(const std::vector<Act>& acts, std::string* fault) {
  KubeletSettings settings;  // with jitter
  KubeletBench bench(settings);
  TransitionChecker checker(bench.server);
  bench.add_node("n1");
  bench.add_node("n2");
  for (const Act& act : acts) perform(bench, act);
  for (const auto node : {"n1", "n2"}) bench.kubelets.faults().set_node(node, std::nullopt);
  for (int i = 0; i < 6; ++i)
    if (bench.get("p" + std::to_string(i))) bench.remove("p" + std::to_string(i));
  bench.agenda.run_for(2min);
  *fault = checker.fault;
  const bool left = bench.kubelets.tracked_pods() != 0 || bench.load.node_usage("n1")->pods != 0
                    || bench.load.node_usage("n2")->pods != 0;
  if (left && fault->empty()) *fault = "something is left when all pods are gone";
  return checker.log;
}

RC_GTEST_PROP(PodPhaseProperty, StatusOnlyMovesAlongRealEdgesAndRunsRepeat, ()) {
  std::vector<Act> acts;
  const int count = *rc::gen::inRange(1, 40);
  for (int i = 0; i < count; ++i) {
    acts.push_back(
        {*rc::gen::inRange(0, 7), *rc::gen::inRange(0, 6), *rc::gen::inRange(0, 2310), *rc::gen::inRange(0, 30)});
  }
  std::string fault, again;
  const std::string log = play(acts, &fault);
  if (!fault.empty()) RC_LOG() << fault << "\n" << log;
  RC_ASSERT(fault.empty());
  RC_ASSERT(log == play(acts, &again));
}

}  // namespace
}  // namespace rescheduler::sim
