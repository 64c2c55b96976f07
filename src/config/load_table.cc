#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "cluster/load_settings.h"
#include "cluster/node_load.h"
#include "config/tables.h"
#include "kube/config/yaml_reader.h"
#include "kube/config/yaml_writer.h"
#include "kube/value/name.h"
#include "net/http/url.h"

namespace rescheduler::config {
namespace {

using cluster::LoadResource;
using cluster::LoadSettings;
using cluster::LoadSource;
using cluster::LoadSourceKind;
using cluster::LoadUnit;
using cluster::NodeMatch;
using cluster::Smoothing;
using cluster::SmoothingKind;
using kube::YamlReader;
using kube::YamlWriter;

constexpr std::size_t kMostFurther = cluster::kMostLoads - cluster::kMemoryLoad - 1;
constexpr Limits kIntervals = at_least(std::chrono::seconds{1});  // load sources do not measure more often
constexpr Limits kTimeouts = at_least(std::chrono::milliseconds{100});

// --- Resources. ---

void check_resource(YamlReader& from, LoadResource& resource) {
  if (resource.name == "cpu" || resource.name == "memory") {
    from.problem("name", fmt::format("{0} is always measured; to change its query, set queries.{0} of a load source",
                                     resource.name));
  } else if (!kube::is_dns_label(resource.name)) {
    from.problem("name", "is required; use lower-case letters, digits and '-'");
  }
  if (resource.query.empty()) from.problem("query", "is required");
}

const Table& resource_table() {
  using S = LoadResource;
  static const Table table = table_of<S>(
      {
          field<&S::name>("name", {"name of the resource: lower-case letters, digits and dashes",
                                   "资源名称：小写字母、数字和短横线"}),
          field<&S::query>("query", {"PromQL query with one value per node", "PromQL 查询，每个节点一个值"}),
          word<&S::unit>("unit", {{"percent", LoadUnit::Percent}, {"fraction", LoadUnit::Fraction}},
                         {"unit of the result of the query: percent (80) or fraction (0.8)",
                          "查询结果的单位：percent（80）或 fraction（0.8）"}),
          field<&S::weight>("weight", between(0, 1),
                            {"weight in the score, relative to cpuScoreWeight and memoryScoreWeight",
                             "评分权重，与 cpuScoreWeight、memoryScoreWeight 并列"}),
          field<&S::threshold>("threshold", kPercentage,
                               {"threshold in percent; a node with a higher load accepts no new pods",
                                "阈值（%）；负载更高的节点不接收新 Pod"}),
      },
      check_resource);
  return table;
}

// --- Smoothing. Only fields with an effect are printed, so that reading the output gives no notes. ---

void check_smoothing(YamlReader& from, Smoothing& smoothing) {
  if (smoothing.kind != SmoothingKind::Ewma && from.has("halfLife")) {
    from.note("halfLife", "has no effect without kind: ewma");
  }
  for (const char* key : {"percentile", "window"}) {
    if (smoothing.kind != SmoothingKind::Percentile && from.has(key)) {
      from.note(key, "has no effect without kind: percentile");
    }
  }
}

const Table& smoothing_table() {
  using S = Smoothing;
  constexpr auto kEwma = [](const S& smoothing) { return smoothing.kind == SmoothingKind::Ewma; };
  constexpr auto kPercentile = [](const S& smoothing) { return smoothing.kind == SmoothingKind::Percentile; };
  static const Table table = table_of<S>(
      {
          word<&S::kind>(
              "kind",
              {{"none", SmoothingKind::None}, {"ewma", SmoothingKind::Ewma}, {"percentile", SmoothingKind::Percentile}},
              {"none: the newest sample; ewma: exponentially weighted moving average; percentile: a percentile of the "
               "samples of a window",
               "none：最新样本；ewma：指数加权移动平均；percentile：窗口内样本的百分位数"}),
          field<&S::half_life>(
              "halfLife", kIntervals,
              {"for ewma: time after which a sample has half of its weight", "用于 ewma：样本权重减半所需的时间"})
              .printed_if(kEwma),
          field<&S::percentile>("percentile", kPercentage,
                                {"for percentile: the percentile to use", "用于 percentile：取哪个百分位数"})
              .printed_if(kPercentile),
          field<&S::window>("window", kIntervals,
                            {"for percentile: length of the window of samples", "用于 percentile：样本窗口的长度"})
              .printed_if(kPercentile),
      },
      check_smoothing);
  return table;
}

// --- Sources. ---

using Matches = std::vector<NodeMatch>;
constexpr std::array<std::pair<std::string_view, NodeMatch>, 3> kMatches = {
    {{"internalIP", NodeMatch::InternalIp}, {"name", NodeMatch::Name}, {"hostname", NodeMatch::Hostname}}};
constexpr std::string_view kMatchWords = "internalIP, name and hostname";

void read_matches(YamlReader& from, std::string_view key, Matches& into) {
  if (!from.has(key)) return;
  std::vector<std::string> words;
  from.read(key, words);
  into.clear();
  for (const std::string& word : words) {
    const auto* const found = std::ranges::find(kMatches, word, [](const auto& match) { return match.first; });
    if (found == kMatches.end()) {
      from.problem(key, fmt::format("'{}' is not a valid value; valid values are {}", word, kMatchWords));
      continue;
    }
    if (std::ranges::find(into, found->second) != into.end()) {
      from.problem(key, fmt::format("'{}' is listed twice", word));
    }
    into.push_back(found->second);
  }
}

void print_matches(const Matches& matches, std::string_view key, YamlWriter& to) {
  std::vector<std::string> words;
  for (const NodeMatch match : matches) {
    words.emplace_back(std::ranges::find(kMatches, match, [](const auto& one) { return one.second; })->first);
  }
  to.field(key, words);
}

using Queries = std::map<std::string, std::string>;

void read_queries(YamlReader& from, std::string_view key, Queries& into) {
  if (!from.has(key)) return;
  for (const auto& [name, member] : from.child(key).members()) into[name] = member.as_string();
}

void print_queries(const Queries& queries, std::string_view key, YamlWriter& to) {
  to.open(key);
  for (const auto& [name, query] : queries) to.field(name, query);
  to.close();
}

void check_queries(YamlReader& from, const std::set<std::string>& resources) {
  if (!from.has("queries")) return;
  for (const auto& [name, member] : from.child("queries").members()) {
    if (!resources.contains(name)) {
      member.problem("is not a known resource; use cpu, memory or a name from load.resources");
    } else if (member.node().text.empty()) {
      member.problem("must not be empty; remove the field to use the default query");
    }
  }
}

bool is_series_label(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text.front())
         && std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// Credentials go only to an address that the configuration names.
void check_search(const YamlReader& from, const LoadSource& source) {
  for (const auto& [key, given] : {std::pair{"caFile", !source.ca_file.empty()},
                                   {"insecureSkipVerify", source.insecure_skip_verify},
                                   {"bearerTokenFile", !source.bearer_token_file.empty()},
                                   {"username", !source.username.empty()},
                                   {"passwordFile", !source.password_file.empty()}}) {
    if (given) from.problem(key, "requires address");
  }
  if (source.namespaces.empty()) from.problem("namespaces", "must not be empty if address is not set");
  for (const std::string& name : source.namespaces) {
    if (!kube::is_dns_label(name)) from.problem("namespaces", fmt::format("'{}' is not a valid namespace name", name));
  }
}

void check_address(YamlReader& from, const LoadSource& source) {
  if (from.has("namespaces")) from.note("namespaces", "has no effect together with address");
  const auto url = net::parse_url(source.address);
  if (!url) return from.problem("address", url.error().message);
  if (!url->query.empty()) from.problem("address", "must not contain a query (?)");
  if (!source.address.starts_with("https://") && (!source.ca_file.empty() || source.insecure_skip_verify)) {
    from.problem("address", "must begin with https:// if caFile or insecureSkipVerify is set");
  }
  if (!source.ca_file.empty() && source.insecure_skip_verify) {
    from.problem("insecureSkipVerify", "must not be set together with caFile");
  }
}

void check_credentials(const YamlReader& from, const LoadSource& source) {
  if (source.username.empty() != source.password_file.empty()) {
    from.problem(source.username.empty() ? "passwordFile" : "username",
                 "username and passwordFile must be given together");
  }
  const bool has_password = !source.username.empty() || !source.password_file.empty();
  if (!source.bearer_token_file.empty() && has_password) {
    from.problem("bearerTokenFile", "must not be set together with username");
  }
  if ((has_password || !source.bearer_token_file.empty()) && source.address.starts_with("http://")) {
    from.note("address", "the credentials are sent unencrypted; use https://");
  }
}

bool is_prometheus(const LoadSource& source) { return source.kind == LoadSourceKind::Prometheus; }
bool is_file(const LoadSource& source) { return source.kind == LoadSourceKind::File; }

void check_source(YamlReader& from, LoadSource& source) {
  if (is_file(source) && source.path.empty()) from.problem("path", "is required");
  if (!is_prometheus(source)) return;
  if (source.address.empty()) {
    check_search(from, source);
  } else {
    check_address(from, source);
    check_credentials(from, source);
  }
  if (!is_series_label(source.instance_label)) from.problem("instanceLabel", "must be a valid Prometheus label name");
  if (!source.node_label.empty() && !kube::is_label_key(source.node_label)) {
    from.problem("nodeLabel", "must be a valid node label key");
  }
  const kube::YamlNode* matches = from.node().find("matchNodeBy");
  if (matches != nullptr && matches->items.empty() && source.match_node_by.empty() && source.node_label.empty()) {
    from.problem("matchNodeBy", "must not be empty if nodeLabel is not set");
  }
}

const Table& source_table() {
  using S = LoadSource;
  static const Table table = table_of<S>(
      {
          word<&S::kind>("kind",
                         {{"prometheus", LoadSourceKind::Prometheus},
                          {"metrics-server", LoadSourceKind::MetricsServer},
                          {"file", LoadSourceKind::File}},
                         {"kind of the load source", "负载来源的类型"})
              .must_be_given(),
          field<&S::address>("address", {"address of Prometheus; empty: the address of its Service, found by name",
                                         "Prometheus 的地址；为空时按名称查找它的 Service"})
              .exists_if(is_prometheus)
              .printed_if([](const S& source) { return !source.address.empty(); }),
          field<&S::namespaces>("namespaces", {"namespaces in which the Service is searched, in this order",
                                               "在这些命名空间中按此顺序查找 Service"})
              .exists_if(is_prometheus)
              .printed_if([](const S& source) { return source.address.empty(); }),
          field<&S::ca_file>("caFile", {"file with the certificate authorities to trust; empty: those of the system",
                                        "信任的证书颁发机构文件；为空时使用系统的"})
              .exists_if(is_prometheus),
          field<&S::insecure_skip_verify>("insecureSkipVerify", {"true: do not verify the certificate of Prometheus",
                                                                 "true：不验证 Prometheus 的证书"})
              .exists_if(is_prometheus),
          field<&S::bearer_token_file>("bearerTokenFile", {"file with the bearer token; not together with username",
                                                           "持有者令牌（bearer token）文件；不能与 username 同时设置"})
              .exists_if(is_prometheus),
          field<&S::username>("username", {"user name for basic authentication; requires passwordFile",
                                           "基本认证的用户名；须同时设置 passwordFile"})
              .exists_if(is_prometheus),
          field<&S::password_file>("passwordFile",
                                   {"file with the password for basic authentication; requires username",
                                    "基本认证的密码文件；须同时设置 username"})
              .exists_if(is_prometheus),
          field<&S::instance_label>("instanceLabel",
                                    {"label of a series that names the node; a port in its value is ignored",
                                     "序列中表示节点的标签；忽略其值中的端口"})
              .exists_if(is_prometheus),
          custom<&S::match_node_by, read_matches, print_matches>(
              "matchNodeBy", {"list of strings", kMatchWords, kMatchWords},
              {"fields of a node that the value of instanceLabel is matched with",
               "instanceLabel 的值与节点的哪些字段匹配"})
              .exists_if(is_prometheus),
          field<&S::node_label>("nodeLabel", {"label of the node that is matched as well; empty: none",
                                              "也匹配节点的这个标签；为空则不匹配标签"})
              .exists_if(is_prometheus),
          field<&S::timeout>("timeout", kTimeouts, {"timeout of one query", "一次查询的超时"}).exists_if(is_prometheus),
          custom<&S::queries, read_queries, print_queries>(
              "queries", {.type = "object"},
              {"PromQL queries by resource; a resource that is not listed has its default query",
               "按资源给出的 PromQL 查询；未列出的资源使用默认查询"})
              .exists_if(is_prometheus)
              .printed_if([](const S& source) { return !source.queries.empty(); }),
          documented<S>("queries.RESOURCE", {.type = "string"},
                        {"PromQL query for this resource; result: one value per node, in percent",
                         "该资源的 PromQL 查询；结果为每个节点一个百分比"}),
          field<&S::path>("path",
                          {"path of the file with time, node and loads", "文件路径；文件内容为时间、节点和负载"})
              .exists_if(is_file),
      },
      check_source);
  return table;
}

// --- The table of `load`. ---

void check_resources(YamlReader& from, const std::vector<LoadResource>& resources) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const std::string& name = resources[i].name;
    const auto here = resources.begin() + static_cast<std::ptrdiff_t>(i);
    if (!kube::is_dns_label(name) || std::ranges::find(resources, name, &LoadResource::name) == here) continue;
    from.items("resources")[i].problem("name", fmt::format("'{}' is listed twice", name));
  }
  if (resources.size() > kMostFurther)
    from.problem("resources", fmt::format("must have at most {} entries", kMostFurther));
}

