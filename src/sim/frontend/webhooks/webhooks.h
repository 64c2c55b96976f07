// Asks admission webhooks over real HTTPS, as their configurations in the store say: first the mutating ones by name
// of their configuration, one after the other, each seeing what the one before has made of the object; then the
// validating ones.
//
// Left out: deletions and subresources that are not the object itself (binding, eviction, scale), matchConditions
// (calling such a webhook fails and says so), and rules that name another version of the same kind
// (matchPolicy Equivalent). The webhook's time-out is real time, whatever the agenda's is.
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
  // Where services are really listening, by "namespace/name".
  struct Address {
    std::string host = "127.0.0.1";
    std::uint16_t port = 443;
  };
  std::map<std::string, Address> services{};
  // Called around every review, so that virtual time can stand still meanwhile (VirtualLoop::hold_time).
  std::function<void()> begun{};
  std::function<void()> ended{};
  std::string user = "embedded-admin";  // who writes, as the webhooks are told
};

struct WebhookCounts {
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;  // of calling; a denial is none
  std::uint64_t denials = 0;
};

class WebhookCaller final : public Admission {
 public:
  // Make it known with Server::set_admission(). Belongs to the loop's thread.
  WebhookCaller(net::Executor executor, Server& server, WebhookSettings settings = {});
  ~WebhookCaller() override;

  bool concerns(const PendingWrite& pending_write) override;
  void review(PendingWrite pending_write, Done done) override;

  void set_service(const std::string& ns_and_name, WebhookSettings::Address address);
  const WebhookCounts& counts() const;

 private:
  // Shared with the reviews that run, which end unanswered when the caller goes.
  class Calls;
  std::shared_ptr<Calls> calls_;
};

}  // namespace rescheduler::sim
