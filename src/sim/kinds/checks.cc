#include "sim/kinds/checks.h"

#include <charconv>

#include <fmt/format.h>

#include "kube/codec/json.h"
#include "kube/codec/json_scalars.h"
#include "kube/codec/protobuf.h"
#include "kube/proto/meta.pb.h"
#include "kube/value/label_selector.h"
#include "kube/value/name.h"

namespace rescheduler::sim {

std::string At::str() const {
  if (up_ == nullptr) return std::string(name_);
  std::string out = up_->str();
  if (index_ >= 0) return out + fmt::format("[{}]", index_);
  if (key_) return out + fmt::format("[{}]", name_);
  return out.empty() ? std::string(name_) : out + "." + std::string(name_);
}

std::string json_of(const StringMap& map) {
  std::string out = "{";
  for (const std::string_view key : sorted_keys(map)) {
    if (out.size() > 1) out += ',';
    out += kube::json_string(key) + ":" + kube::json_string(map.at(std::string(key)));
  }
  return out + "}";
}

std::string json_of(const Message& message) { return kube::to_json(message, {.with_type_meta = false}); }

std::string json_of(const api::IntOrString& value) {
  return value.type() == 1 ? kube::json_string(value.str_val()) : fmt::format("{}", value.int_val());
}

void check_not_negative(std::int64_t value, const At& at, Faults& faults) {
  if (value < 0) faults.invalid(at.str(), fmt::format("{}", value), "must be greater than or equal to 0");
}

void check_positive(std::int64_t value, const At& at, Faults& faults) {
  if (value <= 0) faults.invalid(at.str(), fmt::format("{}", value), "must be greater than zero");
}

namespace {

bool is_percent(std::string_view text) {
  return text.size() > 1 && text.ends_with('%')
         && std::ranges::all_of(text.substr(0, text.size() - 1), [](char c) { return c >= '0' && c <= '9'; });
}

int percent_of(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size() - 1, number);
  return number;
}

}  // namespace

void check_count_or_percent(const api::IntOrString& value, const At& at, Faults& faults) {
  if (value.type() != 1) return check_not_negative(value.int_val(), at, faults);
  if (is_percent(value.str_val())) return;
  faults.invalid(at.str(), json_of(value),
                 "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', "
                 "regex used for validation is '[0-9]+%')");
}

void check_at_most_100_percent(const api::IntOrString& value, const At& at, Faults& faults) {
  if (value.type() != 1 || !is_percent(value.str_val()) || percent_of(value.str_val()) <= 100) return;
  faults.invalid(at.str(), json_of(value), "must not be greater than 100%");
}

int count_or_percent(const api::IntOrString& value) {
  if (value.type() != 1) return value.int_val();
  return is_percent(value.str_val()) ? percent_of(value.str_val()) : 0;
}

void check_one_of(std::string_view value, const std::vector<std::string>& allowed, const At& at, Faults& faults) {
  if (value.empty()) return faults.required(at.str());
  if (std::ranges::find(allowed, value) == allowed.end()) faults.not_supported(at.str(), value, allowed);
}

void check_immutable(const Message& before, const Message& after, const At& at, Faults& faults) {
  if (!same(before, after)) faults.invalid(at.str(), json_of(after), "field is immutable");
}

void check_immutable(std::string_view before, std::string_view after, const At& at, Faults& faults) {
  if (before != after) faults.invalid(at.str(), kube::json_string(after), "field is immutable");
}

bool same(const Message& a, const Message& b) {
  if (a.ByteSizeLong() != b.ByteSizeLong()) return false;
  return kube::encode_bare(a) == kube::encode_bare(b);
}

bool same_map(const StringMap& a, const StringMap& b) {
  if (a.size() != b.size()) return false;
  return std::ranges::all_of(a, [&](const auto& entry) {
    const auto found = b.find(entry.first);
    return found != b.end() && found->second == entry.second;
  });
}

bool selects(const api::LabelSelector& selector, const StringMap& labels) {
  for (const auto& [key, value] : selector.match_labels()) {
    const auto found = labels.find(key);
    if (found == labels.end() || found->second != value) return false;
  }
  if (selector.match_expressions().empty()) return true;
  kube::LabelSelectorSpec spec;
  for (const auto& expression : selector.match_expressions()) {
    spec.match_expressions.push_back(
        {expression.key(), expression.operator_(), {expression.values().begin(), expression.values().end()}});
  }
  const auto parsed = kube::LabelSelector::from(std::move(spec));
  return parsed && parsed->matches(labels);
}

}  // namespace rescheduler::sim
