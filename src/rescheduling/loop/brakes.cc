#include "rescheduling/loop/brakes.h"

#include <algorithm>
#include <tuple>

#include <fmt/core.h>

#include "kube/value/time.h"

namespace rescheduler::rescheduling {
namespace {

using config::Strategy;
using config::TimeWindow;
using migration::MoveResult;

constexpr std::uint32_t kSmallestZone = 3;  // nodes; in a smaller zone one unready node is already half of the zone

// Percent, rounded down; 0 if `whole` is 0.
std::uint64_t percent(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0 : part * 100 / whole; }

void look_at_zones(const config::Brakes& brakes, const CycleFacts& facts, std::vector<ActiveBrake>& into) {
  for (const ZoneHealth& zone : facts.zones) {
    if (zone.nodes < kSmallestZone || percent(zone.unready, zone.nodes) < brakes.failing_zone) continue;
    into.push_back(
        {Brake::FailingZone, std::nullopt,
         fmt::format("{} of the {} nodes of {} are not ready; moves stop while {} % or more of the nodes are not ready",
                     zone.unready, zone.nodes, zone.name.empty() ? "the cluster" : "zone " + zone.name,
                     brakes.failing_zone)});
    return;
  }
}

void look_at_pending(const config::Brakes& brakes, const CycleFacts& facts, std::vector<ActiveBrake>& into) {
  // "More than" the limit, and at least two: in a small cluster a single pending pod is normal.
  if (facts.pending * 100 <= facts.pods * brakes.pending_pods || facts.pending < 2) return;
  into.push_back({Brake::PendingPods, std::nullopt,
                  fmt::format("{} of {} pods are pending; moves stop while more than {} % of the pods are pending",
                              facts.pending, facts.pods, brakes.pending_pods)});
}

// What remains of the caps of a cycle. Cycles after events share the caps with the regular cycle.
void look_at_caps(const config::Brakes& brakes,
                  const CycleFacts& facts,
                  const MoveHistory& history,
                  WallTime since,
                  BrakeVerdict& verdict) {
  verdict.caps = brakes.per_cycle;
  if (brakes.per_cycle.total > 0) {
    const std::size_t begun = history.begun_since(since);
    if (begun >= brakes.per_cycle.total) {
      verdict.holding.push_back({Brake::CapReached, std::nullopt,
                                 fmt::format("{} moves started in this interval, which is the limit", begun)});
      return;
    }
    verdict.caps.total = brakes.per_cycle.total - static_cast<std::uint32_t>(begun);
  }
  if (brakes.at_once.total > 0 && facts.under_way >= brakes.at_once.total) {
    verdict.holding.push_back({Brake::CapReached, std::nullopt,
                               fmt::format("{} moves are in progress, which is the limit", facts.under_way)});
  }
}

}  // namespace

std::string_view to_string(Brake brake) {
  switch (brake) {
    case Brake::Paused: return "paused";
    case Brake::FailingZone: return "failing-zone";
    case Brake::PendingPods: return "pending-pods";
    case Brake::FailedMoves: return "failed-moves";
    case Brake::CapReached: return "cap-reached";
    case Brake::OutsideWindow: return "outside-window";
    case Brake::StaleLoad: return "stale-load";
    case Brake::NoEffect: return "no-effect";
  }
  return "";
}

const ActiveBrake* BrakeVerdict::against(Strategy strategy) const {
  for (const ActiveBrake& one : holding) {
    if (one.only && *one.only != strategy) continue;
    const bool passes_drains = one.brake == Brake::OutsideWindow || one.brake == Brake::PendingPods;
    if (passes_drains && strategy == Strategy::NodeMaintenance) continue;
    return &one;
  }
  return nullptr;
}

bool is_open(const std::vector<TimeWindow>& windows, WallTime now) {
  if (windows.empty()) return true;
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const auto minute = std::chrono::duration_cast<std::chrono::minutes>(now - day).count();
  const unsigned weekday = std::chrono::weekday(day).iso_encoding() - 1;
  const auto has_day = [](const TimeWindow& window, unsigned which) { return (window.days >> which & 1U) != 0; };
  return std::ranges::any_of(windows, [&](const TimeWindow& window) {
    if (window.from < window.to) return has_day(window, weekday) && minute >= window.from && minute < window.to;
    return (has_day(window, weekday) && minute >= window.from)
           || (has_day(window, (weekday + 6) % 7) && minute < window.to);
  });
}

std::optional<WallTime> failures_hold_until(const config::Brakes& brakes, const MoveHistory& history) {
  std::vector<const PastMove*> ended;
  for (const PastMove& move : history.moves()) {
    // A refused or stale move changed nothing, so it is not a failure.
    const bool counts = move.ended && move.result != MoveResult::Refused && move.result != MoveResult::Stale;
    if (counts) ended.push_back(&move);
  }
  std::ranges::sort(ended, {}, [](const PastMove* move) { return std::tie(*move->ended, move->uid); });
  std::optional<WallTime> until;
  std::size_t first = 0;  // the first move that still counts
  for (std::size_t i = 0; i < ended.size(); ++i) {
    first = std::max(first, i + 1 > brakes.recent_moves ? i + 1 - brakes.recent_moves : 0);
    if (i + 1 - first < brakes.recent_moves) continue;
    const auto failed = std::count_if(ended.begin() + static_cast<std::ptrdiff_t>(first),
                                      ended.begin() + static_cast<std::ptrdiff_t>(i + 1),
                                      [](const PastMove* move) { return move->result == MoveResult::Failed; });
    if (percent(static_cast<std::uint64_t>(failed), brakes.recent_moves) <= brakes.failed_moves) continue;
    until = *ended[i]->ended + brakes.rest;
    first = i + 1;
  }
  return until;
}

BrakeVerdict judge(const config::ReschedulingSettings& settings,
                   const CycleFacts& facts,
                   const MoveHistory& history,
                   std::chrono::nanoseconds interval,
                   WallTime now) {
  const config::Brakes& brakes = settings.brakes;
  BrakeVerdict verdict;
  if (brakes.paused) verdict.holding.push_back({Brake::Paused, std::nullopt, "paused by the configuration"});
  if (facts.paused) {
    verdict.holding.push_back({Brake::Paused, std::nullopt, "paused by the annotation rescheduler.io/paused"});
  }
  look_at_zones(brakes, facts, verdict.holding);
  look_at_pending(brakes, facts, verdict.holding);
  const auto until = failures_hold_until(brakes, history);
  if (until && now < *until) {
    verdict.holding.push_back({Brake::FailedMoves, std::nullopt,
                               fmt::format("more than {} % of the last {} moves failed; no moves start until {}",
                                           brakes.failed_moves, brakes.recent_moves, kube::format_time(*until))});
  }
  if (!is_open(settings.windows, now)) {
    verdict.holding.push_back(
        {Brake::OutsideWindow, std::nullopt, "the current time is outside the configured time windows"});
  }
  if (!facts.load_fresh) {
    verdict.holding.push_back(
        {Brake::StaleLoad, Strategy::LoadBalancing,
         fmt::format("there are no fresh load samples (nodes are judged by {})", facts.load_source)});
  }
  for (const auto& [strategy, when] : facts.backing_off) {
    if (now >= when) continue;
    verdict.holding.push_back({Brake::NoEffect, strategy,
                               fmt::format("the moves of {} improved less than predicted; paused until {}",
                                           to_string(strategy), kube::format_time(when))});
  }
  // Last, so that against() returns a more serious brake first.
  look_at_caps(brakes, facts, history, now - interval, verdict);
  return verdict;
}

}  // namespace rescheduler::rescheduling
