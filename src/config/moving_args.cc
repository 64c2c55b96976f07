#include "config/moving_args.h"

#include <algorithm>

#include <fmt/core.h>

#include "config/fields.h"
#include "kube/config/yaml_reader.h"
#include "kube/config/yaml_writer.h"

namespace rescheduler::config {
namespace {

using placement::MovingSettings;

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

void read_moving(kube::YamlReader& from, MovingSettings& into) {
  read_word(from, "logLanguage", into.log_language, {"en", "zh"});
  read_word(from, "logFormat", into.log_format, {"text", "json"});
  if (!from.has("migration")) return;
  kube::YamlReader section = from.child("migration");
  section.read("direct", into.direct);
  read_word(section, "makeBeforeBreak", into.make_before_break, {"Never", "SingleReplicas", "Always"});
  read_int(section, "maxUnavailable", into.max_unavailable, 1);
  read_int(section, "maxUnavailablePercent", into.max_unavailable_percent, 0, 100);
  section.read("protectUnprotected", into.protect_unprotected);
  read_amount(section, "budgetMinAvailable", into.budget_min_available);
  read_amount(section, "budgetMaxUnavailable", into.budget_max_unavailable);
  if (!into.budget_min_available.empty() && !into.budget_max_unavailable.empty()) {
    section.problem("budgetMinAvailable", "must not stand together with budgetMaxUnavailable");
  }
}

void print_moving(const MovingSettings& settings, kube::YamlWriter& to) {
  const MovingSettings usual;
  if (settings.log_language != usual.log_language) to.field("logLanguage", settings.log_language);
  if (settings.log_format != usual.log_format) to.field("logFormat", settings.log_format);
  MovingSettings section = settings;
  section.log_language = usual.log_language;
  section.log_format = usual.log_format;
  if (section == usual) return;
  to.open("migration");
  to.field("direct", settings.direct);
  to.field("makeBeforeBreak", settings.make_before_break);
  to.field("maxUnavailable", settings.max_unavailable);
  to.field("maxUnavailablePercent", settings.max_unavailable_percent);
  to.field("protectUnprotected", settings.protect_unprotected);
  if (!settings.budget_min_available.empty()) to.field("budgetMinAvailable", settings.budget_min_available);
  if (!settings.budget_max_unavailable.empty()) to.field("budgetMaxUnavailable", settings.budget_max_unavailable);
  to.close();
}

}  // namespace rescheduler::config
