// Keeps an ObjectStore equal to a collection on the server and notifies handlers of changes. Untyped; most code uses
// Informer<T> (informer.h).
//
// Guarantees, for all failures of the network and the server:
//   - handlers eventually get the latest version of every object, and never the same version of an object twice;
//   - ObjectHandler::synced is called once, after handlers got the first complete state;
//   - a stream that is silent for longer than the idle limit is closed and replaced.
// Handlers run on the event loop's thread and must not block.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/client/loop_services.h"
#include "kube/informer/object_store.h"
#include "kube/informer/reflector_protocol.h"

namespace rescheduler::kube {

// Set only the functions that you need: `before` costs a decoding, which is skipped if no handler has `updated`.
struct ObjectHandler {
  std::function<void(const ObjectPtr& object)> added{};
  std::function<void(const ObjectPtr& before, const ObjectPtr& after)> updated{};
  std::function<void(const ObjectPtr& object)> upserted{};  // called after added or updated; costs no decoding
  std::function<void(const ObjectPtr& last_known)> removed{};
  std::function<void()> synced{};
};

struct InformerSettings {
  std::string ns{};  // empty: all namespaces
  std::string label_selector{};
  std::string field_selector{};
  bool streaming_list = true;  // used if the server supports it
  std::uint32_t page = 500;  // of a paged list, as in client-go: small enough not to delay other requests of the server
  std::chrono::nanoseconds idle_limit = std::chrono::seconds{90};
  BackoffPolicy backoff{};
  Keep keep = Keep::Objects;  // Names: store(), `before` and `last_known` have only names
  // Backpressure for handlers that pass objects to another thread: returns when that thread has caught up. Awaited from
  // time to time while a full state is read, because queued decoded objects need far more memory than their final form.
  std::function<net::Task<void>()> drained{};
};

struct ReflectorStats {
  std::uint64_t lists = 0;    // complete states read
  std::uint64_t watches = 0;  // streams opened
  std::uint64_t events = 0;   // changes received from streams
  std::uint64_t failures = 0;
};

class Reflector {
 public:
  Reflector(Api& api, const ResourceType& resource, InformerSettings settings, LoopServices services);

  void add_index(std::string name, IndexFunction function) { store_.add_index(std::move(name), std::move(function)); }
  // Before or after run() starts; a handler that is added later gets the current state at once.
  void add_handler(ObjectHandler handler);

  net::Task<void> run();  // until cancelled
  const ResourceType& resource() const { return resource_; }
  bool synced() const { return synced_.is_open(); }
  net::Task<Result<void>> wait_synced() { return synced_.wait(); }

  const ObjectStore& store() const { return store_; }
  const ReflectorStats& stats() const { return stats_; }
  // Why the last list or watch failed; nullopt: it did not fail. NotFound: the server does not serve the kind.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  using Input = reflector::Input;
  net::Task<Result<Input>> perform(reflector::Action action);
  net::Task<Result<Input>> list();
  net::Task<Result<Input>> stream_list();
  net::Task<Result<Input>> watch(std::string version);
  net::Task<Result<Input>> follow(WatchStream& stream, bool collecting);
  net::Task<void> wait_until_drained(std::size_t delivered);
  Result<Input> input_from(Error error);  // fails only when cancelled

  ApiCall call_for(Verb verb) const;
  void take_object(const ObjectPtr& object);
  void take_end_of_state(const std::string& version);
  void take_event(const WatchEvent& event);
  void notify_added(const ObjectPtr& object) const;
  void notify_removed(const ObjectPtr& last_known) const;
  void clear_failure();

  Api& api_;
  const ResourceType& resource_;
  InformerSettings settings_;
  std::size_t undrained_ = 0;  // objects since the last wait for drained
  LoopServices services_;
  ReflectorProtocol protocol_;
  ObjectStore store_;
  std::vector<ObjectHandler> handlers_;
  bool updates_wanted_ = false;  // true if a handler has `updated`
  net::Gate synced_;
  ReflectorStats stats_;
  std::optional<Error> failure_;
  Counter& lists_total_;
  Counter& watches_total_;
  Counter& events_total_;
  Counter& failures_total_;
};

}  // namespace rescheduler::kube
