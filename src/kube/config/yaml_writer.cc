#include "kube/config/yaml_writer.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "kube/codec/json_scalars.h"

namespace rescheduler::kube {
namespace {

// Some YAML parsers still read these words as booleans or null.
constexpr std::array<std::string_view, 9> kLoadedWords = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_plain(std::string_view value) {
  if (value.empty() || !(is_letter(value.front()) || value.front() == '/')) return false;
  std::string lower(value);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (!is_letter(c) && std::string_view("0123456789._/-").find(c) == std::string_view::npos) return false;
  }
  return std::ranges::find(kLoadedWords, lower) == kLoadedWords.end();
}

}  // namespace

std::string YamlWriter::scalar(std::string_view value) {
  if (is_plain(value)) return std::string(value);
  std::string quoted;
  append_json_string(quoted, value);
  return quoted;
}

void YamlWriter::line(std::string_view key, std::string_view value) {
  std::string indent(static_cast<std::size_t>(depth_) * 2, ' ');
  if (dash_) indent[indent.size() - 2] = '-';
  dash_ = false;
  text_ += fmt::format("{}{}:{}{}\n", indent, scalar(key), value.empty() ? "" : " ", value);
}

void YamlWriter::field(std::string_view key, double value) { line(key, fmt::format("{}", value)); }

void YamlWriter::field(std::string_view key, const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += (list.empty() ? "" : ", ") + scalar(value);
  line(key, "[" + list + "]");
}

void YamlWriter::open(std::string_view key) {
  line(key, "");
  ++depth_;
}

void YamlWriter::item() { dash_ = true; }

void YamlWriter::close() { --depth_; }

}  // namespace rescheduler::kube
