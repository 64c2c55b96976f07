#include "sim/frontend/faults.h"

#include <algorithm>

namespace rescheduler::sim {
namespace {

// The history of the store is bounded too, so times of older versions are not needed.
constexpr std::size_t kMostDates = 100'000;

void add_fault(const InjectedFault& more, InjectedFault& total, Rng& rng) {
  total.latency += more.latency;
  if (more.spread.count() > 0) {
    total.latency += std::chrono::nanoseconds{
        static_cast<std::chrono::nanoseconds::rep>(rng.below(static_cast<std::uint64_t>(more.spread.count()) + 1))};
  }
  if (total.lose_request == Loss::No) total.lose_request = more.lose_request;
  if (total.lose_response == Loss::No) total.lose_response = more.lose_response;
  total.duplicate = total.duplicate || more.duplicate;
  if (!total.refuse) total.refuse = more.refuse;
  total.stale_for = std::max(total.stale_for, more.stale_for);
  total.stale_versions = std::max(total.stale_versions, more.stale_versions);
  if (!total.drop_watch_after) total.drop_watch_after = more.drop_watch_after;
  if (!total.stall_watch_after) total.stall_watch_after = more.stall_watch_after;
  total.events_twice = total.events_twice || more.events_twice;
}

}  // namespace

StatusError refusal_with(int code, std::optional<int> retry_after_seconds) {
  StatusError refusal;
  refusal.code = code;
  refusal.retry_after_seconds = retry_after_seconds;
  switch (code) {
    case 409:
      refusal.reason = "Conflict";
      refusal.message =
          "Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest "
          "version and try again";
      break;
    case 429:
      refusal.reason = "TooManyRequests";
      refusal.message = "the server has received too many requests and has asked us to try again later";
      break;
    case 503:
      refusal.reason = "ServiceUnavailable";
      refusal.message = "the server is currently unable to handle the request";
      break;
    default:
      refusal.reason = "InternalError";
      refusal.message = "an error on the server prevented the request from succeeding";
      break;
  }
  return refusal;
}

WireFaults::WireFaults(Server& server, std::uint64_t seed) : server_(server), rng_(seed) {
  dates_.emplace_back(server.agenda().steady_now(), server.store().version());
  changes_ = server.store().subscribe(nullptr, [this](const Change& change) {
    const SteadyTime now = server_.agenda().steady_now();
    if (dates_.back().first == now) {
      dates_.back().second = change.number;
      return;
    }
    dates_.emplace_back(now, change.number);
    if (dates_.size() > kMostDates) dates_.pop_front();
  });
}

WireFaults::~WireFaults() = default;

WireFaults::RuleId WireFaults::add(FaultRule rule) {
  rules_.emplace(++last_id_, Active{std::move(rule)});
  return last_id_;
}

void WireFaults::remove(RuleId rule) { rules_.erase(rule); }

void WireFaults::clear() { rules_.clear(); }

std::uint64_t WireFaults::fired(RuleId rule) const {
  const auto found = fired_.find(rule);
  return found == fired_.end() ? 0 : found->second;
}

bool WireFaults::matches(const FaultRule& rule, const RequestFacts& request) {
  const auto fits = [](std::string_view wanted, std::string_view there) { return wanted.empty() || wanted == there; };
  return (rule.verbs.empty() || std::ranges::find(rule.verbs, request.verb) != rule.verbs.end())
         && fits(rule.resource, request.resource) && (!rule.subresource || *rule.subresource == request.subresource)
         && fits(rule.ns, request.ns) && fits(rule.name, request.name);
}

bool WireFaults::fires(Active& active, const RequestFacts& request) {
  if (!matches(active.rule, request)) return false;
  const std::uint64_t nth = active.seen++;
  if (nth < active.rule.skip || nth - active.rule.skip >= active.rule.times) return false;
  return active.rule.probability >= 1 || rng_.unit() < active.rule.probability;
}

InjectedFault WireFaults::fault_for(const RequestFacts& request) {
  InjectedFault fault;
  for (auto& [id, active] : rules_) {
    if (!fires(active, request)) continue;
    ++fired_[id];
    add_fault(active.rule.fault, fault, rng_);
  }
  if (fault.latency.count() > 0) ++counts_.delayed;
  if (fault.lose_request != Loss::No) {
    ++counts_.lost_requests;
  } else if (fault.refuse) {
    ++counts_.refused;
  } else {
    if (fault.duplicate) ++counts_.duplicated;
    if (fault.lose_response != Loss::No) ++counts_.lost_responses;
  }
  return fault;
}

std::uint64_t WireFaults::version_at(SteadyTime time) const {
  const auto after = std::ranges::upper_bound(dates_, time, {}, [](const auto& date) { return date.first; });
  return after == dates_.begin() ? dates_.front().second : std::prev(after)->second;
}

std::optional<std::uint64_t> WireFaults::version_for(const InjectedFault& fault) {
  const std::uint64_t now = server_.store().version();
  std::uint64_t version = now;
  if (fault.stale_for.count() > 0) version = version_at(server_.agenda().steady_now() - fault.stale_for);
  if (fault.stale_versions > 0) version = std::min(version, now - std::min(now - 1, fault.stale_versions));
  if (version >= now) return std::nullopt;
  ++counts_.stale;
  return version;
}

}  // namespace rescheduler::sim
