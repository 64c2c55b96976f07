// `rescheduler migrations` and `rescheduler move`: show the migrations, and start one move. Both use only the API
// server; the daemon carries out what they write.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"

namespace rescheduler::api {
class Migration;
}  // namespace rescheduler::api

namespace rescheduler::cli {

struct MigrationsOptions {
  std::string action = "list";  // list, show, cancel
  std::string name{};           // NAME or NAMESPACE/NAME, for show and cancel
  std::string ns{};             // empty: all namespaces, or "default" for a name
  std::string kubeconfig{};
  std::string context{};
};
int run_migrations(const MigrationsOptions& options);

struct MoveOptions {
  std::string pod{};  // NAME or NAMESPACE/NAME
  std::string ns = "default";
  std::string to{};
  std::string mode = "Automatic";
  int deadline = 600;  // seconds
  bool wait = false;
  std::string kubeconfig{};
  std::string context{};
};
int run_move(const MoveOptions& options);

// The output of these commands.
std::string departures(const std::vector<api::Migration>& migrations, WallTime now);
std::string travel_report(const api::Migration& migration);

}  // namespace rescheduler::cli
