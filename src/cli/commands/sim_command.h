// `rescheduler sim`: serves an embedded cluster for kubectl and others, or runs one in virtual time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rescheduler::cli {

struct SimOptions {
  int nodes = 0;  // 0: as in the scenario
  int pods = 0;   // number of additional pods to create, spread over the nodes
  std::string scenario{};
  std::string kubeconfig_out{};
  std::string prometheus_config_out{};
  std::uint16_t port = 0;
  bool tls = true;
  bool place = true;
  bool reschedule = false;  // also move running pods
  double speed = 1;
  std::optional<std::uint64_t> seed{};
  std::string run_for{};  // a duration in cluster time; empty: until a signal
  bool virtual_time = false;
  std::string journal{};
  std::optional<std::uint16_t> ui_port{};  // port of the dashboard on loopback; empty: no dashboard
};

int run_sim(const SimOptions& options);  // returns the exit code

}  // namespace rescheduler::cli
