#include "chaos/lease_checking_api.h"

namespace rescheduler::test {
namespace {

constexpr std::chrono::milliseconds kTick{1};  // a request whose timeout ends exactly with the lease is in time

}  // namespace

net::Task<Result<void>> LeaseCheckingApi::call(kube::ApiCall call, kube::Message* answer) {
  if (call.verb == kube::Verb::Get) {
    auto read = co_await api_.call(std::move(call), answer);
    co_return read;
  }
  const std::string what = kube::describe(call);
  if (!lease_->may_act()) checker_.wrote_without_lease(what);
  const SteadyTime began = clock_.steady_now();
  const auto left = lease_->time_left();
  auto done = co_await api_.call(std::move(call), answer);
  const bool late = !lease_->may_act() && clock_.steady_now() - began > left + kTick;
  if (late) checker_.wrote_without_lease("not give up in time: " + what);
  co_return done;
}

}  // namespace rescheduler::test
