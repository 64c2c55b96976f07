#include "sim/frontend/local_api.h"

#include <algorithm>

#include <boost/asio/this_coro.hpp>
#include <google/protobuf/message.h>

#include "kube/client/request.h"
#include "kube/client/response.h"
#include "kube/client/retry.h"
#include "kube/proto/meta.pb.h"
#include "net/cancellation.h"
#include "net/waiter.h"
#include "sim/frontend/served_object.h"
#include "sim/frontend/typed_objects.h"
#include "sim/frontend/watch_feed.h"

namespace rescheduler::sim {
namespace {

using kube::ApiCall;
using kube::Verb;

constexpr std::chrono::seconds kWatchHeadTimeout{30};  // as in HttpsApi

StatusError not_served() { return {404, "NotFound", "the server could not find the requested resource"}; }

const Kind* kind_of(const Server& server, const ApiCall& call) {
  return server.kinds().find(call.resource->group, call.resource->version, call.resource->plural);
}

std::shared_ptr<const api::DeleteOptions> delete_options(const ApiCall& call) {
  const bool deletes = call.verb == Verb::Delete || call.verb == Verb::DeleteCollection;
  if (!deletes || call.body == nullptr) return nullptr;
  return std::make_shared<api::DeleteOptions>(static_cast<const api::DeleteOptions&>(*call.body));
}

Error lost_connection(std::string_view where) {
  return Error{Errc::Unavailable, fmt::format("{}: the connection was lost before the answer came", where)};
}

Error no_answer(std::string_view where) {
  return Error{Errc::Timeout, fmt::format("{}: the deadline passed while waiting for the answer", where)};
}

// Rejects what HttpsApi does not send.
Result<void> check_names(const ApiCall& call) {
  const auto plain = [](std::string_view text) { return text.find('/') == text.npos && !text.starts_with('.'); };
  const bool nameless = call.name.empty() && call.verb != Verb::Create && call.verb != Verb::DeleteCollection;
  if (plain(call.ns) && plain(call.name) && !nameless) return {};
  ApiCall bare = call;
  bare.body = nullptr;
  auto request = kube::http_request_for(bare, "");
  if (!request) return fail(std::move(request.error()));
  return {};
}

class LocalWatch final : public kube::WatchStream {
 public:
  LocalWatch(std::unique_ptr<WatchFeed> feed, const Kind& kind, const ApiCall& call, std::string where)
      : feed_(std::move(feed)),
        kind_(kind),
        resource_(*call.resource),
        idle_limit_(call.idle_limit),
        where_(std::move(where)) {}

  net::Task<Result<std::vector<kube::WatchEvent>>> next() override {
    auto batch = co_await feed_->next(idle_limit_);
    switch (batch.end) {
      case WatchFeed::End::NotYet: co_return converted(batch.events);
      case WatchFeed::End::Regular: co_return std::vector<kube::WatchEvent>{};
      case WatchFeed::End::Refused: co_return fail(to_error(batch.refusal, where_));
      case WatchFeed::End::Broken:
        co_return fail(Errc::Unavailable, "{}: the connection was lost in the middle of the stream", where_);
      case WatchFeed::End::Silent:
        co_return fail(Errc::Timeout, "{}: the stream was silent for {} s", where_,
                       std::chrono::duration_cast<std::chrono::seconds>(idle_limit_).count());
      case WatchFeed::End::Cancelled: break;
    }
    co_return net::cancelled();
  }

 private:
  Result<std::vector<kube::WatchEvent>> converted(const std::vector<ServedEvent>& served) const {
    std::vector<kube::WatchEvent> events;
    events.reserve(served.size());
    for (const ServedEvent& one : served) {
      kube::WatchEvent& event = events.emplace_back();
      event.kind = one.type;
      event.resource_version = std::to_string(one.number);
      event.initial_events_end = one.initial_events_end;
      if (!one.version) continue;
      auto object = typed_object(kind_, resource_, shown(one));
      if (!object) return fail(std::move(object.error()).within(where_));
      event.object = std::move(*object);
    }
    return events;
  }

