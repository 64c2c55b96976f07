#include "support/crashing_api.h"

#include <fmt/format.h>

namespace rescheduler::test {
namespace {

Unexpected killed() { return fail(Errc::Cancelled, "the test has killed this process"); }

bool counts(const kube::ApiCall& call) {
  const bool reads = call.verb == kube::Verb::Get || call.verb == kube::Verb::List || call.verb == kube::Verb::Watch;
  return !reads && !call.dry_run && call.resource->plural != "events" && call.resource->plural != "leases";
}

}  // namespace

net::Task<Result<void>> CrashingApi::call(kube::ApiCall call, kube::Message* answer) {
  if (dead_) co_return killed();
  const bool counted = counts(call);
  if (call.verb == kube::Verb::Get && call.resource->plural == "pods") ++pod_reads_[call.name];
  if (counted) {
    writes_.push_back(fmt::format("{} {}", describe(call), call.subresource));
    if (left_ > 0) --left_;
  }
  const bool last = counted && left_ == 0;
  if (last && instead_) {
    left_ = -1;
    instead_();
    auto answered = co_await api_.call(std::move(call), answer);
    co_return answered;
  }
  if (last) dead_ = true;
  auto done = co_await api_.call(std::move(call), answer);
  if (last) {
    last_write_done_ = true;
    co_return killed();
  }
  co_return done;
}

net::Task<Result<kube::ListPage>> CrashingApi::list(kube::ApiCall call, kube::ItemSink sink) {
  if (dead_) co_return killed();
  auto page = co_await api_.list(std::move(call), std::move(sink));
  co_return page;
}

net::Task<Result<std::unique_ptr<kube::WatchStream>>> CrashingApi::watch(kube::ApiCall call) {
  if (dead_) co_return killed();
  auto stream = co_await api_.watch(std::move(call));
  co_return stream;
}

net::Task<Result<std::string>> CrashingApi::get_text(std::string path, std::string accept) {
  if (dead_) co_return killed();
  auto text = co_await api_.get_text(std::move(path), std::move(accept));
  co_return text;
}

}  // namespace rescheduler::test
