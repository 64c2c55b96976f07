#include "config/reference.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/read.h"
#include "config/tables.h"

namespace rescheduler::config {
namespace {

constexpr std::string_view kTop = "KubeSchedulerConfiguration";

// The path of the reference for the path of a value: "profiles[0].plugins.score" becomes "profiles[].plugins.POINT".
std::string general(std::string path) {
  for (auto at = path.find('['); at != std::string::npos; at = path.find('[', at + 1)) {
    path.erase(at + 1, path.find(']', at) - at - 1);
  }
  for (const auto& [before, word] : {std::pair{"profiles[].plugins.", "POINT"}, std::pair{"modes.", "STRATEGY"},
                                     std::pair{"bands.", "RESOURCE"}, std::pair{"queries.", "RESOURCE"}}) {
    const auto found = path.find(before);
    if (found == std::string::npos) continue;
    const auto begin = found + std::string_view(before).size();
    path.replace(begin, std::min(path.find('.', begin), path.size()) - begin, word);
  }
  return path;
}

// Escapes '|', which would end the cell of the table.
std::string cell(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string quoted(std::string_view text) { return text.empty() ? std::string() : fmt::format("`{}`", cell(text)); }

// Translates the words of types and ranges that are not code.
std::string translated(std::string text, Language language) {
  if (language == Language::English) return text;
  for (const auto& [english, chinese] :
       {std::pair{"list of strings", "字符串列表"}, std::pair{"list", "列表"}, std::pair{"string", "字符串"},
        std::pair{"boolean", "布尔值"}, std::pair{"integer", "整数"},
        std::pair{"number or a percentage", "数字或百分比"}, std::pair{"number", "数字"}, std::pair{"duration", "时长"},
        std::pair{"word", "枚举"}, std::pair{"amount", "数量"}, std::pair{"object", "对象"},
        std::pair{"at least ", "至少 "}, std::pair{"above ", "大于 "}, std::pair{" to ", " 至 "},
        std::pair{" and ", "、"}, std::pair{"such as ", "例如 "}, std::pair{"a 数字", "数字"}}) {
    const auto found = text.find(english);
    if (found != std::string::npos) text.replace(found, std::string_view(english).size(), chinese);
  }
  return text;
}

}  // namespace

const Phrase* meaning_of(std::string_view path) {
  std::string section(kTop);
  const auto plugin = path.find(".pluginConfig[");
  const auto args = path.find("].args.");
  if (plugin != std::string_view::npos && args != std::string_view::npos && plugin < args) {
    const auto begin = path.find('[', plugin) + 1;
    section = path.substr(begin, args - begin);
    path.remove_prefix(args + std::string_view("].args.").size());
  }
  static const std::vector<ReferenceField> fields = reference_fields(default_catalog());
  const std::string generally = general(std::string(path));
  const auto found = std::ranges::find_if(
      fields, [&](const ReferenceField& field) { return field.section == section && field.path == generally; });
  return found == fields.end() ? nullptr : &found->meaning;
}

std::vector<ReferenceField> reference_fields(const PluginCatalog& catalog) {
  std::vector<ReferenceField> all;
  add_reference(head_table(), kTop, all);
  add_reference(tail_table(), kTop, all);
  for (const KnownPlugin& plugin : catalog) {
    if (plugin.args.table != nullptr) add_reference(*plugin.args.table, plugin.name, all);
  }
  return all;
}

std::string reference_page(const PluginCatalog& catalog, Language language) {
  const bool chinese = language == Language::Chinese;
  std::string page = chinese
                         ? "# 配置参考\n\n[English](configuration.md) · [说明与示例](../configuration.zh-CN.md)\n\n"
                           "由 `make reference` "
                           "根据程序自身的读取代码生成，请勿手工修改。类型、默认值和取值范围就是程序读取时所用的。\n"
                         : "# Configuration reference\n\n[中文](configuration.zh-CN.md) · [explained, with "
                           "examples](../configuration.md)\n\n"
                           "Written by `make reference` from the program's own reader; do not edit. Types, defaults "
                           "and ranges are those that "
                           "it reads by.\n";
  std::string section;
  for (const ReferenceField& field : reference_fields(catalog)) {
    if (field.section != section) {
      section = field.section;
      page += fmt::format("\n## {}\n\n", section);
      page += chinese ? "| 字段 | 类型 | 默认值 | 取值范围 | 含义 |\n|---|---|---|---|---|\n"
                      : "| field | type | default | range | meaning |\n|---|---|---|---|---|\n";
    }
    page += fmt::format("| `{}` | {} | {} | {} | {} |\n", cell(field.path), translated(field.type, language),
                        quoted(field.usual), cell(translated(field.range, language)), cell(field.meaning.in(language)));
  }
  return page;
}

std::map<std::string, Origin> value_origins(std::string_view text,
                                            std::string_view file_name,
                                            const RunOptions& options) {
  std::map<std::string, Origin> origins;
  for (const std::string& path : values_in(text, file_name)) origins[path] = Origin::File;
  const auto beats = [&](bool given, const char* path) {
    if (given) origins[path] = Origin::Flag;
  };
  beats(options.leader_elect.has_value(), "leaderElection.leaderElect");
  beats(options.leader_elect_lease_duration.has_value(), "leaderElection.leaseDuration");
  beats(options.leader_elect_renew_deadline.has_value(), "leaderElection.renewDeadline");
  beats(options.leader_elect_retry_period.has_value(), "leaderElection.retryPeriod");
  beats(options.leader_elect_resource_lock.has_value(), "leaderElection.resourceLock");
  beats(options.leader_elect_resource_name.has_value(), "leaderElection.resourceName");
  beats(options.leader_elect_resource_namespace.has_value(), "leaderElection.resourceNamespace");
  if (!options.config.empty()) return origins;  // the other flags have an effect only without a file
  beats(options.kubeconfig.has_value(), "clientConnection.kubeconfig");
  beats(options.kube_api_qps.has_value(), "clientConnection.qps");
  beats(options.kube_api_burst.has_value(), "clientConnection.burst");
  beats(options.kube_api_content_type.has_value(), "clientConnection.contentType");
  beats(options.profiling.has_value(), "enableProfiling");
  return origins;
}

}  // namespace rescheduler::config
