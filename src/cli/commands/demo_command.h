// `rescheduler demo`: an embedded cluster, a scenario, and a view of what happens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rescheduler::cli {

struct DemoOptions {
  std::string scenario = "imbalance";
  int nodes = 0;  // 0: as in the scenario
  bool exit_when_done = false;
  double speed = 0;    // 0: slow enough to follow on a terminal, fast otherwise
  double seconds = 0;  // real seconds after which the demo ends in any case; 0: never
  std::optional<std::uint64_t> seed{};
  std::string kubeconfig_out{};
  bool no_rescheduling = false;
  std::optional<std::uint16_t> ui_port{};  // port of the dashboard; empty: kUiPort, or any port if that one is in use
  bool no_ui = false;
  static constexpr std::uint16_t kUiPort = 8088;
};

int run_demo(const DemoOptions& options);  // returns the exit code

}  // namespace rescheduler::cli
