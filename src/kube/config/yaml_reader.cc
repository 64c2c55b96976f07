#include "kube/config/yaml_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace rescheduler::kube {
namespace {

constexpr std::size_t kMostReported = 20;  // about one screen; the user corrects these first

bool all_of(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

constexpr std::string_view kDigits = "0123456789";

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return text;
}

bool is_integer(std::string_view text) {
  if (text.starts_with("0x")) return all_of(text.substr(2), "0123456789abcdefABCDEF");
  if (text.starts_with("0o")) return all_of(text.substr(2), "01234567");
  return all_of(without_sign(text), kDigits);
}

// [-+]? ( \. digits | digits ( \. digits* )? ) ( [eE] [-+]? digits )?  or the names of infinity and NaN
bool is_float(std::string_view text) {
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return true;
  text = without_sign(text);
  if (text == ".inf" || text == ".Inf" || text == ".INF") return true;
  if (const auto exponent = text.find_first_of("eE"); exponent != std::string_view::npos) {
    if (!all_of(without_sign(text.substr(exponent + 1)), kDigits)) return false;
    text = text.substr(0, exponent);
  }
  const auto point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view part = point == std::string_view::npos ? std::string_view{} : text.substr(point + 1);
  if (whole.empty()) return all_of(part, kDigits);
  return all_of(whole, kDigits) && (part.empty() || all_of(part, kDigits));
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  int base = 10;
  std::string digits;
  if (text.starts_with("0x") || text.starts_with("0o")) {
    base = text[1] == 'x' ? 16 : 8;
    digits = text.substr(2);
  } else {
    digits = std::string(negative ? "-" : "") + std::string(without_sign(text));
  }
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (problem != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_float(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string_view name_of(const YamlNode& node) {
  switch (node.kind) {
    case YamlKind::Null: return "nothing";
    case YamlKind::Sequence: return "a list";
    case YamlKind::Map: return "a map";
    case YamlKind::Scalar: break;
  }
  switch (scalar_type(node)) {
    case ScalarType::Null: return "nothing";
    case ScalarType::Bool: return "a truth value";
    case ScalarType::Integer:
    case ScalarType::Float: return "a number";
    case ScalarType::String: return "a string";
  }
  return "something else";
}

YamlRemark remark(const YamlNode& at, std::string_view path, std::string_view what) {
  return {at.line, at.column, path.empty() ? std::string(what) : fmt::format("{}: {}", path, what)};
}

const YamlNode& nothing() {
  static const YamlNode node;
  return node;
}

}  // namespace

ScalarType scalar_type(const YamlNode& node) {
  if (node.kind == YamlKind::Null) return ScalarType::Null;
  if (node.kind != YamlKind::Scalar || node.quoted) return ScalarType::String;
  const std::string_view text = node.text;
  if (text == "true" || text == "True" || text == "TRUE") return ScalarType::Bool;
  if (text == "false" || text == "False" || text == "FALSE") return ScalarType::Bool;
  if (is_integer(text)) return ScalarType::Integer;
  if (is_float(text)) return ScalarType::Float;
  return ScalarType::String;
}

std::optional<bool> bool_value(const YamlNode& node) {
  if (scalar_type(node) != ScalarType::Bool) return std::nullopt;
  return node.text.front() == 't' || node.text.front() == 'T';
}

std::optional<std::int64_t> integer_value(const YamlNode& node) {
  if (scalar_type(node) != ScalarType::Integer) return std::nullopt;
  return parse_integer(node.text);
}

std::optional<double> float_value(const YamlNode& node) {
  const ScalarType type = scalar_type(node);
  if (type != ScalarType::Integer && type != ScalarType::Float) return std::nullopt;
  return parse_float(node.text);
}

void YamlProblems::add(const YamlNode& at, std::string_view path, std::string_view what) {
  remarks_.push_back(remark(at, path, what));
  sentences_.push_back(fmt::format("line {}, column {}: {}", at.line, at.column, remarks_.back().text));
}

void YamlProblems::add_note(const YamlNode& at, std::string_view path, std::string_view what) {
  notes_.push_back(remark(at, path, what));
}

Error YamlProblems::error() const {
  std::string text;
  for (std::size_t i = 0; i < std::min(sentences_.size(), kMostReported); ++i) {
    if (i > 0) text += "; ";
    text += sentences_[i];
  }
  if (sentences_.size() > kMostReported) text += fmt::format("; and {} more", sentences_.size() - kMostReported);
  return Error{Errc::Invalid, fmt::format("{}: {}", file_name_, text)};
}

YamlReader::YamlReader(const YamlNode& node, YamlProblems& problems, std::string path)
    : node_(&node), problems_(&problems), path_(std::move(path)) {}

std::string YamlReader::path_of(std::string_view field) const {
  return path_.empty() ? std::string(field) : fmt::format("{}.{}", path_, field);
}

const YamlNode* YamlReader::look_up(std::string_view field) {
  if (std::ranges::find(known_, field) == known_.end()) {
    // Reports only once, at the first read, that this node is not a map.
    if (known_.empty() && node_->kind != YamlKind::Map && node_->kind != YamlKind::Null) {
      problem(fmt::format("expected a map, found {}", name_of(*node_)));
    }
    known_.emplace_back(field);
  }
  const YamlNode* found = node_->find(field);
  return found != nullptr && found->kind == YamlKind::Null ? nullptr : found;
}

bool YamlReader::read_string(const YamlNode& node, const std::string& path, std::string& into) const {
  if (node.kind != YamlKind::Scalar || scalar_type(node) != ScalarType::String) {
    const bool quoting_helps = node.kind == YamlKind::Scalar;
    problems_->add(
        node, path,
        fmt::format("expected a string, found {}{}", name_of(node), quoting_helps ? "; put it in quotes" : ""));
    return false;
  }
  into = node.text;
  return true;
}

void YamlReader::read(std::string_view field, std::string& into) {
  if (const YamlNode* found = look_up(field)) (void)read_string(*found, path_of(field), into);  // problem is recorded
}

void YamlReader::read(std::string_view field, bool& into) {
  const YamlNode* found = look_up(field);
  if (found == nullptr) return;
  if (const auto value = bool_value(*found)) {
    into = *value;
  } else {
    problems_->add(*found, path_of(field), fmt::format("expected true or false, found {}", name_of(*found)));
  }
}

void YamlReader::read(std::string_view field, std::int64_t& into, std::int64_t least, std::int64_t most) {
  const YamlNode* found = look_up(field);
  if (found == nullptr) return;
  if (scalar_type(*found) != ScalarType::Integer) {
    problems_->add(*found, path_of(field), fmt::format("expected a whole number, found {}", name_of(*found)));
    return;
  }
  const auto value = integer_value(*found);
  if (!value || *value < least || *value > most) {
    problems_->add(*found, path_of(field), fmt::format("must be between {} and {}", least, most));
    return;
  }
  into = *value;
}

void YamlReader::read(std::string_view field, double& into) {
  const YamlNode* found = look_up(field);
  if (found == nullptr) return;
  const ScalarType type = scalar_type(*found);
  if (type != ScalarType::Integer && type != ScalarType::Float) {
    problems_->add(*found, path_of(field), fmt::format("expected a number, found {}", name_of(*found)));
    return;
  }
  const auto value = float_value(*found);
  if (!value) {
    problems_->add(*found, path_of(field), "must be a finite decimal number");
    return;
  }
  into = *value;
}

void YamlReader::read(std::string_view field, std::vector<std::string>& into) {
  if (has(field)) into = child(field).as_strings();
}

bool YamlReader::has(std::string_view field) { return look_up(field) != nullptr; }

YamlReader YamlReader::child(std::string_view field) {
  const YamlNode* found = look_up(field);
  return YamlReader(found != nullptr ? *found : nothing(), *problems_, path_of(field));
}

std::vector<YamlReader> YamlReader::items(std::string_view field) {
  std::vector<YamlReader> readers;
  const YamlNode* found = look_up(field);
  if (found == nullptr) return readers;
  if (found->kind != YamlKind::Sequence) {
    problems_->add(*found, path_of(field), fmt::format("expected a list, found {}", name_of(*found)));
    return readers;
  }
  for (std::size_t i = 0; i < found->items.size(); ++i) {
    readers.emplace_back(found->items[i], *problems_, fmt::format("{}[{}]", path_of(field), i));
  }
  return readers;
}

std::vector<std::pair<std::string, YamlReader>> YamlReader::members() {
  std::vector<std::pair<std::string, YamlReader>> readers;
  if (node_->kind != YamlKind::Map && node_->kind != YamlKind::Null) {
    problem(fmt::format("expected a map, found {}", name_of(*node_)));
  }
  for (const YamlEntry& entry : node_->entries) {
    known_.push_back(entry.key);
    readers.emplace_back(entry.key, YamlReader(entry.value, *problems_, path_of(entry.key)));
  }
  return readers;
}

std::string YamlReader::as_string() const {
  std::string text;
  (void)read_string(*node_, path_, text);  // problem is recorded
  return text;
}

std::vector<std::string> YamlReader::as_strings() const {
  std::vector<std::string> texts;
  if (node_->kind != YamlKind::Sequence) {
    problem(fmt::format("expected a list of strings, found {}", name_of(*node_)));
    return texts;
  }
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    std::string text;
    if (read_string(node_->items[i], fmt::format("{}[{}]", path_, i), text)) texts.push_back(std::move(text));
  }
  return texts;
}

void YamlReader::refuse_unknown_fields() const {
  for (const YamlEntry& entry : node_->entries) {
    if (std::ranges::find(known_, entry.key) != known_.end()) continue;
    YamlNode place;
    place.line = entry.line;
    place.column = entry.column;
    problems_->add(place, path_of(entry.key), "unknown field");
  }
}

void YamlReader::problem(std::string_view field, std::string_view what) const {
  const YamlNode* found = node_->find(field);
  problems_->add(found != nullptr ? *found : *node_, path_of(field), what);
}

void YamlReader::note(std::string_view field, std::string_view what) const {
  const YamlNode* found = node_->find(field);
  problems_->add_note(found != nullptr ? *found : *node_, path_of(field), what);
}

}  // namespace rescheduler::kube
