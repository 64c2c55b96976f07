#include "rescheduling/history/move_history.h"

#include <algorithm>
#include <array>

#include <boost/json.hpp>
#include <fmt/core.h>

#include "kube/value/duration.h"
#include "kube/value/time.h"

namespace rescheduler::rescheduling {
namespace {

namespace json = boost::json;
using migration::Lineage;
using migration::MoveResult;

constexpr std::array kResults = {MoveResult::Succeeded, MoveResult::Elsewhere, MoveResult::Refused, MoveResult::Failed,
                                 MoveResult::Stale};

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

Result<PastMove> move_from(const json::value& value) {
  const json::object* object = value.if_object();
  if (object == nullptr) return fail(Errc::Invalid, "a move is not an object");
  PastMove move;
  move.lineage = {text_of(*object, "kind"), text_of(*object, "namespace"), text_of(*object, "owner"),
                  text_of(*object, "ownerUid")};
  move.pod = text_of(*object, "pod");
  move.uid = text_of(*object, "uid");
  move.source = text_of(*object, "source");
  move.target = text_of(*object, "target");
  move.strategy = text_of(*object, "strategy");
  move.plan = text_of(*object, "plan");
  move.replacement = text_of(*object, "replacement");
  move.landed = text_of(*object, "landed");
  const auto began = kube::parse_time(text_of(*object, "began"));
  if (!began) return fail(Errc::Invalid, "the move of {}/{} has no valid start time", move.lineage.ns, move.pod);
  move.began = *began;
  if (object->contains("ended")) {
    const auto ended = kube::parse_time(text_of(*object, "ended"));
    if (!ended) return fail(Errc::Invalid, "the move of {}/{} has no valid end time", move.lineage.ns, move.pod);
    move.ended = *ended;
    const std::string word = text_of(*object, "result");
    const auto found = std::ranges::find_if(kResults, [&](MoveResult one) { return to_string(one) == word; });
    // A result of a later version is unknown here, so it does not count as success.
    move.result = found != kResults.end() ? *found : MoveResult::Failed;
  }
  return move;
}

json::object to_object(const PastMove& move) {
  json::object object{{"kind", move.lineage.kind},
                      {"namespace", move.lineage.ns},
                      {"owner", move.lineage.name},
                      {"ownerUid", move.lineage.uid},
                      {"pod", move.pod},
                      {"uid", move.uid},
                      {"source", move.source},
                      {"target", move.target},
                      {"strategy", move.strategy},
                      {"plan", move.plan},
                      {"began", kube::format_time(move.began)}};
  if (move.ended) {
    object["ended"] = kube::format_time(*move.ended);
    object["result"] = std::string(to_string(move.result));
  }
  if (!move.replacement.empty()) object["replacement"] = move.replacement;
  if (!move.landed.empty()) object["landed"] = move.landed;
  return object;
}

bool earlier(const PastMove& a, const PastMove& b) {
  return std::tie(a.began, a.lineage, a.uid) < std::tie(b.began, b.lineage, b.uid);
}

WallTime whole_seconds(WallTime time) { return std::chrono::floor<std::chrono::seconds>(time); }

}  // namespace

Result<MoveHistory> MoveHistory::parse(std::string_view text) {
  MoveHistory history;
  if (text.empty()) return history;
  json::error_code error;
  const json::value value = json::parse(text, error);
  const json::array* moves = error ? nullptr : value.if_array();
  if (moves == nullptr) return fail(Errc::Invalid, "the record of past moves is not a JSON list");
  for (const json::value& one : *moves) {
    auto move = move_from(one);
    if (!move) return fail(std::move(move.error()));
    history.moves_.push_back(std::move(*move));
  }
  std::ranges::sort(history.moves_, earlier);
  return history;
}

std::string MoveHistory::to_json() const {
  json::array all;
  all.reserve(moves_.size());
  for (const PastMove& move : moves_) all.push_back(to_object(move));
  return json::serialize(all);
}

void MoveHistory::begun(const migration::MoveRequest& request, WallTime at) {
  PastMove move;
  move.lineage = request.lineage;
  if (move.lineage.ns.empty()) move.lineage.ns = request.ns;
  move.pod = request.pod;
  move.uid = request.uid;
  move.source = request.source;
  move.target = request.target;
  move.strategy = request.strategy;
  move.plan = request.plan;
  move.began = whole_seconds(at);
  moves_.insert(std::ranges::upper_bound(moves_, move, earlier), std::move(move));
}

void MoveHistory::ended(const migration::MoveOutcome& outcome) {
  const auto is_it = [&](const PastMove& move) { return !move.ended && move.uid == outcome.request.uid; };
  auto found = std::ranges::find_if(moves_, is_it);
  if (found == moves_.end()) {
    begun(outcome.request, outcome.began);
    found = std::ranges::find_if(moves_, is_it);
  }
  found->ended = whole_seconds(outcome.ended);
  found->result = outcome.result;
  found->replacement = outcome.replacement;
  found->landed = outcome.landed;
}

void MoveHistory::forget(WallTime now, std::chrono::nanoseconds older_than, std::size_t most) {
  std::erase_if(moves_, [&](const PastMove& move) { return now - move.ended.value_or(move.began) > older_than; });
  if (moves_.size() > most) moves_.erase(moves_.begin(), moves_.end() - static_cast<std::ptrdiff_t>(most));
}

std::size_t MoveHistory::begun_since(WallTime moment) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(moves_, [&](const PastMove& move) { return move.began >= moment; }));
}

