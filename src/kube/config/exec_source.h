// Credentials from an exec plugin: runs it when none are at hand, keeps the answer until it expires or is rejected.
//
// The plugin runs on a thread of its own; callers wait without blocking the loop, and those who ask during a run share
// its answer. All members belong to the executor's thread. It must end before the loop does; that stops a running
// plugin.
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
  std::shared_ptr<State> state_;  // shared with the handler that a finishing run posts
  std::jthread thread_;
};

// Runs the plugin to its end and reads its answer. Blocking. Errors begin with the plugin's name.
Result<ExecAnswer> run_exec_plugin(const ExecPlugin& plugin, const ExecLimits& limits, std::stop_token stop);

}  // namespace rescheduler::kube
