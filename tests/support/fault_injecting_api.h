// An Api that can refuse or hold bindings or lose their answers, and that records every write. Works on any cluster.
// Use it on the loop's thread only, as every Api.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kube/client/forwarding_api.h"
#include "net/event_loop.h"

namespace rescheduler::test {

class FaultInjectingApi final : public kube::ForwardingApi {
 public:
  FaultInjectingApi(kube::Api& api, net::Executor executor) : ForwardingApi(api), executor_(std::move(executor)) {}

  // The next bindings fail with these errors, in order; they do not reach the server.
  void refuse_bindings(std::vector<Error> with) { refusals_.assign(with.begin(), with.end()); }
  // The next `bindings` bindings reach the server, but the caller gets a timeout.
  void lose_answers(int bindings) { lost_answers_ = bindings; }
  // Holds all further bindings until release_bindings(), which sends them to the server.
  void hold_bindings() { gate_ = std::make_shared<net::Gate>(executor_); }
  void release_bindings();
  int held() const { return held_; }
  // From now on every lease request fails, so a leader that uses this Api loses its lease.
  void lose_leases() { leases_lost_ = true; }
  // The longest timeout of a binding so far.
  std::chrono::nanoseconds longest_bind_timeout() const { return longest_bind_timeout_; }

  // "create pods web/api-0 binding", in the order in which the writes were sent.
  const std::vector<std::string>& writes() const { return writes_; }
  std::size_t reads() const { return reads_; }  // gets of single objects

  net::Task<Result<void>> call(kube::ApiCall call, kube::Message* answer) override;

 private:
  net::Task<Result<void>> bind(kube::ApiCall call, kube::Message* answer);

  net::Executor executor_;
  std::deque<Error> refusals_;
  int lost_answers_ = 0;
  int held_ = 0;
  std::shared_ptr<net::Gate> gate_;
  bool leases_lost_ = false;
  std::chrono::nanoseconds longest_bind_timeout_{0};
  std::vector<std::string> writes_;
  std::size_t reads_ = 0;
};

Error refusal(int http_status, std::string message);

}  // namespace rescheduler::test
