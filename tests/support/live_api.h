// A connected client on its own event loop, for calls from a test's main thread.
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
  // No client-side rate limit unless the settings have one: tests send as fast as the server accepts.
  static kube::HttpsApiSettings unlimited();
  // Ends the test process if the configuration is unusable.
  explicit LiveApi(const kube::ClientConfig& config, kube::HttpsApiSettings settings = unlimited());
  explicit LiveApi(const std::string& kubeconfig, kube::HttpsApiSettings settings = unlimited());
  // Uses an existing loop and API, which must outlive this object.
  LiveApi(net::EventLoop& loop, kube::Api& api);
  ~LiveApi();

  kube::Api& api() { return *api_; }
  kube::Client client() { return kube::Client(*api_); }
  kube::LoopServices services();
  net::EventLoop& loop() { return *loop_; }

  // Runs a task on the loop and waits for the result.
  template <class T>
  Result<T> await(net::Task<Result<T>> task) {
    return loop_->await_result(std::move(task));
  }
  // Runs a function on the loop's thread, where informers and stores may be read.
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

// A namespace for this test, deleted at its end without waiting for the deletion.
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

// Polls the condition every few milliseconds; false if it does not become true within the limit.
bool eventually(const std::function<bool()>& condition, std::chrono::seconds limit = std::chrono::seconds{120});

}  // namespace rescheduler::test
