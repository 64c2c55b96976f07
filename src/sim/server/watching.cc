// Watches: a position in the history of a kind, and selectors.
#include <utility>

#include <fmt/format.h>

#include "sim/server/selection.h"
#include "sim/server/server.h"

namespace rescheduler::sim {
namespace {

using kube::WatchEventType;

class StoreWatch final : public Watch {
 public:
  StoreWatch(Store& store, const Kind& kind, Selection selection, std::uint64_t from)
      : store_(store), kind_(kind), selection_(std::move(selection)), passed_(from) {}

  // The current objects come first, as Added events.
  void begin_with_state(bool mark_end) {
    store_.for_each(kind_, selection_.ns(), {}, [this](const VersionPtr& version) {
      if (selection_.matches(*version)) initial_.push_back(version);
      return true;
    });
    passed_ = store_.version();
    mark_end_ = mark_end;
  }

  ApiResult<std::vector<ServedEvent>> take(std::size_t most) override {
    std::vector<ServedEvent> events;
    while (next_initial_ < initial_.size() && events.size() < most) {
      VersionPtr& version = initial_[next_initial_++];
      const std::uint64_t number = version->number();
      events.push_back({WatchEventType::Added, std::move(version), number});
    }
    if (next_initial_ < initial_.size()) return events;
    if (!initial_.empty()) {
      initial_ = {};
      next_initial_ = 0;
    }
    if (mark_end_ && events.size() < most) {
      mark_end_ = false;
      ServedEvent end = bookmark();
      end.initial_events_end = true;
      events.push_back(std::move(end));
    }
    if (!store_.has_history_since(kind_, passed_)) {
      return refuse(expired(fmt::format("too old resource version: {} ({})", passed_, store_.version())));
    }
    while (events.size() < most) {
      const Change* change = store_.change_after(kind_, passed_);
      if (change == nullptr) {
        passed_ = store_.version();
        break;
      }
      passed_ = change->number;
      add(*change, events);
    }
    return events;
  }

  ServedEvent bookmark() const override {
    // If no change of this kind is left, the watch has passed everything up to the newest version.
    const bool done = store_.change_after(kind_, passed_) == nullptr && initial_.empty();
    return {WatchEventType::Bookmark, nullptr, done ? store_.version() : passed_};
  }

  void on_activity(std::function<void()> listener) override {
    subscription_ = store_.subscribe(&kind_, [listener = std::move(listener)](const Change&) { listener(); });
  }

 private:
  void add(const Change& change, std::vector<ServedEvent>& events) const {
    const bool was = change.before && selection_.matches(*change.before);
    const bool is = change.what != Change::What::Deleted && selection_.matches(*change.after);
    if (is) {
      events.push_back({was ? WatchEventType::Modified : WatchEventType::Added, change.after, change.number});
    } else if (was) {
      // An object that stops matching is shown in its last matching state.
      const bool deleted = change.what == Change::What::Deleted;
      events.push_back({WatchEventType::Deleted, deleted ? change.after : change.before, change.number});
    }
  }

  Store& store_;
  const Kind& kind_;
  Selection selection_;
  std::uint64_t passed_;
  std::vector<VersionPtr> initial_;
  std::size_t next_initial_ = 0;
  bool mark_end_ = false;
  std::unique_ptr<Store::Subscription> subscription_;
};

}  // namespace

ApiResult<std::unique_ptr<Watch>> Server::watch(const Kind& kind, const WatchQuery& query) {
  if (providers_.contains(&kind)) return refuse(method_not_supported(kind, "watch"));
  auto selection = Selection::parse(kind, query.ns, query.label_selector, query.field_selector);
  if (!selection) return refuse(std::move(selection.error()));
  std::uint64_t from = store_.version();
  const bool from_state = query.resource_version.empty() || query.resource_version == "0";
  if (!from_state && !query.send_initial_events) {
    const auto version = parse_version(query.resource_version);
    if (!version) return refuse(version.error());
    from = *version;
    if (!store_.has_history_since(kind, from)) {
      return refuse(expired(fmt::format("too old resource version: {} ({})", from, store_.version())));
    }
  }
  auto watch = std::make_unique<StoreWatch>(store_, kind, std::move(*selection), from);
  if (from_state || query.send_initial_events) {
    watch->begin_with_state(query.send_initial_events && query.bookmarks);
  }
  return watch;
}

}  // namespace rescheduler::sim
