// An Api with somebody in between: bindings can be refused, held up, or done without an answer, and every write is
// noted. Works on any cluster, through any door. Belongs to the loop's thread, as every Api.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kube/client/api.h"
#include "net/event_loop.h"

namespace rescheduler::test {

class MeddlingApi final : public kube::Api {
 public:
  MeddlingApi(kube::Api& api, net::Executor executor) : api_(api), executor_(std::move(executor)) {}

  // The next bindings, one after the other, fail with these; the server does not hear of them.
  void refuse_bindings(std::vector<Error> with) { refusals_.assign(with.begin(), with.end()); }
  // So many of the next bindings are done, but who asked hears only a timeout.
  void lose_answers(int bindings) { lost_answers_ = bindings; }
  // Bindings that come from now on wait here, until they are let go: then they go on to the server.
  void hold_bindings() { gate_ = std::make_shared<net::Gate>(executor_); }
  void let_go();
  int held() const { return held_; }
  // From now on nothing about leases comes through: whoever leads through here will not for long.
  void lose_leases() { leases_lost_ = true; }
  // The longest that a binding would have waited for its answer.
  std::chrono::nanoseconds most_patience() const { return most_patience_; }

  // "create pods web/api-0 binding", in the order in which they went to the server.
  const std::vector<std::string>& writes() const { return writes_; }
  std::size_t reads() const { return reads_; }  // of single objects

  net::Task<Result<void>> call(kube::ApiCall call, kube::Message* answer) override;
  net::Task<Result<kube::ListPage>> list(kube::ApiCall call, kube::ItemSink sink) override {
    return api_.list(std::move(call), std::move(sink));
  }
  net::Task<Result<std::unique_ptr<kube::WatchStream>>> watch(kube::ApiCall call) override {
    return api_.watch(std::move(call));
  }
  net::Task<Result<std::string>> get_text(std::string path, std::string accept) override {
    return api_.get_text(std::move(path), std::move(accept));
  }

 private:
  net::Task<Result<void>> bind(kube::ApiCall call, kube::Message* answer);

  kube::Api& api_;
  net::Executor executor_;
  std::deque<Error> refusals_;
  int lost_answers_ = 0;
  int held_ = 0;
  std::shared_ptr<net::Gate> gate_;
  bool leases_lost_ = false;
  std::chrono::nanoseconds most_patience_{0};
  std::vector<std::string> writes_;
  std::size_t reads_ = 0;
};

Error refusal(int http_status, std::string message);

}  // namespace rescheduler::test
