#include "migration/migrator.h"

namespace rescheduler::migration {

std::string_view to_string(MoveMode mode) {
  switch (mode) {
    case MoveMode::Automatic: return "Automatic";
    case MoveMode::Coordinated: return "Coordinated";
    case MoveMode::MakeBeforeBreak: return "MakeBeforeBreak";
    case MoveMode::Direct: return "Direct";
  }
  return "";
}

std::string_view to_string(MoveResult result) {
  switch (result) {
    case MoveResult::Succeeded: return "succeeded";
    case MoveResult::Elsewhere: return "elsewhere";
    case MoveResult::Refused: return "refused";
    case MoveResult::Failed: return "failed";
    case MoveResult::Stale: return "stale";
  }
  return "";
}

bool has_moved(MoveResult result) { return result == MoveResult::Succeeded || result == MoveResult::Elsewhere; }

}  // namespace rescheduler::migration