Cooldowns cooldowns_from_refusals(const MoveHistory& history, WallTime now) {
  Cooldowns cooldowns;
  for (const PastMove& move : history.moves()) {
    if (!move.ended || move.result != MoveResult::Refused || now - *move.ended >= kRefusedRest) continue;
    cooldowns.pods.insert_or_assign({move.lineage.ns, move.pod}, "its move was refused recently");
  }
  return cooldowns;
}

Cooldowns cooldowns(const MoveHistory& history, const config::Brakes& brakes, WallTime now) {
  Cooldowns cooldowns = cooldowns_from_refusals(history, now);
  const auto minutes_ago = [&](WallTime then) {
    return std::chrono::duration_cast<std::chrono::minutes>(now - then).count();
  };
  for (const PastMove& move : history.moves()) {
    const WallTime last = move.ended.value_or(move.began);
    const bool done = move.ended && has_moved(move.result);
    if (now - last < brakes.cooldown) {
      if (done) {
        const std::string why = fmt::format("moved from {} {} minutes ago; the cooldown is {}", move.source,
                                            minutes_ago(last), kube::format_duration(brakes.cooldown));
        cooldowns.pods.insert_or_assign({move.lineage.ns, move.replacement.empty() ? move.pod : move.replacement}, why);
      } else if (!move.ended) {
        cooldowns.lineages.insert_or_assign(
            move.lineage, fmt::format("the move of {} began {} minutes ago and its end is not known yet", move.pod,
                                      minutes_ago(move.began)));
      } else if (move.result == MoveResult::Failed) {
        cooldowns.lineages.insert_or_assign(
            move.lineage, fmt::format("the move of {} failed {} minutes ago", move.pod, minutes_ago(last)));
      }
    }
    // A pod leaves a node in maintenance because it must, so it can return.
    const bool by_choice = move.strategy != to_string(config::Strategy::NodeMaintenance);
    const bool left = !move.ended || done || move.result == MoveResult::Failed;
    if (by_choice && left && now - last < brakes.memory) {
      cooldowns.ping_pong.record_move(move.lineage, move.source, move.landed.empty() ? move.target : move.landed);
    }
  }
  return cooldowns;
}

}  // namespace rescheduler::rescheduling