void check_sources(YamlReader& from, const LoadSettings& load) {
  if (!from.has("sources") || load.sources.empty()) return;
  std::set<std::string> resources{"cpu", "memory"};
  for (const LoadResource& resource : load.resources) resources.insert(resource.name);
  std::vector<YamlReader> items = from.items("sources");
  for (std::size_t i = 0; i < items.size(); ++i) {
    check_queries(items[i], resources);
    const auto here = load.sources.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(load.sources.begin(), here, *here) != here) items[i].problem("is listed twice");
  }
}

void check_load(YamlReader& from, LoadSettings& load) {
  check_resources(from, load.resources);
  check_sources(from, load);
  if (load.freshness < load.interval) {
    from.problem("freshness",
                 "must not be shorter than interval: every sample would be stale before the next one arrives");
  }
  // metrics-server measures CPU and memory only.
  const bool answered = std::ranges::any_of(
      load.sources, [](const LoadSource& source) { return source.kind != LoadSourceKind::MetricsServer; });
  if (!load.resources.empty() && !answered) {
    from.note("resources", "have no effect: none of the load sources can measure them");
  }
}

}  // namespace

const Table& load_table() {
  using S = LoadSettings;
  static const Table table = table_of<S>(
      {
          list<&S::resources>(
              "resources", resource_table(),
              {"resources in addition to cpu and memory; at most 4", "cpu 和 memory 之外的资源；最多 4 个"}),
          field<&S::freshness>("freshness", kIntervals,
                               {"maximum age of a sample; older samples are not used; not shorter than interval",
                                "样本的最大年龄；不使用更旧的样本；不短于 interval"}),
          section<&S::smoothing>("smoothing", smoothing_table(),
                                 {"how the samples of a node are smoothed", "如何平滑节点的样本"}),
          field<&S::interval>("interval", kIntervals,
                              {"time between two readings of the load sources", "两次读取负载来源之间的时间"}),
          list<&S::sources>("sources", source_table(),
                            {"load sources; the first one that answers is used; default: the Prometheus that is found "
                             "by its Service, then metrics-server; []: nodes are judged by requests",
                             "负载来源；使用第一个有应答的来源；默认为按 Service 找到的 Prometheus，其次为 "
                             "metrics-server；[] 表示按资源请求判断节点"}),
      },
      check_load);
  return table;
}

}  // namespace rescheduler::config
