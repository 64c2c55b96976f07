#include "dashboard/settings_view.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "dashboard/json.h"
#include "kube/config/yaml.h"
#include "scheduler/config/effective.h"
#include "scheduler/config/read.h"

namespace rescheduler::dashboard {
namespace {

using kube::YamlKind;
using kube::YamlNode;
using Rows = std::vector<std::pair<std::string, std::string>>;  // in the order of the text

// Short lists stay one value; what has a name is found by it rather than by its place.
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
    const YamlNode* name = node.items[i].find("name");
    if (name == nullptr) name = node.items[i].find("schedulerName");
    const std::string place = name != nullptr ? name->text : fmt::to_string(i);
    flatten(node.items[i], fmt::format("{}[{}]", path, place), rows);
  }
}

// An address may carry a password: "http://user:password@host".
std::string without_credentials(std::string value) {
  const auto scheme = value.find("://");
  if (scheme == std::string::npos) return value;
  const auto begin = scheme + 3;
  const auto end = std::min(value.find_first_of("/, ", begin), value.size());
  const auto at = value.rfind('@', end);
  if (at == std::string::npos || at < begin) return value;
  return value.replace(begin, at - begin, "...");
}

Rows rows_of(const scheduler::Configuration& configuration, const scheduler::PluginCatalog& catalog) {
  Rows rows;
  const auto tree = kube::parse_yaml(scheduler::effective_configuration(configuration, catalog), "configuration");
  if (tree) flatten(*tree, "", rows);
  return rows;
}

}  // namespace

std::string settings_json(const scheduler::Configuration& configuration,
                          const scheduler::PluginCatalog& catalog,
                          const std::string& file,
                          bool flags) {
  std::map<std::string, std::string> usual;
  for (const auto& [path, value] : rows_of(scheduler::default_configuration(catalog), catalog)) usual[path] = value;
  const auto row = [&](const auto& one) {
    const auto& [path, value] = one;
    const auto found = usual.find(path);
    const bool by_flag = file.empty() || (flags && path.starts_with("leaderElection."));
    const std::string_view origin = found != usual.end() && found->second == value ? "default"
                                    : by_flag && (flags || !file.empty())          ? "flag"
                                    : file.empty()                                 ? "unknown"
                                                                                   : "file";
    return fmt::format(R"({{"path":{},"value":{},"origin":"{}","meaning":""}})", quoted(path),
                       quoted(without_credentials(value)), origin);
  };
  return fmt::format(R"({{"rows":{},"file":{}}})", array(rows_of(configuration, catalog), row), quoted_or_null(file));
}

}  // namespace rescheduler::dashboard
