// A connection for one command: an event loop with its services, and clients of API servers. The destructor closes
// everything.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/metrics.h"
#include "base/rng.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/config/client_config.h"
#include "net/event_loop.h"

namespace rescheduler::cli {

class Connection {
 public:
  Connection();
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Sends nothing yet; fails if the key material of the configuration is invalid. The Connection owns the Api.
  Result<kube::Api*> open(const kube::ClientConfig& config);
  // With the options --kubeconfig and --context, which every command has.
  Result<kube::Api*> open(const std::string& kubeconfig, const std::string& context);

  template <class T>
  Result<T> await(net::Task<Result<T>> task) {
    return loop_.await_result(std::move(task));
  }

  const kube::LoopServices& services() const { return services_; }
  const Clock& clock() const { return clock_; }
  net::EventLoop& loop() { return loop_; }
  net::Timers& timers() { return timers_; }

 private:
  net::Task<Result<void>> close();

  MetricRegistry metrics_;
  SystemClock clock_;
  Rng rng_;
  net::RealTimers timers_;
  net::EventLoop loop_;
  kube::LoopServices services_;
  std::vector<std::unique_ptr<kube::Api>> apis_;
};

// The named kubeconfig, else $KUBECONFIG, else in-cluster, else ~/.kube/config.
Result<kube::ClientConfig> cluster_named(const std::string& kubeconfig, const std::string& context);

}  // namespace rescheduler::cli
