// Parses the JSON bodies of actions. Pure: no I/O. Unknown fields and invalid values are errors.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "dashboard/actions.h"

namespace rescheduler::dashboard {

struct PauseRequest {
  bool paused = true;
  std::string reason{};
};
struct ApplyRequest {
  std::string plan{};
};
struct CancelRequest {
  std::string ns{};
  std::string name{};
};
struct MovePodRequest {
  std::string ns{};
  std::string pod{};
  std::string to{};
  std::string mode = "Automatic";
};
struct MaintenanceRequest {
  std::string node{};
  bool on = true;
};

Result<PauseRequest> read_pause(std::string_view body);
Result<ApplyRequest> read_apply(std::string_view body);
Result<CancelRequest> read_cancel(std::string_view body);
Result<MovePodRequest> read_move(std::string_view body);
Result<MaintenanceRequest> read_maintenance(std::string_view body);
Result<DemoAction> read_demo_action(std::string_view body);

}  // namespace rescheduler::dashboard
