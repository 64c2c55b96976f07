// What is asked for with an action, read from its JSON. Pure. What is not understood is refused, not guessed at.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "dashboard/actions.h"

namespace rescheduler::dashboard {

struct PauseWish {
  bool paused = true;
  std::string reason{};
};
struct ApplyWish {
  std::string plan{};
};
struct CancelWish {
  std::string ns{};
  std::string name{};
};
struct MoveWish {
  std::string ns{};
  std::string pod{};
  std::string to{};
  std::string mode = "Automatic";
};
struct MaintenanceWish {
  std::string node{};
  bool on = true;
};

Result<PauseWish> read_pause(std::string_view body);
Result<ApplyWish> read_apply(std::string_view body);
Result<CancelWish> read_cancel(std::string_view body);
Result<MoveWish> read_move(std::string_view body);
Result<MaintenanceWish> read_maintenance(std::string_view body);
Result<DemoDeed> read_deed(std::string_view body);

}  // namespace rescheduler::dashboard
