#include "support/meddling_api.h"

#include <fmt/format.h>

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

void MeddlingApi::let_go() {
  if (gate_) gate_->open();
  gate_.reset();
}

Result<void> MeddlingApi::reachable() const {
  if (!cut_) return {};
  return fail(Errc::Unavailable, "the test has cut this client off");
}

net::Task<Result<void>> MeddlingApi::call(kube::ApiCall call, kube::Message* answer) {
  if (auto way = reachable(); !way) co_return way;
  if (call.verb == kube::Verb::Create && call.subresource == "binding") {
    auto bound = co_await bind(std::move(call), answer);
    co_return bound;
  }
  if (is_write(call)) writes_.push_back(fmt::format("{} {}", describe(call), call.subresource));
  auto done = co_await api_.call(std::move(call), answer);
  co_return done;
}

net::Task<Result<void>> MeddlingApi::bind(kube::ApiCall call, kube::Message* answer) {
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

net::Task<Result<kube::ListPage>> MeddlingApi::list(kube::ApiCall call, kube::ItemSink sink) {
  if (auto way = reachable(); !way) co_return fail(std::move(way.error()));
  auto page = co_await api_.list(std::move(call), std::move(sink));
  co_return page;
}

net::Task<Result<std::unique_ptr<kube::WatchStream>>> MeddlingApi::watch(kube::ApiCall call) {
  if (auto way = reachable(); !way) co_return fail(std::move(way.error()));
  auto stream = co_await api_.watch(std::move(call));
  co_return stream;
}

net::Task<Result<std::string>> MeddlingApi::get_text(std::string path, std::string accept) {
  if (auto way = reachable(); !way) co_return fail(std::move(way.error()));
  auto text = co_await api_.get_text(std::move(path), std::move(accept));
  co_return text;
}

}  // namespace rescheduler::test
