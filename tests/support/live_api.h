// A connected client on an event loop of its own, for a test's main thread to talk through.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "kube/client/client.h"
#include "kube/client/https_api.h"
#include "kube/config/client_config.h"
#include "net/event_loop.h"

namespace rescheduler::test {

class LiveApi {
 public:
  // No rate limit of our own unless the settings say so: tests push as hard as the server takes it.
  static kube::HttpsApiSettings unlimited();
  // Ends the test process when the configuration itself is unusable.
  explicit LiveApi(const kube::ClientConfig& config, kube::HttpsApiSettings settings = unlimited());
  explicit LiveApi(const std::string& kubeconfig, kube::HttpsApiSettings settings = unlimited());
  // Somebody else's loop and API, which outlive this.
  LiveApi(net::EventLoop& loop, kube::Api& api);
  ~LiveApi();

  kube::Api& api() { return *api_; }
  kube::Client client() { return kube::Client(*api_); }
  kube::LoopServices services();
  net::EventLoop& loop() { return *loop_; }

  // Runs a task on the loop and waits for it.
  template <class T>
  Result<T> await(net::Task<Result<T>> task) {
    return loop_->await_result(std::move(task));
  }
  // Runs a plain function on the loop's thread, where informers and stores may be looked at.
  void on_loop(std::function<void()> look);

 private:
  MetricRegistry metrics_;
  SystemClock clock_;
  Rng rng_{20240601};
  net::RealTimers timers_;
  std::unique_ptr<net::EventLoop> own_loop_;
  net::EventLoop* loop_;
  std::unique_ptr<kube::HttpsApi> own_api_;
  kube::Api* api_ = nullptr;
};

kube::ClientConfig config_of(const std::string& kubeconfig);

// A namespace of the test's own, deleted (not waited for) at its end.
class TestNamespace {
 public:
  explicit TestNamespace(LiveApi& live);
  ~TestNamespace();
  TestNamespace(const TestNamespace&) = delete;
  TestNamespace& operator=(const TestNamespace&) = delete;
  const std::string& name() const { return name_; }

 private:
  LiveApi& live_;
  std::string name_;
};

// Waits until the condition holds, looking every few milliseconds; false when it never does.
bool eventually(const std::function<bool()>& condition, std::chrono::seconds limit = std::chrono::seconds{120});

}  // namespace rescheduler::test
