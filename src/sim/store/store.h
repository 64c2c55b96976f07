// What the embedded etcd and watch cache do together: objects by kind, namespace and name; one counter of versions;
// a bounded history of changes per kind, from which watches are fed and the past can be read.
//
// A kind that is a view of another's objects (core events) has no shelf of its own.
// Knows no rules: those are the server's. Belongs to one thread. Subscribers are told of each change before the call
// that made it returns; they may read and put work on the agenda, but not write.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/store/version.h"

namespace rescheduler::sim {

struct StoreSettings {
  std::size_t history = 10'000;  // changes remembered per kind
};

class Store {
 public:
  explicit Store(StoreSettings settings = {});
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  std::uint64_t version() const { return version_; }  // of the newest change, of any kind

  VersionPtr find(const Kind& kind, std::string_view ns, std::string_view name) const;  // null: none
  std::size_t count(const Kind& kind) const;

  // Writes the object under its metadata's namespace and name, as an addition or a change, under the next version
  // (which it puts into the metadata).
  VersionPtr put(const Kind& kind, MessagePtr object, std::string managed_fields);
  void erase(const Kind& kind, std::string_view ns, std::string_view name);  // must be there

  // In order of namespace and name, from just after `after` ("" or "ns/name"). The visitor returns false to stop.
  // An empty namespace means all of them.
  using Visit = std::function<bool(const VersionPtr&)>;
  void for_each(const Kind& kind, std::string_view ns, std::string_view after, const Visit& visit) const;
  // The same for the state as of an earlier version; false (and no visit) when history does not reach back that far.
  bool for_each_as_of(std::uint64_t version,
                      const Kind& kind,
                      std::string_view ns,
                      std::string_view after,
                      const Visit& visit) const;
  // As of an earlier version; `*found` is null when there was none. False when history does not reach that far.
  bool find_as_of(std::uint64_t version,
                  const Kind& kind,
                  std::string_view ns,
                  std::string_view name,
                  VersionPtr* found) const;

  // Is every change after `version` still remembered?
  bool remembers(const Kind& kind, std::uint64_t version) const;
  // The first remembered change after `version`; null when there is none (yet).
  const Change* change_after(const Kind& kind, std::uint64_t version) const;
  void forget_history();  // as a compaction does: every version before now is too old

  // Until the subscription is dropped. Null kind: changes of every kind.
  class Subscription;
  using Listener = std::function<void(const Change&)>;
  [[nodiscard]] std::unique_ptr<Subscription> subscribe(const Kind* kind, Listener listener);

 private:
  struct Shelf;
  Shelf& shelf(const Kind& kind);
  const Shelf* find_shelf(const Kind& kind) const;
  void record(Shelf& shelf, std::string key, Change change);

  StoreSettings settings_;
  std::uint64_t version_ = 1;
  std::uint64_t forgotten_ = 0;  // every kind's history begins after this version
  bool telling_ = false;
  std::unordered_map<const Kind*, std::unique_ptr<Shelf>> shelves_;
  struct Listeners;
  std::shared_ptr<Listeners> listeners_;
};

class Store::Subscription {
 public:
  virtual ~Subscription() = default;
};

}  // namespace rescheduler::sim
