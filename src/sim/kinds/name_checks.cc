// Names, label keys and values, with Kubernetes' messages.
#include <fmt/format.h>

#include "kube/proto/meta.pb.h"
#include "kube/value/name.h"
#include "sim/kinds/checks.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    R"('[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))";
constexpr std::string_view k1035Rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kKeyRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr std::string_view kConfigKeyRule =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
    "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

constexpr std::size_t kMostLabel = 63;
constexpr std::size_t kMostSubdomain = 253;
constexpr std::size_t kMostAnnotationBytes = 256 * 1024;

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// The text cut to the maximum length, to check its characters only.
std::string_view at_most(std::string_view text, std::size_t most) { return text.substr(0, most); }

std::string first_of(const std::vector<std::string>& sentences) {
  return sentences.empty() ? std::string() : sentences.front();
}

bool has_name_shape(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back())
         && std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

}  // namespace

std::vector<std::string> dns_label_faults(std::string_view text) {
  std::vector<std::string> faults;
  if (kube::is_dns_label(text)) return faults;
  if (text.size() > kMostLabel) faults.push_back(fmt::format("must be no more than {} characters", kMostLabel));
  if (!kube::is_dns_label(at_most(text, kMostLabel))) {
    faults.emplace_back(kube::is_dns_subdomain(text) ? std::string_view("must not contain dots") : kLabelRule);
  }
  return faults;
}

std::vector<std::string> dns_subdomain_faults(std::string_view text) {
  std::vector<std::string> faults;
  if (kube::is_dns_subdomain(text)) return faults;
  if (text.size() > kMostSubdomain) faults.push_back(fmt::format("must be no more than {} characters", kMostSubdomain));
  if (!kube::is_dns_subdomain(at_most(text, kMostSubdomain))) faults.emplace_back(kSubdomainRule);
  return faults;
}

std::vector<std::string> dns_1035_label_faults(std::string_view text) {
  std::vector<std::string> faults;
  if (text.size() > kMostLabel) faults.push_back(fmt::format("must be no more than {} characters", kMostLabel));
  const bool begins_well = !text.empty() && text.front() >= 'a' && text.front() <= 'z';
  if (!begins_well || !kube::is_dns_label(at_most(text, kMostLabel))) faults.emplace_back(k1035Rule);
  return faults;
}

std::vector<std::string> label_key_faults(std::string_view text) {
  std::vector<std::string> faults;
  if (kube::is_label_key(text)) return faults;
  std::string_view name = text;
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, slash);
    name = text.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      faults.push_back(fmt::format(
          "a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')", kKeyRule));
      return faults;
    }
    if (prefix.empty()) {
      faults.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& fault : dns_subdomain_faults(prefix)) faults.push_back("prefix part " + fault);
    }
  }
  if (name.empty()) {
    faults.emplace_back("name part must be non-empty");
  } else if (name.size() > kMostLabel) {
    faults.push_back(fmt::format("name part must be no more than {} bytes", kMostLabel));
  }
  if (!has_name_shape(name)) faults.push_back(fmt::format("name part {}", kKeyRule));
  return faults;
}

std::vector<std::string> label_value_faults(std::string_view text) {
  std::vector<std::string> faults;
  if (kube::is_label_value(text)) return faults;
  if (text.size() > kMostLabel) faults.push_back(fmt::format("must be no more than {} bytes", kMostLabel));
  if (!has_name_shape(text)) faults.emplace_back(kValueRule);
  return faults;
}

