// Formats of the annotations: those of kse-rescheduler, and our additional fields.
#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "kube/value/integer.h"
#include "kube/value/time.h"
#include "rescheduling/recovery/retry_ledger.h"

namespace rescheduler::rescheduling::recovery {
namespace {

namespace json = boost::json;

constexpr std::string_view kTimes = "currentReschedulingTimes";
constexpr std::string_view kStatefulSetKey = "kse.com/sts-pods-map";
constexpr std::string_view kDaemonSetKey = "kse.com/current-retries-times";
constexpr std::string_view kDaemonSetByNode = "rescheduler.io/daemon-retries";
constexpr std::uint32_t kMostTimes = 1'000'000;

struct Shape {
  std::string_view key;
  std::string_view hosts;
};

Shape shape_of(OwnerKind kind) {
  switch (kind) {
    case OwnerKind::Deployment: return {"kse.com/deploy", "deployScheduledHosts"};
    case OwnerKind::ReplicaSet: return {"kse.com/rs", "rsScheduledHosts"};
    case OwnerKind::Job: return {"kse.com/job", "jobScheduledHosts"};
    case OwnerKind::CronJob: return {"kse.com/cj", "cjScheduledHosts"};
    case OwnerKind::StatefulSet: return {kStatefulSetKey, "podScheduledHosts"};
    case OwnerKind::DaemonSet: return {kDaemonSetByNode, "podScheduledHosts"};
    case OwnerKind::Pod: return {"kse.com/pod", "podScheduledHosts"};
  }
  return {};
}

Unexpected unreadable(std::string_view key, std::string_view what) {
  return fail(Errc::Invalid, "annotation {}: {}", key, what);
}

// --- Reading ---

std::uint32_t number(const json::object& from, std::string_view field) {
  const json::value* value = from.if_contains(json::string_view(field.data(), field.size()));
  if (value == nullptr) return 0;
  std::int64_t read = 0;
  if (value->is_int64()) read = value->get_int64();
  if (value->is_uint64()) read = kMostTimes;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(read, 0, kMostTimes));
}

std::vector<std::string> strings(const json::object& from, std::string_view field) {
  std::vector<std::string> all;
  const json::value* value = from.if_contains(json::string_view(field.data(), field.size()));
  if (value == nullptr || !value->is_array()) return all;  // null: an empty list, as Go writes it
  for (const json::value& one : value->get_array()) {
    if (one.is_string()) all.emplace_back(one.get_string());
  }
  return all;
}

std::string text(const json::object& from, std::string_view field) {
  const json::value* value = from.if_contains(json::string_view(field.data(), field.size()));
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::vector<Visit> visits_of(const std::vector<std::string>& nodes, WallTime now) {
  std::vector<Visit> visits;
  for (const std::string& node : nodes) {
    std::erase_if(visits, [&](const Visit& visit) { return visit.node == node; });
    visits.push_back({node, now, false});
  }
  return visits;
}

Slot read_slot(const json::object& from, WallTime now) {
  Slot slot;
  slot.id = text(from, "id");
  slot.times = number(from, "times");
  slot.counted = strings(from, "counted");
  const json::value* visits = from.if_contains("visits");
  if (visits == nullptr || !visits->is_array()) return slot;
  for (const json::value& one : visits->get_array()) {
    if (!one.is_object()) continue;
    const auto at = kube::parse_time(text(one.get_object(), "at"));
    // A time in the future comes from a wrong clock, and the visit would never expire.
    const json::value* lost = one.get_object().if_contains("lost");
    slot.visits.push_back({text(one.get_object(), "node"), at ? std::min(*at, now) : now,
                           lost != nullptr && lost->is_bool() && lost->get_bool()});
  }
  return slot;
}

// Divides the total count of kse-rescheduler among as many slots as needed.
RetryLedger imported(std::uint32_t times, const std::vector<std::string>& nodes, std::uint32_t retries, WallTime now) {
  RetryLedger ledger;
  const std::uint32_t most = std::max<std::uint32_t>(retries, 1);
  for (std::uint32_t id = 1; (times > 0 || id == 1) && id <= 64; ++id) {
    Slot& slot = ledger.at(std::to_string(id));
    slot.times = std::min(times, most);
    slot.visits = visits_of(nodes, now);
    times -= slot.times;
  }
  return ledger;
}

RetryLedger read_shared(const json::object& from, const Shape& shape, std::uint32_t retries, WallTime now) {
  RetryLedger ledger;
  const std::uint32_t total = number(from, kTimes);
  if (const json::value* slots = from.if_contains("slots"); slots != nullptr && slots->is_array()) {
    for (const json::value& one : slots->get_array()) {
      if (!one.is_object()) continue;
      Slot slot = read_slot(one.get_object(), now);
      if (!slot.id.empty()) ledger.at(slot.id) = std::move(slot);
    }
    if (ledger.times() == total) return ledger;
  }
  return imported(total, strings(from, shape.hosts), retries, now);
}

RetryLedger read_by_name(const json::object& from, const Shape& shape, WallTime now) {
  RetryLedger ledger;
  for (const auto& [name, value] : from) {
    if (!value.is_object()) continue;
    const json::object& entry = value.get_object();
    Slot slot;
    const json::value* own = entry.if_contains("slot");
    if (own != nullptr && own->is_object()) slot = read_slot(own->get_object(), now);
    const std::uint32_t times = number(entry, kTimes);
    if (own == nullptr || slot.times != times) {
      slot = {};
      slot.times = times;
      slot.visits = visits_of(strings(entry, shape.hosts), now);
    }
    slot.id = std::string(name);
    ledger.at(slot.id) = slot;
  }
  return ledger;
}

// --- Writing ---

json::array names(const std::vector<std::string>& all) {
  json::array list;
  for (const std::string& one : all) list.emplace_back(one);
  return list;
}

json::object slot_json(const Slot& slot) {
  json::array visits;
  for (const Visit& visit : slot.visits) {
    json::object one{{"node", visit.node}, {"at", kube::format_micro_time(visit.at)}};
    if (visit.lost) one["lost"] = true;
    visits.push_back(std::move(one));
  }
  return json::object{
      {"id", slot.id}, {"times", slot.times}, {"counted", names(slot.counted)}, {"visits", std::move(visits)}};
}

std::string shared_json(const RetryLedger& ledger, const Shape& shape) {
  json::array slots;
  for (const Slot& slot : ledger.slots) slots.push_back(slot_json(slot));
  json::object all;
  all[json::string_view(kTimes.data(), kTimes.size())] = ledger.times();
  all[json::string_view(shape.hosts.data(), shape.hosts.size())] = names(ledger.nodes());
  all["slots"] = std::move(slots);
  return json::serialize(all);
}

std::string by_name_json(const RetryLedger& ledger, const Shape& shape) {
  json::object all;
  for (const Slot& slot : ledger.slots) {
    std::vector<std::string> nodes;
    for (const Visit& visit : slot.visits) nodes.push_back(visit.node);
    json::object entry;
    entry[json::string_view(kTimes.data(), kTimes.size())] = slot.times;
    entry[json::string_view(shape.hosts.data(), shape.hosts.size())] = names(nodes);
    entry["slot"] = slot_json(slot);
    all[slot.id] = std::move(entry);
  }
  return json::serialize(all);
}

bool by_name(OwnerKind kind) { return kind == OwnerKind::StatefulSet || kind == OwnerKind::DaemonSet; }

}  // namespace

Result<RetryLedger> read_ledger(OwnerKind kind, const Annotations& annotations, std::uint32_t retries, WallTime now) {
  const Shape shape = shape_of(kind);
  const auto found = annotations.find(std::string(shape.key));
  if (found == annotations.end()) {
    RetryLedger ledger;
    // A count of kse-rescheduler for a DaemonSet is ignored, because it is not by node.
    return ledger;
  }
  json::error_code fault;
  const json::value value = json::parse(found->second, fault);
  if (fault) return unreadable(shape.key, "is not valid JSON: " + fault.message());
  if (value.is_null()) return RetryLedger{};
  if (!value.is_object()) return unreadable(shape.key, "is not a JSON object");
  return by_name(kind) ? read_by_name(value.get_object(), shape, now)
                       : read_shared(value.get_object(), shape, retries, now);
}

std::map<std::string, std::optional<std::string>> write_ledger(OwnerKind kind, const RetryLedger& ledger) {
  std::map<std::string, std::optional<std::string>> annotations;
  const Shape shape = shape_of(kind);
  auto& text = annotations[std::string(shape.key)];
  if (kind == OwnerKind::DaemonSet) annotations[std::string(kDaemonSetKey)] = std::nullopt;
  if (ledger.slots.empty()) return annotations;
  text = by_name(kind) ? by_name_json(ledger, shape) : shared_json(ledger, shape);
  if (kind == OwnerKind::DaemonSet) annotations[std::string(kDaemonSetKey)] = std::to_string(ledger.times());
  return annotations;
}

}  // namespace rescheduler::rescheduling::recovery
