#include "support/fault_injecting_api.h"

#include <algorithm>

#include <fmt/format.h>

#include "kube/proto/coordination.pb.h"

namespace rescheduler::test {
namespace {

bool is_write(const kube::ApiCall& call) {
  return call.verb != kube::Verb::Get && call.verb != kube::Verb::List && call.verb != kube::Verb::Watch;
}

}  // namespace

Error refusal(int http_status, std::string message) {
  Error error{http_status == 409 ? Errc::Conflict : Errc::Internal, std::move(message)};
  error.http_status = http_status;
  return error;
}

void FaultInjectingApi::release_bindings() {
  if (gate_) gate_->open();
  gate_.reset();
}

net::Task<Result<void>> FaultInjectingApi::call(kube::ApiCall call, kube::Message* answer) {
  if (leases_lost_ && call.resource == &kube::resource_of<api::Lease>()) {
    co_return fail(Errc::Unavailable, "the test has lost the lease");
  }
  if (call.verb == kube::Verb::Create && call.subresource == "binding") {
    auto bound = co_await bind(std::move(call), answer);
    co_return bound;
  }
  if (is_write(call)) writes_.push_back(fmt::format("{} {}", describe(call), call.subresource));
  if (call.verb == kube::Verb::Get) ++reads_;
  auto done = co_await api_.call(std::move(call), answer);
  co_return done;
}

net::Task<Result<void>> FaultInjectingApi::bind(kube::ApiCall call, kube::Message* answer) {
  longest_bind_timeout_ = std::max(longest_bind_timeout_, call.timeout);
  if (!refusals_.empty()) {
    Error with = std::move(refusals_.front());
    refusals_.pop_front();
    co_return fail(std::move(with));
  }
  if (const auto gate = gate_) {
    ++held_;
    auto waited = co_await gate->wait();
    --held_;
    if (!waited) co_return waited;
  }
  writes_.push_back(fmt::format("{} {}", describe(call), call.subresource));
  auto done = co_await api_.call(std::move(call), answer);
  if (lost_answers_ > 0) {
    --lost_answers_;
    co_return fail(Errc::Timeout, "the test has lost the answer");
  }
  co_return done;
}

}  // namespace rescheduler::test
