// Keeps an ObjectStore equal to a collection on the server and tells handlers what changed. Untyped; most code
// uses Informer<T> (informer.h).
//
// Guarantees, whatever the network and the server do in between:
//   - handlers see every object's latest state in the end, and never the same version of an object twice;
//   - on_synced comes once, after the whole first state has been told;
//   - a stream that is silent for longer than the idle limit is given up and replaced.
// A handler runs on the event loop's thread and hands over: it must not block.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/client/loop_services.h"
#include "kube/informer/object_store.h"
#include "kube/informer/reflector_protocol.h"

namespace rescheduler::kube {

// Leave out what you do not need: the state before a change costs a decoding, and is made only if somebody asks.
struct ObjectHandler {
  std::function<void(const ObjectPtr& object)> added{};
  std::function<void(const ObjectPtr& before, const ObjectPtr& after)> updated{};
  std::function<void(const ObjectPtr& object)> upserted{};  // after either of the two; for those who need no `before`
  std::function<void(const ObjectPtr& last_known)> removed{};
  std::function<void()> synced{};
};

struct InformerSettings {
  std::string ns{};  // empty: all
  std::string label_selector{};
  std::string field_selector{};
  bool streaming_list = true;  // used where the server has it
  std::uint32_t page = 500;    // of an ordinary list: small enough not to hold the server up, as client-go has it
  std::chrono::nanoseconds idle_limit = std::chrono::seconds{90};
  BackoffPolicy backoff{};
  Keep keep = Keep::Objects;  // Names: store() has nothing else, nor what handlers are told was removed or updated
  // Whoever is told and works on another thread says when that has caught up. It is waited for now and then while a
  // whole state is read: decoded objects that pile up weigh far more than what is made of them.
  std::function<net::Task<void>()> on_synced{};
};

struct ReflectorStats {
  std::uint64_t lists = 0;    // whole states taken
  std::uint64_t watches = 0;  // streams opened
  std::uint64_t events = 0;   // changes told by streams
  std::uint64_t failures = 0;
};

class Reflector {
 public:
  Reflector(Api& api, const ResourceType& resource, InformerSettings settings, LoopServices services);

  void add_index(std::string name, IndexFunction function) { store_.add_index(std::move(name), std::move(function)); }
  // Before or after the start; a late handler is told the present state at once.
  void add_handler(ObjectHandler handler);

  net::Task<void> run();  // until cancelled
  bool synced() const { return synced_.is_open(); }
  net::Task<Result<void>> wait_synced() { return synced_.wait(); }

  const ObjectStore& store() const { return store_; }
  const ReflectorStats& stats() const { return stats_; }
  const Error* last_failure() const { return failure_ ? &*failure_ : nullptr; }  // null while all is well

 private:
  using Input = reflector::Input;
  net::Task<Result<Input>> perform(reflector::Action action);
  net::Task<Result<Input>> list();
  net::Task<Result<Input>> stream_list();
  net::Task<Result<Input>> watch(std::string version);
  net::Task<Result<Input>> follow(WatchStream& stream, bool collecting);
  net::Task<void> wait_for_others(std::size_t told);
  Result<Input> input_from(Error error);  // fails only when cancelled

  ApiCall call_for(Verb verb) const;
  void take_object(const ObjectPtr& object);
  void take_end_of_state(const std::string& version);
  void take_event(const WatchEvent& event);
  void tell_added(const ObjectPtr& object) const;
  void tell_removed(const ObjectPtr& last_known) const;
  void all_well();

  Api& api_;
  const ResourceType& resource_;
  InformerSettings settings_;
  std::size_t untaken_ = 0;  // told since others were waited for
  LoopServices services_;
  ReflectorProtocol protocol_;
  ObjectStore store_;
  std::vector<ObjectHandler> handlers_;
  bool updates_wanted_ = false;  // by some handler
  net::Gate synced_;
  ReflectorStats stats_;
  std::optional<Error> failure_;
  Counter& lists_total_;
  Counter& watches_total_;
  Counter& events_total_;
  Counter& failures_total_;
};

}  // namespace rescheduler::kube
