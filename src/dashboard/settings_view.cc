#include "dashboard/settings_view.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "config/effective.h"
#include "config/read.h"
#include "config/reference.h"
#include "kube/codec/json_words.h"
#include "kube/config/yaml.h"

namespace rescheduler::dashboard {
namespace {

using kube::YamlKind;
using kube::YamlNode;
using Rows = std::vector<std::pair<std::string, std::string>>;  // in the order of the text

// An item with a name is addressed by its name, not by its index.
std::string place_of(const YamlNode& item, std::size_t index) {
  const YamlNode* name = item.find("name");
  if (name == nullptr) name = item.find("schedulerName");
  return name != nullptr ? name->text : fmt::to_string(index);
}

// A list of scalars stays one value.
void flatten(const YamlNode& node, const std::string& path, Rows& rows) {
  if (node.kind == YamlKind::Map) {
    if (node.entries.empty()) rows.emplace_back(path, "{}");
    for (const kube::YamlEntry& entry : node.entries) {
      flatten(entry.value, path.empty() ? entry.key : fmt::format("{}.{}", path, entry.key), rows);
    }
    return;
  }
  if (node.kind != YamlKind::Sequence) {
    rows.emplace_back(path, node.text);
    return;
  }
  bool plain = true;
  std::string joined;
  for (const YamlNode& item : node.items) {
    plain = plain && item.kind == YamlKind::Scalar;
    joined += fmt::format("{}{}", joined.empty() ? "" : ", ", item.text);
  }
  if (plain) {
    rows.emplace_back(path, joined);
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    flatten(node.items[i], fmt::format("{}[{}]", path, place_of(node.items[i], i)), rows);
  }
}

// A URL can contain a password: "http://user:password@host". A value can be a list of URLs.
std::string without_credentials(std::string value) {
  for (auto scheme = value.find("://"); scheme != std::string::npos; scheme = value.find("://", scheme + 3)) {
    const auto begin = scheme + 3;
    const auto end = std::min(value.find_first_of("/, ", begin), value.size());
    const auto at = value.rfind('@', end);
    if (at != std::string::npos && at >= begin) value.replace(begin, at - begin, "...");
  }
  return value;
}

Rows rows_of(const config::Configuration& configuration, const config::PluginCatalog& catalog) {
  Rows rows;
  const auto tree = kube::parse_yaml(config::effective_configuration(configuration, catalog), "configuration");
  if (tree) flatten(*tree, "", rows);
  // The type of the arguments follows from the name of the plugin.
  std::erase_if(rows, [](const auto& row) {
    return row.first.ends_with(".args.apiVersion") || row.first.ends_with(".args.kind");
  });
  return rows;
}

// Translates a path of a file, "profiles[0].pluginConfig[1].args.a", into the form of flatten().
std::string by_names(const YamlNode& file, std::string_view path) {
  std::string named;
  const YamlNode* at = &file;
  while (!path.empty()) {
    const bool in_list = path.front() == '[';
    const auto end = in_list ? path.find(']') + 1 : std::min(path.find_first_of(".[", 1), path.size());
    std::string_view piece = path.substr(0, end);
    path.remove_prefix(end);
    if (in_list) {
      std::size_t index = 0;
      std::from_chars(piece.data() + 1, piece.data() + piece.size(), index);
      const bool there = at != nullptr && index < at->items.size();
      named += fmt::format("[{}]", there ? place_of(at->items[index], index) : fmt::to_string(index));
      at = there ? &at->items[index] : nullptr;
      continue;
    }
    named += piece;
    if (piece.starts_with('.')) piece.remove_prefix(1);
    if (at != nullptr) at = at->find(piece);
  }
  return named;
}

std::map<std::string, std::string_view> origins_of(const config::RunOptions& options, std::string_view text) {
  std::map<std::string, std::string_view> origins;
  const auto file = kube::parse_yaml(text, options.config);
  if (!file) return origins;
  for (const auto& [path, origin] : config::value_origins(text, options.config, options)) {
    origins[by_names(*file, path)] = origin == config::Origin::Flag ? "flag" : "file";
  }
  return origins;
}

// The defaults of a profile do not depend on its name.
std::string of_any_profile(std::string path) {
  constexpr std::string_view kProfile = "profiles[";
  if (!path.starts_with(kProfile)) return path;
  const auto end = std::min(path.find(']'), path.size());
  return path.replace(kProfile.size(), end - kProfile.size(), "");
}

}  // namespace

std::string settings_json(const config::Configuration& configuration,
                          const config::PluginCatalog& catalog,
                          const config::RunOptions& options,
                          std::string_view text,
                          std::string_view otherwise) {
  std::map<std::string, std::string> usual;
  for (const auto& [path, value] : rows_of(config::default_configuration(catalog), catalog)) {
    usual[of_any_profile(path)] = value;
  }
  const auto origins = origins_of(options, text);
  const auto row = [&](const auto& one) {
    const auto& [path, value] = one;
    const auto listed = origins.find(path);
    const auto found = usual.find(of_any_profile(path));
    const bool is_usual = found != usual.end() && found->second == value;
    const std::string_view origin = listed != origins.end() ? listed->second : is_usual ? "default" : otherwise;
    const Phrase* meaning = config::meaning_of(path);
    return fmt::format(R"({{"path":{},"value":{},"origin":"{}","meaning":{{"en":{},"zh":{}}}}})",
                       kube::json_string(path), kube::json_string(without_credentials(value)), origin,
                       kube::json_string(meaning == nullptr ? "" : meaning->english),
                       kube::json_string(meaning == nullptr ? "" : meaning->chinese));
  };
  return fmt::format(R"({{"rows":{},"file":{}}})", kube::json_array(rows_of(configuration, catalog), row),
                     kube::json_string_or_null(options.config));
}

}  // namespace rescheduler::dashboard
