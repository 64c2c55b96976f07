// The daemon, put together: clients, election, scheduler, port. What `rescheduler run` runs.
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
  kube::ClientConfig token_reviews{};  // where tokens are reviewed, and access; mostly the same
  kube::ClientConfig access_reviews{};
  std::string host{};
  std::function<void()> on_lost_lead{};  // on a thread of the daemon: it leads no more, time to end
};

class Daemon {
 public:
  // Serves its port and follows the cluster; decides once it leads.
  static Result<std::unique_ptr<Daemon>> start(DaemonSettings settings);
  ~Daemon();  // stops it
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  int port() const;            // 0: it serves nothing
  bool lost_the_lead() const;  // it led and does so no more
  // No more decisions; what was begun is finished; the lease is handed on. False: something would not end in time, and
  // only the end of the process will end it.
  bool stop();

 private:
  struct State;
  explicit Daemon(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rescheduler::cli
