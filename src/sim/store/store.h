// The role of etcd and the watch cache: objects by kind, namespace and name; one version counter; and a bounded history
// of changes per kind. The history feeds watches and reads of the past.
//
// A kind that is a view of another kind's objects (core events) has no Shelf of its own.
// The store applies no rules; the server does. Belongs to one thread. Subscribers are called for each change before the
// call that made the change returns. Subscribers can read and add events to the agenda, but must not write.
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
  std::size_t history = 10'000;  // number of changes kept per kind
};

class Store {
 public:
  explicit Store(StoreSettings settings = {});
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  std::uint64_t version() const { return version_; }  // of the newest change of any kind

  VersionPtr find(const Kind& kind, std::string_view ns, std::string_view name) const;  // null: none
  std::size_t count(const Kind& kind) const;

  // Stores the object under the namespace and name of its metadata, as an addition or a change. Sets the next version
  // in the metadata.
  VersionPtr put(const Kind& kind, MessagePtr object, std::string managed_fields);
  void erase(const Kind& kind, std::string_view ns, std::string_view name);  // the object must exist

  // Visits in the order of the keys "ns/name" as text, from just after the key `after` ("": from the first key). The
  // visitor returns false to stop. An empty namespace means all namespaces.
  using Visit = std::function<bool(const VersionPtr&)>;
  void for_each(const Kind& kind, std::string_view ns, std::string_view after, const Visit& visit) const;
  // The same for an earlier version. Returns false without a visit if the history does not reach back that far.
  bool for_each_as_of(std::uint64_t version,
                      const Kind& kind,
                      std::string_view ns,
                      std::string_view after,
                      const Visit& visit) const;
  // The object at an earlier version; `*found` is null if there was none. Returns false if the history does not reach
  // back that far.
  bool find_as_of(std::uint64_t version,
                  const Kind& kind,
                  std::string_view ns,
                  std::string_view name,
                  VersionPtr* found) const;

  // Whether the history still has every change after `version`.
  bool has_history_since(const Kind& kind, std::uint64_t version) const;
  // The first change after `version` in the history; null if there is none yet.
  const Change* change_after(const Kind& kind, std::uint64_t version) const;
  void forget_history();  // like a compaction of etcd: every earlier version is too old

  // Active until the subscription is destroyed. Null kind: changes of every kind.
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
  std::uint64_t forgotten_ = 0;  // the history of every kind begins after this version
  bool notifying_ = false;
  std::unordered_map<const Kind*, std::unique_ptr<Shelf>> shelves_;
  struct Listeners;
  std::shared_ptr<Listeners> listeners_;
};

class Store::Subscription {
 public:
  virtual ~Subscription() = default;
};

}  // namespace rescheduler::sim
