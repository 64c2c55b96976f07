// An embedded cluster that lives on a thread of its own, follows the clock and answers on loopback: what `rescheduler
// sim`, the demo and the end-to-end tests start.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "kube/client/api.h"
#include "net/event_loop.h"
#include "sim/cluster.h"

namespace rescheduler::sim {

class HttpFrontend;

struct ServeSettings {
  ClusterSettings cluster{};  // its `start` is now
  double speed = 1;           // seconds of cluster time in a second
  std::uint16_t port = 0;     // 0: any free one
  bool tls = true;            // with an authority made for the occasion
};

class ServedCluster {
 public:
  static Result<std::unique_ptr<ServedCluster>> start(ServeSettings settings);
  ~ServedCluster();
  ServedCluster(const ServedCluster&) = delete;
  ServedCluster& operator=(const ServedCluster&) = delete;

  std::string url() const;         // https://127.0.0.1:41234
  std::string kubeconfig() const;  // its text, complete in itself
  const std::string& ca_pem() const;
  net::EventLoop& loop();

  // The rest belongs to the loop's thread; on_loop() runs something there and waits for it.
  void on_loop(const std::function<void()>& look);
  EmbeddedCluster& cluster();
  kube::Api& api();  // the in-process door
  HttpFrontend& frontend();

 private:
  struct Parts;
  explicit ServedCluster(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace rescheduler::sim
