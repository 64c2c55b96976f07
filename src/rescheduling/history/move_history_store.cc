#include "rescheduling/history/move_history_store.h"

#include <fmt/core.h>

#include "kube/client/client.h"
#include "kube/proto/core.pb.h"

namespace rescheduler::rescheduling {
namespace {

constexpr const char* kMovesKey = "moves";
constexpr const char* kEffectsKey = "effects";

api::ConfigMap empty_map(const std::string& ns) {
  api::ConfigMap map;
  map.mutable_metadata()->set_namespace_(ns);
  map.mutable_metadata()->set_name(std::string(kMovesName));
  (*map.mutable_metadata()->mutable_labels())["app"] = "rescheduler-scheduler";
  (*map.mutable_data())[kMovesKey] = "[]";
  return map;
}

bool says_paused(const api::ConfigMap& map) {
  const auto& annotations = map.metadata().annotations();
  const auto found = annotations.find(std::string(kPausedKey));
  // Any value except "false" and the empty string pauses.
  return found != annotations.end() && found->second != "false" && !found->second.empty();
}

}  // namespace

std::optional<Pause> MoveHistoryStore::pause() const {
  if (!paused_ || !map_) return std::nullopt;
  const auto& annotations = map_->metadata().annotations();
  const auto text = [&annotations](std::string_view key) {
    const auto found = annotations.find(std::string(key));
    return found == annotations.end() ? std::string() : found->second;
  };
  return Pause{text(kPausedByKey), text(kPausedSinceKey), text(kPausedReasonKey)};
}

net::Task<Result<void>> MoveHistoryStore::load() {
  kube::Client client(api_);
  auto map = co_await client.get<api::ConfigMap>(ns_, std::string(kMovesName));
  if (!map && map.error().code == Errc::NotFound) {
    map = co_await client.create(empty_map(ns_));
  }
  if (!map) co_return fail(std::move(map.error()));
  const auto found = map->data().find(kMovesKey);
  auto history = MoveHistory::parse(found == map->data().end() ? "" : found->second);
  if (!history) {
    co_return fail(std::move(history.error()).within(fmt::format("ConfigMap {}/{}", ns_, kMovesName)));
  }
  history_ = std::move(*history);
  paused_ = says_paused(*map);
  if (!effects_unsaved_) {
    const auto effects = map->data().find(kEffectsKey);
    effects_ = effects == map->data().end() ? "" : effects->second;
  }
  map_ = std::make_shared<api::ConfigMap>(std::move(*map));
  // The ConfigMap does not have the outcomes that are not written yet.
  for (const migration::MoveOutcome& outcome : unsaved_) history_.ended(outcome);
  co_return Result<void>{};
}

net::Task<Result<void>> MoveHistoryStore::write(MoveHistory changed, WallTime now) {
  changed.forget(now, remembered_, kMostMoves);
  if (!map_) co_return fail(Errc::Internal, "the record of moves was not read before it is written");
  // Keeps what users wrote into the ConfigMap. The resourceVersion ensures that it is the version that was read.
  api::ConfigMap next = *map_;
  (*next.mutable_data())[kMovesKey] = changed.to_json();
  const std::string effects = effects_;
  if (!effects.empty()) (*next.mutable_data())[kEffectsKey] = effects;
  auto map = co_await kube::Client(api_).update(std::move(next));
  if (!map) co_return fail(std::move(map.error()));
  history_ = std::move(changed);
  paused_ = says_paused(*map);
  if (effects == effects_) effects_unsaved_ = false;  // unless note_effects() was called meanwhile
  map_ = std::make_shared<api::ConfigMap>(std::move(*map));
  co_return Result<void>{};
}

net::Task<Result<void>> MoveHistoryStore::save_begun(std::vector<migration::MoveRequest> requests, WallTime now) {
  MoveHistory changed = history_;
  for (const migration::MoveRequest& request : requests) changed.begun(request, now);
  const std::size_t saved = unsaved_.size();  // outcomes that `changed` already contains
  auto written = co_await write(std::move(changed), now);
  if (written) {
    unsaved_.erase(unsaved_.begin(), unsaved_.begin() + static_cast<std::ptrdiff_t>(saved));
    for (const migration::MoveOutcome& meanwhile : unsaved_) history_.ended(meanwhile);
  }
  if (written || written.error().code != Errc::Conflict) co_return written;
  auto again = co_await load();
  if (!again) co_return again;
  co_return written;
}

void MoveHistoryStore::note_ended(const migration::MoveOutcome& outcome) {
  history_.ended(outcome);
  unsaved_.push_back(outcome);
}

void MoveHistoryStore::note_effects(std::string json) {
  if (json == effects_) return;
  effects_ = std::move(json);
  effects_unsaved_ = true;
}

net::Task<Result<void>> MoveHistoryStore::save_ended(WallTime now) {
  if (!has_unsaved()) co_return Result<void>{};
  const std::vector<migration::MoveRequest> none;
  auto written = co_await save_begun(none, now);
  if (written || written.error().code != Errc::Conflict) co_return written;
  // Outcomes stay valid whatever another client wrote, so they are added to the new version.
  auto again = co_await save_begun(none, now);
  co_return again;
}

}  // namespace rescheduler::rescheduling
