// The parameters of a request to the embedded API server, besides its object.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/store/version.h"

namespace rescheduler::sim {

struct WriteContext {
  std::string manager = "kube-controller-manager";  // field manager; the default is for the controllers
  bool dry_run = false;
  bool force = false;   // Apply: take fields from other managers
  bool strict = false;  // reject unknown fields
};

struct ListQuery {
  std::string ns{};
  std::string label_selector{};
  std::string field_selector{};
  std::uint32_t limit = 0;
  std::string continue_token{};
  std::string resource_version{};
  std::string resource_version_match{};
};

struct Listing {
  std::vector<VersionPtr> items;
  std::string resource_version;
  std::string continue_token;
  std::optional<std::int64_t> remaining;
};

struct WatchQuery {
  std::string ns{};
  std::string label_selector{};
  std::string field_selector{};
  std::string resource_version{};
  bool bookmarks = false;
  bool send_initial_events = false;
};

}  // namespace rescheduler::sim
