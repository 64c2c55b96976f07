#include "dashboard/migration_book.h"

#include <algorithm>

#include <fmt/format.h>

#include "dashboard/json.h"
#include "kube/value/time.h"
#include "migration/record.h"

namespace rescheduler::dashboard {
namespace {

constexpr std::size_t kMostShown = 500;
// What began longer ago than this when we see it first is history, not news.
constexpr std::chrono::minutes kNews{2};

const api::MigrationOwner& workload_of(const api::Migration& one) {
  return one.status().has_workload() && !one.status().workload().kind().empty() ? one.status().workload()
                                                                                : one.spec().lineage();
}

std::string phase_of(const api::Migration& one) {
  return one.status().phase().empty() ? "Pending" : one.status().phase();
}

WallTime finished(const api::Migration& one) {
  return one.status().has_finished() ? migration::to_wall(one.status().finished()) : WallTime{};
}

std::string step_json(const api::MigrationStep& step) {
  return fmt::format(R"({{"name":{},"at":{},"message":{}}})", quoted(step.name()),
                     quoted(kube::format_micro_time(migration::to_wall(step.at()))), quoted(step.message()));
}

News news_of(const api::Migration& one, bool over) {
  const std::string pod = one.metadata().namespace_() + "/" + one.spec().pod();
  News news{.kind = "move"};
  news.object = NewsObject{"Migration", one.metadata().namespace_(), one.metadata().name()};
  if (!over) {
    news.text =
        fmt::format("{}: from {} to {}: {}", pod, one.spec().source(), one.spec().target(), one.spec().reason());
    return news;
  }
  const auto result = migration::result_of(one);
  const bool moved = result == migration::MoveResult::Succeeded || result == migration::MoveResult::Elsewhere;
  news.warning = !moved;
  const std::string landed = one.status().landed().empty() ? one.spec().target() : one.status().landed();
  news.text = moved ? fmt::format("{} has moved from {} to {}", pod, one.spec().source(), landed)
                    : fmt::format("{} was not moved: {}: {}", pod, phase_of(one), one.status().message());
  return news;
}

}  // namespace

std::string to_json(const api::Migration& one) {
  const api::MigrationOwner& workload = workload_of(one);
  const auto& status = one.status();
  const std::string owner = workload.kind().empty() ? "null"
                                                    : fmt::format(R"({{"kind":{},"name":{}}})", quoted(workload.kind()),
                                                                  quoted(workload.name()));
  return fmt::format(
      R"({{"namespace":{},"name":{},"pod":{},"workload":{},"source":{},"target":{},"strategy":{},"reason":{},"mode":{},)"
      R"("modeReason":{},"phase":{},"over":{},"landed":{},"replacement":{},"message":{},"predicted":{},"measured":{},)"
      R"("plan":{},"created":{},"finished":{},"steps":{}}})",
      quoted(one.metadata().namespace_()), quoted(one.metadata().name()), quoted(one.spec().pod()), owner,
      quoted(one.spec().source()), quoted(one.spec().target()), quoted(one.spec().strategy()),
      quoted(one.spec().reason()), quoted(status.has_mode() ? status.mode() : one.spec().mode()),
      quoted(status.mode_reason()), quoted(phase_of(one)), migration::has_ended(one), quoted_or_null(status.landed()),
      quoted_or_null(status.replacement()), quoted(status.message()), quoted(one.spec().predicted()),
      quoted(status.measured()), quoted(one.spec().plan()),
      quoted(kube::format_time(migration::to_wall(one.metadata().creation_timestamp()))), time_text(finished(one)),
      array(status.steps(), step_json));
}

std::optional<News> MigrationBook::seen(const api::Migration& one, WallTime now) {
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
    if (result == migration::MoveResult::Succeeded || result == migration::MoveResult::Elsewhere) ++counts_.succeeded;
    if (result == migration::MoveResult::Failed) ++counts_.failed;
  }
  entry.created = migration::to_wall(one.metadata().creation_timestamp());
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
  if (added && now - entry.created > kNews) return std::nullopt;
  return news_of(one, over);
}

void MigrationBook::gone(const api::Migration& one) {
  const std::string key = migration::key_of(one);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  if (!found->second.over) --counts_.under_way;
  entries_.erase(found);
  changed_.erase(key);
  gone_.insert(key);
}

bool MigrationBook::newer(const Entry* a, const Entry* b) {
  return a->created != b->created ? a->created > b->created : a->json < b->json;
}

std::vector<const MigrationBook::Entry*> MigrationBook::newest_first() const {
  std::vector<const Entry*> sorted;
  for (const auto& [key, entry] : entries_) sorted.push_back(&entry);
  std::ranges::sort(sorted, newer);
  return sorted;
}

std::string MigrationBook::all() const {
  auto shown = newest_first();
  if (shown.size() > kMostShown) shown.resize(kMostShown);
  return fmt::format(R"({{"migrations":{}}})", array(shown, [](const Entry* entry) { return entry->json; }));
}

std::optional<std::string> MigrationBook::one(std::string_view ns, std::string_view name) const {
  const auto found = entries_.find(fmt::format("{}/{}", ns, name));
  if (found == entries_.end()) return std::nullopt;
  return found->second.json;
}

std::string MigrationBook::of_pod(std::string_view ns,
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
  return array(shown, [](const Entry* entry) { return entry->json; });
}

std::optional<std::string> MigrationBook::take_changes() {
  if (changed_.empty() && gone_.empty()) return std::nullopt;
  std::string text =
      fmt::format(R"({{"changed":{},"gone":{}}})",
                  array(changed_, [this](const std::string& key) { return entries_.find(key)->second.json; }),
                  array(gone_, [](const std::string& key) {
                    const auto slash = key.find('/');
                    return fmt::format(R"({{"namespace":{},"name":{}}})", quoted(key.substr(0, slash)),
                                       quoted(key.substr(slash + 1)));
                  }));
  changed_.clear();
  gone_.clear();
  return text;
}

}  // namespace rescheduler::dashboard
