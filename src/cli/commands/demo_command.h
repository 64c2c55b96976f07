// `rescheduler demo`: an embedded cluster, a scenario, and a view of what happens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rescheduler::cli {

struct DemoOptions {
  std::string scenario = "imbalance";
  int nodes = 0;  // 0: as the scenario has it
  bool exit_when_done = false;
  double speed = 0;    // 0: slow enough to follow on a terminal, quick elsewhere
  double seconds = 0;  // real ones after which it ends in any case; 0: never
  std::optional<std::uint64_t> seed{};
  std::string kubeconfig_out{};
  bool no_rescheduling = false;
  std::optional<std::uint16_t> ui_port{};  // of its pages; nothing: kUiPort, or any where that one is taken
  bool no_ui = false;
  static constexpr std::uint16_t kUiPort = 8088;
};

int run_demo(const DemoOptions& options);  // the process's exit code

}  // namespace rescheduler::cli
