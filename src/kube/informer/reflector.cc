#include "kube/informer/reflector.h"

#include "base/log.h"
#include "kube/codec/metadata.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {

using namespace reflector;

Reflector::Reflector(Api& api, const ResourceType& resource, InformerSettings settings, LoopServices services)
    : api_(api),
      resource_(resource),
      settings_(std::move(settings)),
      services_(services),
      protocol_(Backoff(settings_.backoff, *services.rng), settings_.streaming_list),
      store_(resource, settings_.keep),
      synced_(services.executor),
      lists_total_(services.metrics->counter("rescheduler_informer_lists_total",
                                             "Full lists read, by resource.",
                                             {{"resource", std::string{resource.plural}}})),
      watches_total_(services.metrics->counter("rescheduler_informer_watches_total",
                                               "Watch streams opened, by resource.",
                                               {{"resource", std::string{resource.plural}}})),
      events_total_(services.metrics->counter("rescheduler_informer_events_total",
                                              "Events received from watches, by resource.",
                                              {{"resource", std::string{resource.plural}}})),
      failures_total_(services.metrics->counter("rescheduler_informer_failures_total",
                                                "Lists and watches that failed, by resource.",
                                                {{"resource", std::string{resource.plural}}})) {}

void Reflector::add_handler(ObjectHandler handler) {
  store_.for_each([&handler](const ObjectPtr& object) {
    if (handler.added) handler.added(object);
    if (handler.upserted) handler.upserted(object);
  });
  if (synced() && handler.synced) handler.synced();
  updates_wanted_ = updates_wanted_ || handler.updated;
  handlers_.push_back(std::move(handler));
}

net::Task<void> Reflector::run() {
  Action action = protocol_.next(Started{});
  for (;;) {
    auto happened = co_await perform(std::move(action));
    if (!happened) co_return;  // cancelled
    action = protocol_.next(*happened);
  }
}

net::Task<Result<Input>> Reflector::perform(Action action) {
  if (const auto* sleep = std::get_if<Sleep>(&action)) {
    auto slept = co_await services_.timers->sleep_for(sleep->duration);
    if (!slept) co_return fail(std::move(slept.error()));
    co_return Input{Woke{}};
  }
  if (const auto* from = std::get_if<Watch>(&action)) {
    auto happened = co_await watch(from->version);
    co_return happened;
  }
  if (std::holds_alternative<StreamList>(action)) {
    auto happened = co_await stream_list();
    co_return happened;
  }
  auto happened = co_await list();
  co_return happened;
}

ApiCall Reflector::call_for(Verb verb) const {
  ApiCall call;
  call.verb = verb;
  call.resource = &resource_;
  call.ns = settings_.ns;
  call.label_selector = settings_.label_selector;
  call.field_selector = settings_.field_selector;
  call.idle_limit = settings_.idle_limit;
  call.repeat = Repeat::Never;  // the protocol decides about repeats
  if (verb == Verb::Watch) {
    // Between 5 and 10 minutes, so that clients do not reconnect at the same moment.
    call.watch_for = std::chrono::seconds{300 + static_cast<std::int64_t>(services_.rng->below(300))};
  }
  return call;
}

net::Task<Result<Input>> Reflector::list() {
  store_.begin_pass();
  std::string continue_token;
  for (;;) {
    ApiCall call = call_for(Verb::List);
    call.limit = settings_.page;
    call.continue_token = std::move(continue_token);
    ItemSink sink = [this](const ObjectPtr& object) { take_object(object); };
    auto page = co_await api_.list(std::move(call), std::move(sink));
    if (!page) co_return input_from(std::move(page.error()));
    co_await wait_until_drained(settings_.page);
    if (page->continue_token.empty()) {
      take_end_of_state(page->resource_version);
      Listed listed{page->resource_version};
      co_return Input(std::move(listed));
    }
    continue_token = std::move(page->continue_token);
  }
}

net::Task<Result<Input>> Reflector::stream_list() {
  ApiCall call = call_for(Verb::Watch);
  call.send_initial_events = true;
  call.resource_version_match = "NotOlderThan";
  auto stream = co_await api_.watch(std::move(call));
  if (!stream) {
    // A server without this feature refuses these parameters as invalid.
    if (stream.error().code == Errc::Invalid) co_return Input{StreamingUnsupported{}};
    co_return input_from(std::move(stream.error()));
  }
  stats_.watches += 1;
  watches_total_.add();
  auto happened = co_await follow(**stream, true);
  co_return happened;
}

