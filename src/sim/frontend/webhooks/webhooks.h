// Calls admission webhooks over real HTTPS, according to their configurations in the store. First come the mutating
// webhooks, one by one, sorted by the name of their configuration; each gets the object as changed by the one before.
// Then come the validating webhooks.
//
// Not supported: deletions and subresources that are not the object itself (binding, eviction, scale); matchConditions
// (calling such a webhook fails with a message); rules for another version of the same kind (matchPolicy Equivalent).
// The timeout of a webhook is real time, also if the agenda is virtual.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "net/event_loop.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

struct WebhookSettings {
  // The real address of each service, by "namespace/name".
  struct Address {
    std::string host = "127.0.0.1";
    std::uint16_t port = 443;
  };
  std::map<std::string, Address> services{};
  // Called before and after every review. A virtual clock can stop in between (VirtualLoop::hold_time).
  std::function<void()> begun{};
  std::function<void()> ended{};
  std::string user = "embedded-admin";  // the user in the AdmissionReview
};

struct WebhookCounts {
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;  // failed calls; a denial is not a failure
  std::uint64_t denials = 0;
};

class WebhookCaller final : public Admission {
 public:
  // Register the object with Server::set_admission(). All members belong to the loop's thread.
  WebhookCaller(net::Executor executor, Server& server, WebhookSettings settings = {});
  ~WebhookCaller() override;

  bool concerns(const PendingWrite& pending_write) override;
  void review(PendingWrite pending_write, Done done) override;

  void set_service(const std::string& ns_and_name, WebhookSettings::Address address);
  const WebhookCounts& counts() const;

 private:
  // Shared with running reviews, which end without an answer when the caller is destroyed.
  class Calls;
  std::shared_ptr<Calls> calls_;
};

}  // namespace rescheduler::sim
