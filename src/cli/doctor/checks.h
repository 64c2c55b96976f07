// What is well with a cluster and what is not. Each check is a function of the facts; none does any I/O.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/doctor/facts.h"

namespace rescheduler::cli::doctor {

enum class Severity {
  Ok,
  Note,     // worth knowing; nothing has to be done
  Warning,  // it works, and less well than it could
  Error,    // it does not work, or is about to stop
};
std::string_view to_string(Severity severity) noexcept;

struct Finding {
  Severity severity = Severity::Ok;
  std::string check;    // "permissions"
  std::string message;  // one sentence
  std::string fix{};    // the command that mends it; empty only where nothing has to be mended
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

// All of them, in the order in which one mends things.
Findings check_all(const Facts& facts);

// 1 if there is an error among them.
int exit_code(const Findings& findings) noexcept;

}  // namespace rescheduler::cli::doctor
