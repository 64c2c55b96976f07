// `rescheduler sim`: serves an embedded cluster for kubectl and others, or runs one in virtual time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rescheduler::cli {

struct SimOptions {
  int nodes = 0;  // 0: as the scenario has it
  int pods = 0;   // plain ones besides, spread over the nodes
  std::string scenario{};
  std::string kubeconfig_out{};
  std::string prometheus_config_out{};
  std::uint16_t port = 0;
  bool tls = true;
  bool place = true;
  bool reschedule = false;  // what runs is moved as well
  double speed = 1;
  std::optional<std::uint64_t> seed{};
  std::string run_for{};  // a duration in cluster time; empty: until told to stop
  bool virtual_time = false;
  std::string journal{};
  std::optional<std::uint16_t> ui_port{};  // of its pages on loopback; nothing: none
};

int run_sim(const SimOptions& options);  // the process's exit code

}  // namespace rescheduler::cli
