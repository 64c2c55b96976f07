// The recent activities for users to read, and samples of the history.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cluster/balance.h"

namespace rescheduler::dashboard {

struct ActivityObject {
  std::string kind{};
  std::string ns{};
  std::string name{};
};

struct Activity {
  std::string kind{};  // plan, move, recovery, maintenance, brake, action, scenario, event
  bool warning = false;
  std::string text{};
  std::optional<ActivityObject> object{};
};

class ActivityLog {
 public:
  // Drops an activity with the kind and the text of the one before it.
  void add(Activity activity, WallTime now);
  std::string newest(std::size_t limit) const;  // JSON: {"lines": [...]}, newest first
  std::optional<std::string> take_new();        // the same, since the last call; empty: none
  std::string about(const ActivityObject& object, std::size_t limit) const;  // JSON: [...]

 private:
  struct Line {
    std::uint64_t id = 0;
    WallTime at{};
    Activity activity{};
  };
  static std::string json(const Line& line);

  static constexpr std::size_t kMost = 1000;
  std::deque<Line> lines_;  // newest last
  std::uint64_t next_ = 1;
  std::uint64_t taken_ = 1;
};

struct HistorySample {
  std::int64_t at = 0;  // seconds
  cluster::Balance balance{};
  std::uint64_t pending = 0;
  std::uint64_t moves = 0;
};

class History {
 public:
  // Keeps one day of samples.
  explicit History(std::chrono::seconds every)
      : every_(every), most_(86'400 / static_cast<std::size_t>(every.count())) {}

  bool due(WallTime now) const;
  // `moves`: total of ended moves. Returns the JSON for the event stream.
  std::string add(WallTime now, const cluster::Balance& balance, std::uint64_t pending, std::uint64_t moves);
  std::string json(std::chrono::minutes back, WallTime now) const;

 private:
  std::chrono::seconds every_;
  std::size_t most_;
  std::deque<HistorySample> samples_;
  std::uint64_t moves_before_ = 0;
};

}  // namespace rescheduler::dashboard
