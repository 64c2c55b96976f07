#include "config/document.h"

#include <charconv>
#include <vector>

#include <fmt/core.h>

namespace rescheduler::config {
namespace {

using kube::YamlEntry;
using kube::YamlKind;
using kube::YamlNode;

constexpr std::string_view kKind = "KubeSchedulerConfiguration";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string_view trimmed(std::string_view line) {
  const auto begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  const auto end = line.find_last_not_of(" \r");
  return line.substr(begin, end + 1 - begin);
}

// The number of columns by which the lines of a block scalar are indented in the file. Empty if the lines in the file
// differ from the content, because of quotes or folding.
std::optional<std::size_t> indent_of(const std::vector<std::string_view>& content,
                                     const std::vector<std::string_view>& file,
                                     std::size_t first) {
  std::optional<std::size_t> indent;
  for (std::size_t i = 0; i < content.size(); ++i) {
    if (trimmed(content[i]).empty()) continue;
    if (first + i >= file.size() || trimmed(file[first + i]) != trimmed(content[i])) return std::nullopt;
    if (content[i].starts_with("---") || content[i].starts_with("...") || content[i].starts_with('%')) return 0;
    if (!indent) indent = file[first + i].find_first_not_of(' ') - content[i].find_first_not_of(' ');
  }
  return indent;
}

std::string at_its_place(const YamlNode& scalar, std::string_view text) {
  const std::vector<std::string_view> content = lines_of(scalar.text);
  const auto line =
      static_cast<std::size_t>(scalar.line);  // line numbers start at 1, so this is the index of the line after the '|'
  const auto indent = indent_of(content, lines_of(text), line);
  std::string placed(indent ? line : line - 1, '\n');
  for (const std::string_view one : content) {
    if (!one.empty()) placed.append(indent.value_or(0), ' ');
    placed.append(one).push_back('\n');
  }
  return placed;
}

int number_after(std::string_view text, std::string_view word) {
  int number = 1;
  const auto at = text.find(word);
  if (at == std::string_view::npos) return number;
  (void)std::from_chars(text.data() + at + word.size(), text.data() + text.size(), number);  // stays 1 without a number
  return number;
}

}  // namespace

kube::YamlRemark remark_of(const Error& syntax_error, std::string_view file_name) {
  std::string_view message = syntax_error.message;
  if (message.starts_with(file_name)) message.remove_prefix(file_name.size());
  if (message.starts_with(": ")) message.remove_prefix(2);
  if (!message.starts_with("line ")) return {1, 1, std::string(message)};
  const auto end = message.find(": ");
  const std::string_view place = message.substr(0, end);
  const std::string_view what = end == std::string_view::npos ? message : message.substr(end + 2);
  return {number_after(place, "line "), number_after(place, "column "), std::string(what)};
}

bool is_config_map(const YamlNode& document) {
  const YamlNode* kind = document.find("kind");
  if (kind != nullptr) return kind->text == "ConfigMap";
  const YamlNode* data = document.find("data");
  return data != nullptr && data->kind == YamlKind::Map;
}

std::optional<std::string> embedded_configuration(const YamlNode& config_map,
                                                  std::string_view text,
                                                  kube::YamlProblems& problems) {
  const YamlNode* data = config_map.find("data");
  std::vector<const YamlEntry*> files;
  std::vector<const YamlEntry*> configurations;
  if (data != nullptr) {
    for (const YamlEntry& entry : data->entries) {
      if (entry.value.kind != YamlKind::Scalar) continue;
      files.push_back(&entry);
      if (entry.value.text.find(kKind) != std::string::npos) configurations.push_back(&entry);
    }
  }
  const auto& candidates = configurations.empty() ? files : configurations;
  if (candidates.size() != 1) {
    problems.add(data != nullptr ? *data : config_map, "data",
                 fmt::format("exactly one file must be a {}, found {}", kKind, configurations.size()));
    return std::nullopt;
  }
  return at_its_place(candidates.front()->value, text);
}

}  // namespace rescheduler::config
