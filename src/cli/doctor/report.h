// Formats findings as a table and as JSON.
#pragma once

#include <string>

#include "cli/doctor/checks.h"
#include "cli/view/text.h"

namespace rescheduler::cli::doctor {

std::string table_of(const Findings& findings, const ViewStyle& style);
// {"findings": [{"severity", "check", "message", "fix"}], "errors": N, "warnings": N}
std::string json_of(const Findings& findings);

}  // namespace rescheduler::cli::doctor
