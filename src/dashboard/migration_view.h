// Migrations as the pages show them. Not thread-safe: one thread uses it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "dashboard/activity_log.h"

namespace rescheduler::api {
class Migration;
}  // namespace rescheduler::api

namespace rescheduler::dashboard {

std::string to_json(const api::Migration& migration);

class MigrationView {
 public:
  // Returns an activity if the change is worth reporting.
  std::optional<Activity> upsert(const api::Migration& migration, WallTime now);
  void remove(const api::Migration& migration);

  struct Counts {
    std::size_t under_way = 0;
    std::uint64_t succeeded = 0;  // since the process started
    std::uint64_t failed = 0;
    std::uint64_t ended = 0;
  };
  const Counts& counts() const { return counts_; }

  std::string all() const;  // JSON: {"migrations": [...]}, newest first
  std::optional<std::string> one(std::string_view ns, std::string_view name) const;
  std::string of_pod(std::string_view ns, std::string_view pod, std::string_view kind, std::string_view owner) const;
  // JSON: {"changed": [...], "gone": [...]}; empty: no change since the last call.
  std::optional<std::string> take_changes();

 private:
  struct Entry {
    WallTime created{};
    bool over = false;
    std::string pod{};
    std::string workload_kind{};
    std::string workload{};
    std::string replacement{};
    std::string json{};
  };
  static bool newer(const Entry* a, const Entry* b);
  std::vector<const Entry*> newest_first() const;

  std::map<std::string, Entry, std::less<>> entries_;  // by ns/name
  std::set<std::string> changed_;
  std::set<std::string> gone_;
  Counts counts_;
};

}  // namespace rescheduler::dashboard
