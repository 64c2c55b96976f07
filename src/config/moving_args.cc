#include "config/moving_args.h"

#include <algorithm>

#include <fmt/core.h>

#include "config/fields.h"
#include "kube/config/yaml_reader.h"
#include "kube/config/yaml_writer.h"

namespace rescheduler::config {
namespace {

void read_word(kube::YamlReader& from,
               std::string_view field,
               std::string& into,
               const std::vector<std::string_view>& words) {
  from.read(field, into);
  from.describe(field, "word", "", listed(words));
  if (std::ranges::find(words, into) == words.end()) {
    from.problem(field, fmt::format("'{}' is none; there are {}", into, listed(words)));
  }
}

// "1" or "25%", as a PodDisruptionBudget has it.
void read_amount(kube::YamlReader& from, std::string_view field, std::string& into) {
  from.read(field, into);
  from.describe(field, "amount", "", "a number or a percentage");
  std::string_view digits = into;
  if (digits.ends_with('%')) digits.remove_suffix(1);
  const bool number =
      !digits.empty() && digits.size() < 9 && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (!into.empty() && !number) from.problem(field, "must be a number or a percentage, in quotes: \"1\", \"25%\"");
}

}  // namespace

void read_moving(kube::YamlReader& from, ReschedulerSettings& settings) {
  std::string language = "en";
  std::string format = "text";
  read_word(from, "logLanguage", language, {"en", "zh"});
  read_word(from, "logFormat", format, {"text", "json"});
  if (language == "zh") settings.log.language = Language::Chinese;
  settings.log.json = format == "json";
  if (!from.has("migration")) return;
  kube::YamlReader section = from.child("migration");
  MigrationSettings& into = settings.migration;
  section.read("direct", into.direct);
  std::string surge = "SingleReplicas";
  read_word(section, "makeBeforeBreak", surge, {"Never", "SingleReplicas", "Always"});
  if (surge != "SingleReplicas") into.surge = surge == "Always" ? SurgeUse::Always : SurgeUse::Never;
  int most = 1;
  int percent = 0;
  read_int(section, "maxUnavailable", most, 1);
  read_int(section, "maxUnavailablePercent", percent, 0, 100);
  into.max_unavailable = static_cast<std::uint32_t>(most);
  into.max_unavailable_percent = static_cast<std::uint32_t>(percent);
  section.read("protectUnprotected", into.protect_unprotected);
  read_amount(section, "budgetMinAvailable", into.min_available);
  read_amount(section, "budgetMaxUnavailable", into.max_unavailable_budget);
  if (!into.min_available.empty() && !into.max_unavailable_budget.empty()) {
    section.problem("budgetMinAvailable", "must not stand together with budgetMaxUnavailable");
  }
}

void print_moving(const ReschedulerSettings& all, kube::YamlWriter& to) {
  const MigrationSettings& settings = all.migration;
  if (all.log.language == Language::Chinese) to.field("logLanguage", "zh");
  if (all.log.json) to.field("logFormat", "json");
  if (settings == MigrationSettings{}) return;
  to.open("migration");
  to.field("direct", settings.direct);
  to.field("makeBeforeBreak", settings.surge == SurgeUse::Never    ? "Never"
                              : settings.surge == SurgeUse::Always ? "Always"
                                                                   : "SingleReplicas");
  to.field("maxUnavailable", settings.max_unavailable);
  to.field("maxUnavailablePercent", settings.max_unavailable_percent);
  to.field("protectUnprotected", settings.protect_unprotected);
  if (!settings.min_available.empty()) to.field("budgetMinAvailable", settings.min_available);
  if (!settings.max_unavailable_budget.empty()) to.field("budgetMaxUnavailable", settings.max_unavailable_budget);
  to.close();
}

}  // namespace rescheduler::config
