#include "sim/scenario/scenario_fields.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "kube/value/duration.h"
#include "kube/value/int_or_string.h"
#include "kube/value/name.h"
#include "kube/value/quantity.h"
#include "sim/load/series.h"

namespace rescheduler::sim {
namespace {

constexpr std::array<std::string_view, 3> kEffects{"NoSchedule", "PreferNoSchedule", "NoExecute"};

constexpr std::string_view kEffectWanted = "must be NoSchedule, PreferNoSchedule or NoExecute";

bool is_effect(std::string_view text) { return std::ranges::find(kEffects, text) != kEffects.end(); }

// The text of a scalar of any type: `cpu: 2` and `cpu: "2"` are the same quantity.
std::optional<std::string> scalar_text(YamlReader& from, std::string_view field) {
  if (!from.has(field)) return std::nullopt;
  const YamlReader value = from.child(field);
  if (value.node().kind != kube::YamlKind::Scalar) {
    value.problem("expected a single value");
    return std::nullopt;
  }
  return value.node().text;
}

bool check_quantity(const YamlReader& at, const std::string& text) {
  const auto quantity = kube::Quantity::parse(text);
  if (!quantity) {
    at.problem(quantity.error().message);
  } else if (quantity->sign() < 0) {
    at.problem("must not be negative");
  } else {
    return true;
  }
  return false;
}

void read_texts(YamlReader& from, std::string_view field, TextMap& into, bool label_values) {
  for (auto& [key, value] : from.child(field).members()) {
    const std::string text = value.as_string();
    if (const auto good = kube::check_label_key(key); !good) {
      value.problem(good.error().message);
    } else if (const auto fits = kube::check_label_value(text); label_values && !fits) {
      value.problem(fits.error().message);
    } else {
      into[key] = text;
    }
  }
}

}  // namespace

void read_count(YamlReader& from, std::string_view field, int& into, int least, int most) {
  std::int64_t value = into;
  from.read(field, value, least, most);
  into = static_cast<int>(value);
}

void read_quantity(YamlReader& from, std::string_view field, std::string& into) {
  const auto text = scalar_text(from, field);
  if (text && check_quantity(from.child(field), *text)) into = *text;
}

void read_quantities(YamlReader& from, std::string_view field, TextMap& into) {
  YamlReader map = from.child(field);
  for (auto& [key, value] : map.members()) {
    if (const auto good = kube::check_label_key(key); !good) value.problem(good.error().message);
    std::string text;
    read_quantity(map, key, text);
    if (!text.empty()) into[key] = std::move(text);
  }
}

void read_duration(YamlReader& from, std::string_view field, std::optional<std::chrono::nanoseconds>& into) {
  const auto text = scalar_text(from, field);
  if (!text) return;
  const auto duration = kube::parse_duration(*text);
  if (!duration) {
    from.problem(field, duration.error().message);
  } else if (duration->count() < 0) {
    from.problem(field, "must not be negative");
  } else {
    into = *duration;
  }
}

void read_duration(YamlReader& from, std::string_view field, std::chrono::nanoseconds& into) {
  std::optional<std::chrono::nanoseconds> value;
  read_duration(from, field, value);
  if (value) into = *value;
}

void read_fraction(YamlReader& from, std::string_view field, double& into, double most) {
  double value = into;
  from.read(field, value);
  if (value < 0 || value > most) {
    from.problem(field, fmt::format("must be between 0 and {}", most));
  } else {
    into = value;
  }
}

void read_count_or_share(YamlReader& from, std::string_view field, std::string& into) {
  const auto text = scalar_text(from, field);
  if (!text) return;
  const auto amount = kube::IntOrString::parse(*text).scaled(100, kube::IntOrString::Rounding::Up);
  if (!amount || *amount < 0) {
    from.problem(field, R"(expected a count or a share, such as 2 or "50%")");
  } else {
    into = *text;
  }
}

void read_labels(YamlReader& from, std::string_view field, TextMap& into) { read_texts(from, field, into, true); }

void read_annotations(YamlReader& from, std::string_view field, TextMap& into) { read_texts(from, field, into, false); }

void read_taints(YamlReader& from, std::string_view field, std::vector<TaintSpec>& into) {
  for (YamlReader& item : from.items(field)) {
    TaintSpec taint;
    item.read("key", taint.key);
    item.read("value", taint.value);
    item.read("effect", taint.effect);
    item.refuse_unknown_fields();
    if (const auto good = kube::check_label_key(taint.key); !good) item.problem("key", good.error().message);
    if (!is_effect(taint.effect)) item.problem("effect", kEffectWanted);
    into.push_back(std::move(taint));
  }
}

void read_tolerations(YamlReader& from, std::string_view field, std::vector<TolerationSpec>& into) {
  for (YamlReader& item : from.items(field)) {
    TolerationSpec toleration;
    item.read("key", toleration.key);
    item.read("value", toleration.value);
    item.read("effect", toleration.effect);
    read_duration(item, "for", toleration.seconds);
    item.refuse_unknown_fields();
    if (!toleration.effect.empty() && !is_effect(toleration.effect)) item.problem("effect", kEffectWanted);
    if (toleration.seconds && toleration.effect != "NoExecute") {
      item.problem("for", "is only valid with the effect NoExecute");
    }
    into.push_back(std::move(toleration));
  }
}

void read_load(YamlReader& from, std::string_view field, LoadResource resource, std::string& into) {
  const auto text = scalar_text(from, field);
  if (!text) return;
  if (!text->starts_with("series")) {  // recorded series are looked up when the scenario runs
    SeriesLibrary nothing{std::string()};
    const auto profile = Profile::parse(*text, resource, nothing);
    if (!profile) return from.problem(field, profile.error().message);
  }
  into = *text;
}

void read_manifest_list(YamlReader& from, std::string_view field, std::vector<Manifest>& into) {
  for (const YamlReader& item : from.items(field)) read_manifest(item, into);
}

void read_name(YamlReader& from, std::string_view field, std::string& into) {
  if (!from.has(field)) return from.problem(field, "is required");
  std::string text;
  from.read(field, text);
  if (text.empty()) return;  // already reported
  if (const auto good = kube::check_dns_subdomain(text); !good) {
    from.problem(field, good.error().message);
  } else {
    into = std::move(text);
  }
}

void read_workload_key(YamlReader& from, std::string_view field, std::string& into) {
  if (!from.has(field)) return from.problem(field, "is required");
  from.read(field, into);
  if (!into.empty() && into.find('/') == std::string::npos) into = "default/" + into;
}

}  // namespace rescheduler::sim
