// An embedded cluster on its own thread that follows the clock and listens on loopback. `rescheduler sim`, the demo and
// the end-to-end tests start one.
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
  ClusterSettings cluster{};  // `start` is replaced by the current time
  double speed = 1;           // seconds of cluster time per second of real time
  std::uint16_t port = 0;     // 0: any free port
  bool tls = true;            // with a certificate authority created for this cluster
};

class ServedCluster {
 public:
  static Result<std::unique_ptr<ServedCluster>> start(ServeSettings settings);
  ~ServedCluster();
  ServedCluster(const ServedCluster&) = delete;
  ServedCluster& operator=(const ServedCluster&) = delete;

  std::string url() const;         // https://127.0.0.1:41234
  std::string kubeconfig() const;  // self-contained text
  const std::string& ca_pem() const;
  net::EventLoop& loop();

  // The members below belong to the loop's thread. on_loop() runs a function there and waits for its end.
  void on_loop(const std::function<void()>& look);
  EmbeddedCluster& cluster();
  kube::Api& api();  // the in-process frontend
  HttpFrontend& frontend();

 private:
  struct Parts;
  explicit ServedCluster(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace rescheduler::sim
