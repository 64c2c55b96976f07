// Credentials from an exec plugin. Runs the plugin when there is no valid credential, and keeps the answer until it
// expires or is rejected.
//
// The plugin runs on a separate thread. Callers wait without blocking the loop, and calls during a run share its
// answer. All members belong to the executor's thread. An ExecSource must be destroyed before the loop; that stops a
// running plugin.
#pragma once

#include <chrono>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "kube/config/client_config.h"
#include "kube/config/exec_credential.h"
#include "net/task.h"

namespace rescheduler::kube {

struct ExecLimits {
  std::chrono::milliseconds timeout{60'000};
  std::size_t most_output = std::size_t{1} << 20;
};

class ExecSource {
 public:
  ExecSource(ExecPlugin plugin, const Clock& clock, net::Executor executor, ExecLimits limits);
  ~ExecSource();
  ExecSource(const ExecSource&) = delete;
  ExecSource& operator=(const ExecSource&) = delete;

  net::Task<Result<ExecAnswer>> current();
  void rejected();

 private:
  struct Run;
  struct State;
  bool has_fresh() const;
  Result<void> start();

  ExecPlugin plugin_;
  const Clock& clock_;
  net::Executor executor_;
  ExecLimits limits_;
  std::shared_ptr<State> state_;  // shared with the handler that a finished run posts
  std::jthread thread_;
};

// Runs the plugin until it exits and parses its answer. Blocking. Errors begin with the name of the plugin.
Result<ExecAnswer> run_exec_plugin(const ExecPlugin& plugin, const ExecLimits& limits, std::stop_token stop);

}  // namespace rescheduler::kube
