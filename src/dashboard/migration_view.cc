#include "dashboard/migration_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "kube/codec/json_words.h"
#include "kube/value/time.h"
#include "migration/record.h"

namespace rescheduler::dashboard {
namespace {

constexpr std::size_t kMostShown = 500;
// A migration that is first observed longer than this after its creation is not reported as an activity.
constexpr std::chrono::minutes kRecent{2};

const api::MigrationOwner& workload_of(const api::Migration& one) {
  return one.status().has_workload() && !one.status().workload().kind().empty() ? one.status().workload()
                                                                                : one.spec().lineage();
}

std::string phase_of(const api::Migration& one) {
  return one.status().phase().empty() ? "Pending" : one.status().phase();
}

WallTime finished(const api::Migration& one) {
  return one.status().has_finished() ? kube::wall_time(one.status().finished()) : WallTime{};
}

std::string step_json(const api::MigrationStep& step) {
  return fmt::format(R"({{"name":{},"at":{},"message":{}}})", kube::json_string(step.name()),
                     kube::json_string(kube::format_micro_time(kube::wall_time(step.at()))),
                     kube::json_string(step.message()));
}

Activity news_of(const api::Migration& one, bool over) {
  const std::string pod = one.metadata().namespace_() + "/" + one.spec().pod();
  Activity activity{.kind = "move"};
  activity.object = ActivityObject{"Migration", one.metadata().namespace_(), one.metadata().name()};
  if (!over) {
    activity.text =
        fmt::format("{}: from {} to {}: {}", pod, migration::source_of(one), one.spec().target(), one.spec().reason());
    return activity;
  }
  const bool moved = migration::has_moved(migration::result_of(one));
  activity.warning = !moved;
  const std::string landed = one.status().landed().empty() ? one.spec().target() : one.status().landed();
  activity.text = moved ? fmt::format("{} has moved from {} to {}", pod, migration::source_of(one), landed)
                        : fmt::format("{} was not moved: {}: {}", pod, phase_of(one), one.status().message());
  return activity;
}

}  // namespace

std::string to_json(const api::Migration& one) {
  const api::MigrationOwner& workload = workload_of(one);
  const auto& status = one.status();
  const std::string owner = workload.kind().empty()
                                ? "null"
                                : fmt::format(R"({{"kind":{},"name":{}}})", kube::json_string(workload.kind()),
                                              kube::json_string(workload.name()));
  return fmt::format(
      R"({{"namespace":{},"name":{},"pod":{},"workload":{},"source":{},"target":{},"strategy":{},"reason":{},"mode":{},)"
      R"("modeReason":{},"phase":{},"over":{},"landed":{},"replacement":{},"message":{},"predicted":{},"measured":{},)"
      R"("plan":{},"created":{},"finished":{},"steps":{}}})",
      kube::json_string(one.metadata().namespace_()), kube::json_string(one.metadata().name()),
      kube::json_string(one.spec().pod()), owner, kube::json_string(migration::source_of(one)),
      kube::json_string(one.spec().target()), kube::json_string(one.spec().strategy()),
      kube::json_string(one.spec().reason()), kube::json_string(status.has_mode() ? status.mode() : one.spec().mode()),
      kube::json_string(status.mode_reason()), kube::json_string(phase_of(one)), migration::has_ended(one),
      kube::json_string_or_null(status.landed()), kube::json_string_or_null(status.replacement()),
      kube::json_string(status.message()), kube::json_string(one.spec().predicted()),
      kube::json_string(status.measured()), kube::json_string(one.spec().plan()),
      kube::json_string(kube::format_time(kube::wall_time(one.metadata().creation_timestamp()))),
      kube::json_time(finished(one)), kube::json_array(status.steps(), step_json));
}

std::optional<Activity> MigrationView::upsert(const api::Migration& one, WallTime now) {
  const std::string key = migration::key_of(one);
  auto [found, added] = entries_.try_emplace(key);
  Entry& entry = found->second;
  const bool over = migration::has_ended(one);
  const bool was_over = !added && entry.over;
  if (!added && !entry.over) --counts_.under_way;
  if (!over) ++counts_.under_way;
  if (over && !was_over) {
    const auto result = migration::result_of(one);
    ++counts_.ended;
    if (migration::has_moved(result)) ++counts_.succeeded;
    if (result == migration::MoveResult::Failed) ++counts_.failed;
  }
  entry.created = kube::wall_time(one.metadata().creation_timestamp());
  entry.over = over;
  entry.pod = one.spec().pod();
  entry.workload_kind = workload_of(one).kind();
  entry.workload = workload_of(one).name();
  entry.replacement = one.status().replacement();
  std::string json = to_json(one);
  gone_.erase(key);
  if (json != entry.json) {
    entry.json = std::move(json);
    changed_.insert(key);
  }
  if (!added && over == was_over) return std::nullopt;
  if (added && now - entry.created > kRecent) return std::nullopt;
  return news_of(one, over);
}

void MigrationView::remove(const api::Migration& one) {
  const std::string key = migration::key_of(one);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  if (!found->second.over) --counts_.under_way;
  entries_.erase(found);
  changed_.erase(key);
  gone_.insert(key);
}

bool MigrationView::newer(const Entry* a, const Entry* b) {
  return a->created != b->created ? a->created > b->created : a->json < b->json;
}

std::vector<const MigrationView::Entry*> MigrationView::newest_first() const {
  std::vector<const Entry*> sorted;
  for (const auto& [key, entry] : entries_) sorted.push_back(&entry);
  std::ranges::sort(sorted, newer);
  return sorted;
}

std::string MigrationView::all() const {
  auto shown = newest_first();
  if (shown.size() > kMostShown) shown.resize(kMostShown);
  return fmt::format(R"({{"migrations":{}}})", kube::json_array(shown, [](const Entry* entry) { return entry->json; }));
}

std::optional<std::string> MigrationView::one(std::string_view ns, std::string_view name) const {
  const auto found = entries_.find(fmt::format("{}/{}", ns, name));
  if (found == entries_.end()) return std::nullopt;
  return found->second.json;
}

std::string MigrationView::of_pod(std::string_view ns,
                                  std::string_view pod,
                                  std::string_view kind,
                                  std::string_view owner) const {
  std::vector<const Entry*> shown;
  const std::string prefix = fmt::format("{}/", ns);
  for (auto at = entries_.lower_bound(prefix); at != entries_.end() && at->first.starts_with(prefix); ++at) {
    const Entry& one = at->second;
    const bool same_workload = !owner.empty() && one.workload_kind == kind && one.workload == owner;
    if (one.pod == pod || one.replacement == pod || same_workload) shown.push_back(&one);
  }
  std::ranges::sort(shown, newer);
  if (shown.size() > kMostShown) shown.resize(kMostShown);
  return kube::json_array(shown, [](const Entry* entry) { return entry->json; });
}

std::optional<std::string> MigrationView::take_changes() {
  if (changed_.empty() && gone_.empty()) return std::nullopt;
  std::string text = fmt::format(
      R"({{"changed":{},"gone":{}}})",
      kube::json_array(changed_, [this](const std::string& key) { return entries_.find(key)->second.json; }),
      kube::json_array(gone_, [](const std::string& key) {
        const auto slash = key.find('/');
        return fmt::format(R"({{"namespace":{},"name":{}}})", kube::json_string(key.substr(0, slash)),
                           kube::json_string(key.substr(slash + 1)));
      }));
  changed_.clear();
  gone_.clear();
  return text;
}

}  // namespace rescheduler::dashboard
