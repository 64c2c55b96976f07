// Pods: READY, STATUS and RESTARTS summarise all containers, by the rules of kubectl.
#include <algorithm>
#include <cstdint>
#include <string>

#include "sim/frontend/tables/age.h"
#include "sim/frontend/tables/printer.h"

namespace rescheduler::sim {
namespace {

struct PodSummary {
  std::string reason;
  std::int64_t restarts = 0;
  std::string_view last_restart{};  // RFC 3339 sorts as text
  std::size_t ready = 0;
  std::size_t containers = 0;

  void count_restarts(const Field& status) {
    restarts += status["restartCount"].number();
    last_restart = std::max(last_restart, status["lastState"]["terminated"]["finishedAt"].text());
  }
};

bool is_true(const Field& conditions, std::string_view type) {
  return conditions.where("type", type)["status"].text() == "True";
}

bool is_sidecar(const Field& container) { return container["restartPolicy"].text() == "Always"; }

std::string exit_text(const Field& terminated) {
  if (const auto reason = terminated["reason"].text(); !reason.empty()) return std::string(reason);
  if (const std::int64_t signal = terminated["signal"].number(); signal != 0) {
    return "Signal:" + std::to_string(signal);
  }
  return "ExitCode:" + std::to_string(terminated["exitCode"].number());
}

// True if an init container delays the pod; then summary.reason says why.
bool sum_up_init_containers(const Field& pod, PodSummary& summary, PodSummary& sidecars) {
  const Field specs = pod["spec"]["initContainers"];
  const Field statuses = pod["status"]["initContainerStatuses"];
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const Field status = statuses.at(i);
    const bool sidecar = is_sidecar(specs.where("name", status["name"].text()));
    summary.count_restarts(status);
    if (sidecar) sidecars.count_restarts(status);
    const Field terminated = status["state"]["terminated"];
    const std::string_view waiting = status["state"]["waiting"]["reason"].text();
    if (terminated.present() && terminated["exitCode"].number() == 0) continue;
    if (sidecar && status["started"].flag()) {
      if (status["ready"].flag()) ++summary.ready;
      continue;
    }
    if (terminated.present()) {
      summary.reason = "Init:" + exit_text(terminated);
    } else if (!waiting.empty() && waiting != "PodInitializing") {
      summary.reason = "Init:" + std::string(waiting);
    } else {
      summary.reason = "Init:" + std::to_string(i) + "/" + std::to_string(specs.size());
    }
    return true;
  }
  return false;
}

void sum_up_containers(const Field& pod, PodSummary& summary) {
  const Field statuses = pod["status"]["containerStatuses"];
  bool running = false;
  std::string failure;
  for (std::size_t i = statuses.size(); i-- > 0;) {
    const Field status = statuses.at(i);
    summary.count_restarts(status);
    const Field terminated = status["state"]["terminated"];
    const std::string_view waiting = status["state"]["waiting"]["reason"].text();
    if (!waiting.empty()) {
      summary.reason = waiting;
    } else if (terminated.present()) {
      summary.reason = exit_text(terminated);
      if (terminated["exitCode"].number() != 0) failure = summary.reason;
    } else if (status["ready"].flag() && status["state"]["running"].present()) {
      running = true;
      ++summary.ready;
    }
  }
  if (summary.reason != "Completed") return;
  // "Completed" is the status of the pod only if no other container runs or has failed.
  if (running && is_true(pod["status"]["conditions"], "Ready")) {
    summary.reason = "Running";
  } else if (!failure.empty()) {
    summary.reason = failure;
  } else if (running) {
    summary.reason = "NotReady";
  }
}

PodSummary sum_up(const Field& pod) {
  const Field status = pod["status"];
  PodSummary summary{.reason = std::string(status["reason"].text(status["phase"].text()))};
  for (const boost::json::value& item : status["conditions"].items()) {
    const Field condition(&item);
    if (condition["type"].text() == "PodScheduled" && condition["reason"].text() == "SchedulingGated") {
      summary.reason = "SchedulingGated";
    }
  }
  summary.containers = pod["spec"]["containers"].size();
  for (const boost::json::value& container : pod["spec"]["initContainers"].items()) {
    if (is_sidecar(Field(&container))) ++summary.containers;
  }
  PodSummary sidecars;
  const bool initializing = sum_up_init_containers(pod, summary, sidecars);
  if (!initializing || is_true(status["conditions"], "Initialized")) {
    // Init containers that have completed no longer count.
    summary.restarts = sidecars.restarts;
    summary.last_restart = sidecars.last_restart;
    sum_up_containers(pod, summary);
  }
  if (pod["metadata"]["deletionTimestamp"].present()) {
    const std::string_view phase = status["phase"].text();
    if (status["reason"].text() == "NodeLost") {
      summary.reason = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      summary.reason = "Terminating";
    }
  }
  return summary;
}

std::string readiness_gates(const Field& pod) {
  const Field gates = pod["spec"]["readinessGates"];
  if (gates.size() == 0) return "<none>";
  std::size_t open = 0;
  for (const boost::json::value& gate : gates.items()) {
    if (is_true(pod["status"]["conditions"], Field(&gate)["conditionType"].text())) ++open;
  }
  return std::to_string(open) + "/" + std::to_string(gates.size());
}

boost::json::array pod_cells(const Field& pod, WallTime now) {
  const PodSummary summary = sum_up(pod);
  std::string restarts = std::to_string(summary.restarts);
  if (summary.restarts != 0 && !summary.last_restart.empty()) {
    restarts += " (" + human_age(summary.last_restart, now) + " ago)";
  }
  return {name_of(pod),
          std::to_string(summary.ready) + "/" + std::to_string(summary.containers),
          summary.reason,
          restarts,
          age_of(pod, now),
          pod["status"]["podIPs"].at(0)["ip"].text("<none>"),
          pod["spec"]["nodeName"].text("<none>"),
          pod["status"]["nominatedNodeName"].text("<none>"),
          readiness_gates(pod)};
}

}  // namespace

const Printer* pod_printer(std::string_view group, std::string_view kind) {
  if (!group.empty() || kind != "Pod") return nullptr;
  static const Printer printer{
      .columns = {name_column(), text_column("Ready"), text_column("Status"), text_column("Restarts"), age_column(),
                  wide_column("IP"), wide_column("Node"), wide_column("Nominated Node"),
                  wide_column("Readiness Gates")},
      .cells = pod_cells};
  return &printer;
}

}  // namespace rescheduler::sim
