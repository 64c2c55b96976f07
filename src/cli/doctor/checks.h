// The checks of a cluster. Each check is a function of the facts and does no I/O.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/doctor/facts.h"

namespace rescheduler::cli::doctor {

enum class Severity {
  Ok,
  Note,     // information; no action needed
  Warning,  // works, but not as well as possible
  Error,    // does not work, or will stop soon
};
std::string_view to_string(Severity severity) noexcept;

struct Finding {
  Severity severity = Severity::Ok;
  std::string check;    // "permissions"
  std::string message;  // one sentence
  std::string fix{};    // the command that fixes it; empty only if nothing has to be fixed
  friend bool operator==(const Finding&, const Finding&) = default;
};
using Findings = std::vector<Finding>;

Findings check_version(const Facts& facts);
Findings check_resources(const Facts& facts);
Findings check_definition(const Facts& facts);
Findings check_permissions(const Facts& facts);
Findings check_installation(const Facts& facts);
Findings check_configuration(const Facts& facts);
Findings check_leader(const Facts& facts);
Findings check_names(const Facts& facts);
Findings check_load(const Facts& facts);
Findings check_webhook(const Facts& facts);
Findings check_budgets(const Facts& facts);
Findings check_unread(const Facts& facts);

// All checks, in the order in which to fix the findings.
Findings check_all(const Facts& facts);

// 1 if a finding is an error, else 0.
int exit_code(const Findings& findings) noexcept;

}  // namespace rescheduler::cli::doctor
