// The daemon of `rescheduler run`: clients, leader election, scheduler and port.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "config/run_options.h"
#include "kube/config/client_config.h"

namespace rescheduler::cli {

struct DaemonSettings {
  config::RunOptions options{};
  config::Configuration configuration{};  // with the options applied
  kube::ClientConfig cluster{};
  kube::ClientConfig token_reviews{};  // where tokens and access are reviewed; usually the same cluster
  kube::ClientConfig access_reviews{};
  std::string host{};
  std::function<void()> on_lost_lead{};  // on a thread of the daemon: the lease is lost, the process must end
};

class Daemon {
 public:
  // Serves the port and watches the cluster; schedules only as the leader.
  static Result<std::unique_ptr<Daemon>> start(DaemonSettings settings);
  ~Daemon();  // calls stop()
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  int port() const;            // 0: no port
  bool lost_the_lead() const;  // was the leader and lost the lease
  // Stops scheduling, completes running operations, releases the lease. False: an operation did not end in time, and
  // only the end of the process ends it.
  bool stop();

 private:
  struct State;
  explicit Daemon(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rescheduler::cli