  std::unique_ptr<WatchFeed> feed_;
  const Kind& kind_;
  const kube::ResourceType& resource_;
  std::chrono::nanoseconds idle_limit_;
  std::string where_;
};

}  // namespace

LocalApi::LocalApi(Server& server, Documents& documents, WireFaults* faults, LocalApiSettings settings)
    : server_(server),
      documents_(documents),
      faults_(faults),
      settings_(std::move(settings)),
      timers_(server.agenda()),
      rng_(settings_.seed) {}

LocalApi::Attempt LocalApi::attempt_for(const ApiCall& call) const {
  const std::chrono::nanoseconds timeout = call.verb == Verb::Watch ? kWatchHeadTimeout : call.timeout;
  return Attempt{kube::describe(call), server_.agenda().steady_now() + timeout};
}

std::chrono::nanoseconds LocalApi::time_left(const Attempt& attempt) const {
  return std::max(std::chrono::nanoseconds{0}, attempt.deadline - server_.agenda().steady_now());
}

InjectedFault LocalApi::fault_for(const ApiCall& call) {
  if (faults_ == nullptr) return {};
  return faults_->fault_for({call.verb, call.resource->plural, call.subresource, call.ns, call.name});
}

ApiResult<Operation> LocalApi::operation_for(const ApiCall& call) const {
  Operation operation;
  operation.kind = kind_of(server_, call);
  if (operation.kind == nullptr) return refuse(not_served());
  operation.verb = call.verb;
  operation.ns = call.ns;
  operation.name = call.name;
  operation.subresource = call.subresource;
  operation.patch = call.patch;
  operation.patch_kind = call.patch_kind;
  operation.delete_options = delete_options(call);
  operation.context.manager = call.field_manager.empty() ? settings_.user : call.field_manager;
  operation.context.dry_run = call.dry_run;
  operation.context.force = call.force;
  operation.query = {call.ns,
                     call.label_selector,
                     call.field_selector,
                     call.limit,
                     call.continue_token,
                     call.resource_version,
                     call.resource_version_match};
  operation.user = settings_.user;
  if (call.verb != Verb::Create && call.verb != Verb::Update) return operation;
  if (call.body == nullptr) return refuse(bad_request("the request has no body"));
  auto body = stored_body(*operation.kind, call.subresource, *call.body);
  if (!body) return refuse(std::move(body.error()));
  operation.body = std::move(*body);
  return operation;
}

net::Task<Result<void>> LocalApi::call(ApiCall call, Message* answer) {
  auto sound = check_names(call);
  if (!sound) co_return sound;
  auto outcome = co_await repeated(call);
  if (!outcome) co_return fail(std::move(outcome.error()));
  if (answer == nullptr) co_return Result<void>{};
  auto filled = outcome->version ? fill_typed(*outcome->version, *answer)
                                 : fill_typed(*kind_of(server_, call), *outcome->other, *answer);
  if (!filled) co_return fail(std::move(filled.error()).within(kube::describe(call)));
  co_return Result<void>{};
}

net::Task<Result<kube::ListPage>> LocalApi::list(ApiCall call, kube::ItemSink sink) {
  auto outcome = co_await repeated(call);
  if (!outcome) co_return fail(std::move(outcome.error()));
  const Kind& kind = *kind_of(server_, call);
  for (VersionPtr& item : outcome->listing->items) {
    auto object = typed_object(kind, *call.resource, item->object());
    if (!object) co_return fail(std::move(object.error()).within(kube::describe(call)));
    sink(std::move(*object));
    item.reset();
  }
  kube::ListPage page{outcome->listing->resource_version, outcome->listing->continue_token};
  co_return page;
}

net::Task<Result<void>> LocalApi::pause_before_repeat(Error error,
                                                      const ApiCall& call,
                                                      const Attempt& attempt,
                                                      Backoff& backoff) {
  if (!kube::may_repeat(call.verb, call.repeat, error)) co_return fail(std::move(error));
  const auto wait = backoff.next(error.retry_after);
  if (wait >= time_left(attempt)) {
    error.message +=
        fmt::format(" (given up after {} {})", backoff.failures(), backoff.failures() == 1 ? "try" : "tries");
    co_return fail(std::move(error));
  }
  auto slept = co_await timers_.sleep_for(wait);
  co_return slept;
}

net::Task<Result<Outcome>> LocalApi::repeated(const ApiCall& call) {
  const Attempt attempt = attempt_for(call);
  Backoff backoff(settings_.backoff, rng_);
  for (;;) {
    auto outcome = co_await once(call, attempt);
    if (outcome) co_return outcome;
    auto again = co_await pause_before_repeat(std::move(outcome.error()), call, attempt, backoff);
    if (!again) co_return fail(std::move(again.error()));
  }
}

net::Task<Result<void>> LocalApi::delay(const InjectedFault& fault, const Attempt& attempt) {
  if (fault.latency.count() == 0) co_return Result<void>{};
  auto slept = co_await timers_.sleep_for(std::min(fault.latency, time_left(attempt)));
  co_return slept;
}

net::Task<Result<void>> LocalApi::lose(Loss loss, const Attempt& attempt) {
  if (loss == Loss::No) co_return Result<void>{};
  if (loss == Loss::Reset) co_return fail(lost_connection(attempt.where));
  auto slept = co_await timers_.sleep_for(time_left(attempt));
  if (!slept) co_return slept;
  co_return fail(no_answer(attempt.where));
}

net::Task<Result<Outcome>> LocalApi::once(const ApiCall& call, const Attempt& attempt) {
  auto cancellation = co_await boost::asio::this_coro::cancellation_state;
  if (net::is_cancelled(cancellation)) co_return net::cancelled();
  const InjectedFault fault = fault_for(call);
  auto delayed = co_await delay(fault, attempt);
  if (!delayed) co_return fail(std::move(delayed.error()));
  auto request_lost = co_await lose(fault.lose_request, attempt);
  if (!request_lost) co_return fail(std::move(request_lost.error()));
  if (fault.refuse) co_return fail(to_error(*fault.refuse, attempt.where));
  auto outcome = co_await executed(call, fault, attempt);
  if (!outcome && outcome.error().code == Errc::Cancelled) co_return outcome;
  auto response_lost = co_await lose(fault.lose_response, attempt);
  if (!response_lost) co_return fail(std::move(response_lost.error()));
  // The request was executed; only the answer comes too late.
  if (fault.latency.count() > 0 && time_left(attempt).count() == 0) co_return fail(no_answer(attempt.where));
  co_return outcome;
}

net::Task<Result<Outcome>> LocalApi::executed(const ApiCall& call, const InjectedFault& fault, const Attempt& attempt) {
  for (bool last = !fault.duplicate;; last = true) {
    auto operation = operation_for(call);
    if (!operation) co_return fail(to_error(operation.error(), attempt.where));
    if (faults_ != nullptr && (call.verb == Verb::Get || call.verb == Verb::List)) {
      operation->as_of = faults_->version_for(fault);
    }
    auto answer = co_await perform(server_, std::move(*operation));
    if (!answer) co_return fail(std::move(answer.error()));
    if (!last) continue;
    if (!*answer) co_return fail(to_error(answer->error(), attempt.where));
    co_return std::move(**answer);
  }
}

net::Task<Result<std::unique_ptr<kube::WatchStream>>> LocalApi::watch(ApiCall call) {
  const Attempt attempt = attempt_for(call);
  Backoff backoff(settings_.backoff, rng_);
  for (;;) {
    auto stream = co_await watch_once(call, attempt);
    if (stream) co_return stream;
    auto again = co_await pause_before_repeat(std::move(stream.error()), call, attempt, backoff);
    if (!again) co_return fail(std::move(again.error()));
  }
}

net::Task<Result<std::unique_ptr<kube::WatchStream>>> LocalApi::watch_once(const ApiCall& call,
                                                                           const Attempt& attempt) {
  auto cancellation = co_await boost::asio::this_coro::cancellation_state;
  if (net::is_cancelled(cancellation)) co_return net::cancelled();
  const Kind* kind = kind_of(server_, call);
  if (kind == nullptr) co_return fail(to_error(not_served(), attempt.where));
  InjectedFault fault = fault_for(call);
  auto delayed = co_await delay(fault, attempt);
  if (!delayed) co_return fail(std::move(delayed.error()));
  const Loss loss = fault.lose_request != Loss::No ? fault.lose_request : fault.lose_response;
  auto lost = co_await lose(loss, attempt);
  if (!lost) co_return fail(std::move(lost.error()));
  if (fault.refuse) co_return fail(to_error(*fault.refuse, attempt.where));
  auto sound = check_watch(*kind, call.send_initial_events, call.resource_version_match);
  if (!sound) co_return fail(to_error(sound.error(), attempt.where));
  const WatchQuery query{call.ns,        call.label_selector,     call.field_selector, call.resource_version,
                         call.bookmarks, call.send_initial_events};
  auto watch = server_.watch(*kind, query);
  if (!watch) co_return fail(to_error(watch.error(), attempt.where));
  auto feed = std::make_unique<WatchFeed>(server_, std::move(*watch), WatchFeed::Terms{call.bookmarks, call.watch_for},
                                          std::move(fault), faults_);
  co_return std::make_unique<LocalWatch>(std::move(feed), *kind, call, attempt.where);
}

net::Task<Result<std::string>> LocalApi::get_text(std::string path, std::string accept) {
  auto cancellation = co_await boost::asio::this_coro::cancellation_state;
  if (net::is_cancelled(cancellation)) co_return net::cancelled();
  auto answer = documents_.find(path, accept);
  if (!answer) answer = page_not_found();
  if (answer->status < 300) co_return std::move(answer->body);
  net::Headers headers;
  headers.set("Content-Type", answer->content_type);
  co_return fail(kube::error_from_response(answer->status, headers, answer->body, fmt::format("get {}", path)));
}

}  // namespace rescheduler::sim
