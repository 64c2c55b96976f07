#include "sim/store/store.h"

#include <algorithm>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <fmt/format.h>
#include <google/protobuf/message.h>

#include "base/check.h"
#include "kube/codec/metadata.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::sim {
namespace {

std::string key_of(std::string_view ns, std::string_view name) {
  std::string key;
  key.reserve(ns.size() + 1 + name.size());
  key.append(ns).append(1, '/').append(name);
  return key;
}

using Objects = std::map<std::string, VersionPtr, std::less<>>;

// The first key of the namespace after `after`. The keys "ns/name" of one namespace are adjacent in the map.
Objects::const_iterator first_of(const Objects& objects, std::string_view ns, std::string_view after) {
  const std::string begin = ns.empty() ? std::string() : std::string(ns) + "/";
  if (after.empty() || after < begin) return objects.lower_bound(begin);
  return objects.upper_bound(after);
}

bool within(std::string_view key, std::string_view ns) {
  return ns.empty() || (key.size() > ns.size() && key.starts_with(ns) && key[ns.size()] == '/');
}

}  // namespace

struct HistoryEntry {
  Change change;
  std::string key;
};

struct Store::Shelf {
  Objects objects;
  // The same objects in a hash table, for lookups by key. In a tree, each comparison would read the long common prefix
  // of the names of a workload.
  boost::unordered_flat_map<std::string_view, const VersionPtr*> by_key;
  std::deque<HistoryEntry> history;
  std::uint64_t forgotten = 0;  // the newest version that is no longer in the history
};

struct Store::Listeners {
  struct Entry {
    std::uint64_t number;
    const Kind* kind;  // null: every kind
    Listener listener;
  };
  std::vector<std::shared_ptr<Entry>> entries;
  std::uint64_t last = 0;
};

namespace {

class Subscribed final : public Store::Subscription {
 public:
  explicit Subscribed(std::function<void()> end) : end_(std::move(end)) {}
  ~Subscribed() override { end_(); }
  Subscribed(const Subscribed&) = delete;
  Subscribed& operator=(const Subscribed&) = delete;

 private:
  std::function<void()> end_;
};

}  // namespace

Store::Store(StoreSettings settings) : settings_(settings), listeners_(std::make_shared<Listeners>()) {}
Store::~Store() = default;

Store::Shelf& Store::shelf(const Kind& kind) {
  auto& found = shelves_[&kind.stored()];
  if (!found) found = std::make_unique<Shelf>();
  return *found;
}

const Store::Shelf* Store::find_shelf(const Kind& kind) const {
  const auto found = shelves_.find(&kind.stored());
  return found == shelves_.end() ? nullptr : found->second.get();
}

VersionPtr Store::find(const Kind& kind, std::string_view ns, std::string_view name) const {
  const Shelf* shelf = find_shelf(kind);
  if (shelf == nullptr) return nullptr;
  const auto found = shelf->by_key.find(std::string_view(key_of(ns, name)));
  return found == shelf->by_key.end() ? nullptr : *found->second;
}

std::size_t Store::count(const Kind& kind) const {
  const Shelf* shelf = find_shelf(kind);
  return shelf == nullptr ? 0 : shelf->objects.size();
}

VersionPtr Store::put(const Kind& kind, MessagePtr object, std::string managed_fields) {
  RESCHEDULER_CHECK(!notifying_, "a subscriber may not write from within its callback");
  Shelf& shelf = this->shelf(kind);
  const std::uint64_t number = ++version_;
  auto& metadata = kube::mutable_metadata_of(*object);
  metadata.set_resource_version(fmt::format_int(number).str());
  std::string key = key_of(metadata.namespace_(), metadata.name());
  const ObjectPtr shared = std::move(object);  // keeps the decoded message for the listeners
  auto version = std::make_shared<const Version>(kind.stored(), number, shared, std::move(managed_fields));

  Change change{number, Change::What::Added, nullptr, version};
  const auto [place, added] = shelf.objects.try_emplace(key, version);
  if (added) {
    shelf.by_key.emplace(place->first, &place->second);
  } else {
    change.what = Change::What::Modified;
    change.before = std::exchange(place->second, version);
  }
  record(shelf, std::move(key), std::move(change));
  return version;
}