net::Task<Result<Input>> Reflector::watch(std::string version) {
  ApiCall call = call_for(Verb::Watch);
  call.resource_version = std::move(version);
  auto stream = co_await api_.watch(std::move(call));
  if (!stream) co_return input_from(std::move(stream.error()));
  stats_.watches += 1;
  watches_total_.add();
  auto happened = co_await follow(**stream, false);
  co_return happened;
}

// Reads a stream until it ends. While `collecting`, its objects are those of a complete state.
net::Task<Result<Input>> Reflector::follow(WatchStream& stream, bool collecting) {
  if (collecting) store_.begin_pass();
  for (;;) {
    auto events = co_await stream.next();
    if (!events) co_return input_from(std::move(events.error()));
    if (events->empty()) co_return Input{Ended{}};
    for (const WatchEvent& event : *events) {
      if (!collecting) {
        take_event(event);
      } else if (event.initial_events_end) {
        collecting = false;
        take_end_of_state(event.resource_version);
      } else if (event.object) {
        take_object(event.object);
      }
    }
    if (!collecting) clear_failure();
    if (collecting) co_await wait_until_drained(events->size());
  }
}

net::Task<void> Reflector::wait_until_drained(std::size_t delivered) {
  constexpr std::size_t kMost = 500;
  undrained_ += delivered;
  if (!settings_.drained || undrained_ < kMost) co_return;
  undrained_ = 0;
  co_await settings_.drained();
}

Result<Input> Reflector::input_from(Error error) {
  if (error.code == Errc::Cancelled) return fail(std::move(error));
  if (error.code == Errc::Expired) return Input{Expired{}};
  stats_.failures += 1;
  failures_total_.add();
  // Logs only the first failure in a row.
  if (!failure_) {
    const std::string why = error.code == Errc::NotFound ? fmt::format("the API server does not serve {} {}",
                                                                       resource_.api_version(), resource_.kind)
                                                         : error.message;
    log_warning("informer of {}: {}; retrying", resource_.plural, why);
  }
  const Failed failed{error.retry_after};
  failure_ = std::move(error);
  return Input{failed};
}

void Reflector::clear_failure() {
  if (!failure_) return;
  log_info("informer of {}: watching again", resource_.plural);
  failure_.reset();
}

// Handlers get each object as it arrives, also while a complete state is read. If that read is interrupted, handlers
// have got only valid objects, and the next complete state removes the deleted ones.
void Reflector::take_object(const ObjectPtr& object) {
  ObjectPtr before;
  const auto outcome =
      store_.upsert(*object, &before, updates_wanted_ ? ObjectStore::Before::All : ObjectStore::Before::Replaced);
  if (outcome == ObjectStore::Outcome::Known) return;
  if (outcome == ObjectStore::Outcome::Replaced && before) notify_removed(before);
  if (outcome != ObjectStore::Outcome::Updated) return notify_added(object);
  for (const ObjectHandler& handler : handlers_) {
    if (handler.updated) handler.updated(before, object);
    if (handler.upserted) handler.upserted(object);
  }
}

void Reflector::take_end_of_state(const std::string& version) {
  for (const ObjectPtr& gone : store_.end_pass()) notify_removed(gone);
  protocol_.progressed(version);
  stats_.lists += 1;
  lists_total_.add();
  clear_failure();
  if (synced()) return;
  synced_.open();
  for (const ObjectHandler& handler : handlers_) {
    if (handler.synced) handler.synced();
  }
}

void Reflector::take_event(const WatchEvent& event) {
  if (event.object) {
    stats_.events += 1;
    events_total_.add();
    if (event.kind == WatchEventType::Deleted) {
      const api::ObjectMeta& meta = metadata_of(*event.object);
      if (store_.remove(meta.namespace_(), meta.name())) notify_removed(event.object);
    } else {
      take_object(event.object);
    }
  }
  protocol_.progressed(event.resource_version);
}

void Reflector::notify_added(const ObjectPtr& object) const {
  for (const ObjectHandler& handler : handlers_) {
    if (handler.added) handler.added(object);
    if (handler.upserted) handler.upserted(object);
  }
}

void Reflector::notify_removed(const ObjectPtr& last_known) const {
  for (const ObjectHandler& handler : handlers_) {
    if (handler.removed) handler.removed(last_known);
  }
}

}  // namespace rescheduler::kube
