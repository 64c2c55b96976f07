// Faults between a client and the embedded server. Tests enable them; both frontends apply them.
//
//   WireFaults faults(server, 7);
//   faults.add({.verbs = {kube::Verb::Create}, .resource = "pods", .times = 1,
//               .fault = {.lose_response = Loss::Reset}});
//
// Which request gets which fault depends only on the seed and the order of requests.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

enum class Loss {
  No,
  Reset,    // the connection breaks: Errc::Unavailable at once
  Silence,  // no answer: Errc::Timeout after the caller's timeout
};

struct InjectedFault {
  std::chrono::nanoseconds latency{0};  // before the request reaches the server
  std::chrono::nanoseconds spread{0};   // a random addition, up to this
  Loss lose_request = Loss::No;         // the request is not executed
  Loss lose_response = Loss::No;        // the request is executed
  bool duplicate = false;               // the request is executed twice; the second answer is returned
  std::optional<StatusError> refuse{};  // the request is not executed; the client gets this error: refusal_with()
  // Get and List: return the state of this long ago, or of this many versions ago, as far as the history reaches.
  std::chrono::nanoseconds stale_for{0};
  std::uint64_t stale_versions = 0;
  // Watches: after this many events (without bookmarks) the connection breaks, or no further event is sent.
  std::optional<std::uint64_t> drop_watch_after{};
  std::optional<std::uint64_t> stall_watch_after{};
  bool events_twice = false;  // every event is delivered twice in a row
};

// 409, 429, 500 or 503 with the messages of the real server.
StatusError refusal_with(int code, std::optional<int> retry_after_seconds = std::nullopt);

// An empty field matches everything.
struct FaultRule {
  std::vector<kube::Verb> verbs{};
  std::string resource{};                    // plural
  std::optional<std::string> subresource{};  // "": the object itself
  std::string ns{};
  std::string name{};
  std::uint64_t skip = 0;  // this many matching requests get no fault before the rule starts
  std::uint64_t times = std::numeric_limits<std::uint64_t>::max();
  double probability = 1;
  InjectedFault fault{};
};

struct RequestFacts {
  kube::Verb verb = kube::Verb::Get;
  std::string_view resource{};
  std::string_view subresource{};
  std::string_view ns{};
  std::string_view name{};
};

struct FaultCounts {
  std::uint64_t delayed = 0;
  std::uint64_t lost_requests = 0;
  std::uint64_t lost_responses = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t refused = 0;
  std::uint64_t stale = 0;
  std::uint64_t dropped_watches = 0;
  std::uint64_t stalled_watches = 0;
  std::uint64_t doubled_events = 0;
};

class WireFaults {
 public:
  WireFaults(Server& server, std::uint64_t seed);
  ~WireFaults();
  WireFaults(const WireFaults&) = delete;
  WireFaults& operator=(const WireFaults&) = delete;

  using RuleId = std::uint64_t;
  RuleId add(FaultRule rule);
  void remove(RuleId rule);
  void clear();
  std::uint64_t fired(RuleId rule) const;  // how often; works for a removed rule too

  const FaultCounts& counts() const { return counts_; }
  FaultCounts& counts() { return counts_; }  // the frontends count faults that take effect after fault_for()

  // The fault of this request: the union over all rules that fire. Latencies add up and the longest staleness counts.
  // In all other fields the first rule that sets the field wins.
  InjectedFault fault_for(const RequestFacts& request);
  // The version that a stale read returns; empty: the current version.
  std::optional<std::uint64_t> version_for(const InjectedFault& fault);

 private:
  struct Active {
    FaultRule rule;
    std::uint64_t seen = 0;
  };
  static bool matches(const FaultRule& rule, const RequestFacts& request);
  bool fires(Active& active, const RequestFacts& request);
  std::uint64_t version_at(SteadyTime time) const;

  Server& server_;
  Rng rng_;
  std::map<RuleId, Active> rules_;
  std::map<RuleId, std::uint64_t> fired_;
  RuleId last_id_ = 0;
  FaultCounts counts_;
  // The time of each version, for stale reads. Bounded by kMostDates.
  std::deque<std::pair<SteadyTime, std::uint64_t>> dates_;
  std::unique_ptr<Store::Subscription> changes_;
};

}  // namespace rescheduler::sim