void Store::erase(const Kind& kind, std::string_view ns, std::string_view name) {
  RESCHEDULER_CHECK(!notifying_, "a subscriber may not write from within its callback");
  Shelf& shelf = this->shelf(kind);
  std::string key = key_of(ns, name);
  const auto found = shelf.objects.find(key);
  RESCHEDULER_CHECK(found != shelf.objects.end(), "only what is there can be erased");
  VersionPtr before = std::move(found->second);
  shelf.by_key.erase(std::string_view(found->first));
  shelf.objects.erase(found);

  const std::uint64_t number = ++version_;
  MessagePtr last(before->object()->New());
  last->CopyFrom(*before->object());
  kube::mutable_metadata_of(*last).set_resource_version(fmt::format_int(number).str());
  const ObjectPtr shared = std::move(last);
  auto after = std::make_shared<const Version>(kind.stored(), number, shared, before->managed_fields());
  record(shelf, std::move(key), Change{number, Change::What::Deleted, std::move(before), std::move(after)});
}

void Store::record(Shelf& shelf, std::string key, Change change) {
  shelf.history.push_back({std::move(change), std::move(key)});
  while (shelf.history.size() > settings_.history) {
    shelf.forgotten = shelf.history.front().change.number;
    shelf.history.pop_front();
  }
  const Change notified = shelf.history.back().change;
  const auto listeners = listeners_;
  notifying_ = true;
  // By index: a listener can subscribe others. New subscribers get later changes only.
  const std::size_t count = listeners->entries.size();
  for (std::size_t index = 0; index < std::min(count, listeners->entries.size()); ++index) {
    const auto entry = listeners->entries[index];
    if (entry->kind == nullptr || entry->kind == &notified.kind()) entry->listener(notified);
  }
  notifying_ = false;
}

void Store::for_each(const Kind& kind, std::string_view ns, std::string_view after, const Visit& visit) const {
  const Shelf* shelf = find_shelf(kind);
  if (shelf == nullptr) return;
  for (auto at = first_of(shelf->objects, ns, after); at != shelf->objects.end() && within(at->first, ns); ++at) {
    if (!visit(at->second)) return;
  }
}

bool Store::has_history_since(const Kind& kind, std::uint64_t version) const {
  const Shelf* shelf = find_shelf(kind);
  return version >= forgotten_ && (shelf == nullptr || version >= shelf->forgotten);
}

bool Store::for_each_as_of(std::uint64_t version,
                           const Kind& kind,
                           std::string_view ns,
                           std::string_view after,
                           const Visit& visit) const {
  if (!has_history_since(kind, version)) return false;
  const Shelf* shelf = find_shelf(kind);
  if (shelf == nullptr) return true;
  // The state at `version`: the current objects, but objects changed since then as they were before their first later
  // change.
  std::map<std::string, VersionPtr, std::less<>> then;
  for (auto at = shelf->history.rbegin(); at != shelf->history.rend() && at->change.number > version; ++at) {
    then[at->key] = at->change.before;
  }
  Objects state;
  for (auto at = first_of(shelf->objects, ns, after); at != shelf->objects.end() && within(at->first, ns); ++at) {
    if (!then.contains(at->first)) state.emplace_hint(state.end(), at->first, at->second);
  }
  for (auto& [key, object] : then) {
    if (object != nullptr && within(key, ns) && (after.empty() || key > after)) state[key] = object;
  }
  for (const auto& [key, object] : state) {
    if (!visit(object)) break;
  }
  return true;
}

bool Store::find_as_of(std::uint64_t version,
                       const Kind& kind,
                       std::string_view ns,
                       std::string_view name,
                       VersionPtr* found) const {
  if (!has_history_since(kind, version)) return false;
  *found = find(kind, ns, name);
  const Shelf* shelf = find_shelf(kind);
  if (shelf == nullptr) return true;
  const std::string key = key_of(ns, name);
  for (auto at = shelf->history.rbegin(); at != shelf->history.rend() && at->change.number > version; ++at) {
    if (at->key == key) *found = at->change.before;
  }
  return true;
}

const Change* Store::change_after(const Kind& kind, std::uint64_t version) const {
  const Shelf* shelf = find_shelf(kind);
  if (shelf == nullptr) return nullptr;
  const auto found = std::ranges::partition_point(
      shelf->history, [version](const HistoryEntry& r) { return r.change.number <= version; });
  return found == shelf->history.end() ? nullptr : &found->change;
}

void Store::forget_history() {
  forgotten_ = version_;
  for (auto& [kind, shelf] : shelves_) shelf->history.clear();
}

std::unique_ptr<Store::Subscription> Store::subscribe(const Kind* kind, Listener listener) {
  auto entry = std::make_shared<Listeners::Entry>(
      Listeners::Entry{++listeners_->last, kind == nullptr ? nullptr : &kind->stored(), std::move(listener)});
  listeners_->entries.push_back(entry);
  return std::make_unique<Subscribed>([weak = std::weak_ptr(listeners_), entry] {
    if (const auto listeners = weak.lock()) std::erase(listeners->entries, entry);
  });
}

}  // namespace rescheduler::sim