std::vector<std::string> config_key_faults(std::string_view text) {
  std::vector<std::string> faults;
  if (text.size() > kMostSubdomain) faults.push_back(fmt::format("must be no more than {} characters", kMostSubdomain));
  const auto allowed = [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  if (text.empty() || !std::ranges::all_of(text, allowed)) faults.emplace_back(kConfigKeyRule);
  if (text == ".") {
    faults.emplace_back("must not be '.'");
  } else if (text == "..") {
    faults.emplace_back("must not be '..'");
  } else if (text.starts_with("..")) {
    faults.emplace_back("must not start with '..'");
  }
  return faults;
}

std::vector<std::string> port_name_faults(std::string_view text) {
  std::vector<std::string> faults;
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto allowed = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  if (text.size() > 15) faults.emplace_back("must be no more than 15 characters");
  if (text.empty() || !std::ranges::all_of(text, allowed)) {
    faults.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!std::ranges::any_of(text, is_letter)) faults.emplace_back("must contain at least one letter (a-z)");
  if (text.find("--") != std::string_view::npos) faults.emplace_back("must not contain consecutive hyphens");
  if (text.starts_with('-') || text.ends_with('-')) faults.emplace_back("must not begin or end with a hyphen");
  return faults;
}

std::string dns_label_name(std::string_view name) { return first_of(dns_label_faults(name)); }
std::string dns_1035_name(std::string_view name) { return first_of(dns_1035_label_faults(name)); }
std::string path_segment_name(std::string_view name) {
  if (name == "." || name == "..") return fmt::format("may not be '{}'", name);
  for (const char c : {'/', '%'}) {
    if (name.find(c) != std::string_view::npos) return fmt::format("may not contain '{}'", c);
  }
  return {};
}

void report(std::vector<std::string> sentences, std::string_view value, const At& at, Faults& faults) {
  for (const std::string& sentence : sentences) faults.invalid(at.str(), kube::json_string(value), sentence);
}

void check_dns_label(std::string_view text, const At& at, Faults& faults) {
  if (!kube::is_dns_label(text)) report(dns_label_faults(text), text, at, faults);
}

void check_dns_subdomain(std::string_view text, const At& at, Faults& faults) {
  if (!kube::is_dns_subdomain(text)) report(dns_subdomain_faults(text), text, at, faults);
}

void check_label_key(std::string_view text, const At& at, Faults& faults) {
  if (!kube::is_label_key(text)) report(label_key_faults(text), text, at, faults);
}

void check_label_value(std::string_view text, const At& at, Faults& faults) {
  if (!kube::is_label_value(text)) report(label_value_faults(text), text, at, faults);
}

void check_labels(const StringMap& labels, const At& at, Faults& faults) {
  const bool good = std::ranges::all_of(
      labels, [](const auto& label) { return kube::is_label_key(label.first) && kube::is_label_value(label.second); });
  if (good) return;
  for (const std::string_view key : sorted_keys(labels)) {
    check_label_key(key, at, faults);
    check_label_value(labels.at(std::string(key)), at, faults);
  }
}

void check_annotations(const StringMap& annotations, const At& at, Faults& faults) {
  std::size_t bytes = 0;
  bool good = true;
  for (const auto& [key, value] : annotations) {
    bytes += key.size() + value.size();
    good = good && kube::is_label_key(key);
  }
  if (bytes > kMostAnnotationBytes) faults.too_long(at.str(), static_cast<int>(kMostAnnotationBytes));
  if (good) return;
  for (const std::string_view key : sorted_keys(annotations)) {
    std::string lower(key);  // capitals are allowed in the prefix
    std::ranges::transform(lower, lower.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    report(label_key_faults(lower), key, at, faults);
  }
}

void check_selector(const api::LabelSelector& selector, const At& at, Faults& faults) {
  check_labels(selector.match_labels(), at.child("matchLabels"), faults);
  const At expressions = at.child("matchExpressions");
  for (int i = 0; i < selector.match_expressions_size(); ++i) {
    const auto& expression = selector.match_expressions(i);
    const At here = expressions[i];
    const std::string& op = expression.operator_();
    if (op == "In" || op == "NotIn") {
      if (expression.values().empty()) {
        faults.required(here.child("values").str(), "must be specified when `operator` is 'In' or 'NotIn'");
      }
    } else if (op == "Exists" || op == "DoesNotExist") {
      if (!expression.values().empty()) {
        faults.forbidden(here.child("values").str(),
                         "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
    } else {
      faults.invalid(here.child("operator").str(), kube::json_string(op), "not a valid selector operator");
    }
    check_label_key(expression.key(), here.child("key"), faults);
    const At values = here.child("values");
    for (int j = 0; j < expression.values_size(); ++j) check_label_value(expression.values(j), values[j], faults);
  }
}

}  // namespace rescheduler::sim
