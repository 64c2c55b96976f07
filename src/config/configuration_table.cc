// The fields of KubeSchedulerConfiguration itself. read_profiles.cc reads `profiles`; this file only documents its
// fields.
#include <limits>
#include <set>

#include <fmt/format.h>

#include "config/configuration.h"
#include "config/read.h"
#include "config/tables.h"
#include "kube/config/yaml_writer.h"
#include "kube/value/base64.h"
#include "kube/value/name.h"

namespace rescheduler::config {
namespace {

using kube::YamlReader;
using kube::YamlWriter;

constexpr std::int64_t kLongestBackoff = 24 * 3600;  // seconds; scheduling gates are for pods that must wait longer

// --- Leader election and client connection. As in kube-scheduler, 0 or an empty value means the default. ---

void check_election(YamlReader& from, LeaderElection& election) {
  if (const auto fault = fault_of(election)) from.problem(fault->field, fault->what);
}

const Table& election_table() {
  using S = LeaderElection;
  static const Table table = table_of<S>(
      {
          field<&S::leader_elect>("leaderElect",
                                  {"true: only the replica that holds the lease schedules and moves pods",
                                   "true：只有持有租约的副本调度和迁移 Pod"}),
          field<&S::lease_duration>(
              "leaseDuration", kPositive,
              {"time without renewal after which another replica can take the lease; whole seconds",
               "租约超过这段时间未续约，其他副本即可接管；须为整秒"})
              .zero_is_unset(),
          field<&S::renew_deadline>("renewDeadline", kPositive,
                                    {"time without a successful renewal after which the leader gives up the lease; "
                                     "shorter than leaseDuration",
                                     "续约持续失败这段时间后，Leader 放弃租约；须短于 leaseDuration"})
              .zero_is_unset(),
          field<&S::retry_period>("retryPeriod", kPositive,
                                  {"time between two attempts to get or renew the lease; renewDeadline must be more "
                                   "than 1.2 times this value",
                                   "两次获取或续约租约之间的时间；renewDeadline 须大于它的 1.2 倍"})
              .zero_is_unset(),
          field<&S::resource_lock>("resourceLock",
                                   {"type of the lock object; leases is the only value", "锁对象的类型；只能是 leases"})
              .zero_is_unset(),
          field<&S::resource_name>("resourceName", {"name of the lease", "租约名称"}).zero_is_unset(),
          field<&S::resource_namespace>("resourceNamespace",
                                        {"namespace of the lease and of the ConfigMaps and Secrets of rescheduler",
                                         "租约以及 rescheduler 的 ConfigMap 和 Secret 所在的命名空间"})
              .zero_is_unset(),
      },
      check_election);
  return table;
}

void check_connection(YamlReader& from, ClientConnection& connection) {
  if (!connection.accept_content_types.empty()) {
    from.note("acceptContentTypes",
              "has no effect here: rescheduler requests protobuf where the API server supports it");
  }
  if (connection.content_type == "application/json") {
    from.note("contentType", "has no effect here: rescheduler sends protobuf where the API server supports it");
  } else if (connection.content_type != "application/vnd.kubernetes.protobuf") {
    from.problem("contentType", "must be application/vnd.kubernetes.protobuf or application/json");
  }
}

const Table& connection_table() {
  using S = ClientConnection;
  static const Table table = table_of<S>(
      {
          field<&S::kubeconfig>("kubeconfig",
                                {"path of the kubeconfig file; empty: $KUBECONFIG, then the in-cluster configuration, "
                                 "then ~/.kube/config",
                                 "kubeconfig 文件路径；为空时依次使用 $KUBECONFIG、集群内配置、~/.kube/config"}),
          field<&S::accept_content_types>(
              "acceptContentTypes",
              {"no effect: protobuf is used where the server supports it", "无作用：服务器支持时总是使用 protobuf"}),
          field<&S::content_type>(
              "contentType",
              {"application/vnd.kubernetes.protobuf or application/json; no effect: protobuf is used where the server "
               "supports it",
               "application/vnd.kubernetes.protobuf 或 application/json；无作用：服务器支持时总是使用 protobuf"})
              .zero_is_unset(),
          field<&S::qps>("qps", {"maximum requests per second; 0: the default; negative: no limit",
                                 "每秒请求数上限；0 表示默认值；负数表示不限"})
              .zero_is_unset(),
          field<&S::burst>("burst", {"maximum requests in a burst; 0: the default", "突发请求数上限；0 表示默认值"})
              .zero_is_unset(),
      },
      check_connection);
  return table;
}

void check_head(YamlReader& from, Configuration& configuration) {
  if (from.has("parallelism"))
    from.note("parallelism", "has no effect here: one thread makes all scheduling decisions");
  for (const char* key : {"enableProfiling", "enableContentionProfiling"}) {
    if (from.has(key)) from.note(key, "has no effect here: this program has no Go profiler");
  }
  if (!from.has("enableContentionProfiling")) {
    configuration.enable_contention_profiling = configuration.enable_profiling;
  }
  const auto first = configuration.pod_initial_backoff.count();
  const auto most = configuration.pod_max_backoff.count();
  if (most >= first) return;
  from.problem(
      from.has("podMaxBackoffSeconds") ? "podMaxBackoffSeconds" : "podInitialBackoffSeconds",
      fmt::format("podMaxBackoffSeconds ({}) must not be less than podInitialBackoffSeconds ({})", most, first));
}

// --- Extenders. ---

void read_bytes(YamlReader& from, std::string_view key, std::string& into) {
  std::string text;
  from.read(key, text);
  auto bytes = kube::base64_decode(text);
  if (!bytes) return from.problem(key, "must be base64");
  into = std::move(*bytes);
}

void print_bytes(const std::string& bytes, std::string_view key, YamlWriter& to) {
  to.field(key, kube::base64_encode(bytes));
}

void read_secret(YamlReader& from, std::string_view key, kube::Secret& into) {
  std::string bytes;
  read_bytes(from, key, bytes);
  into = kube::Secret(std::move(bytes));
}

// The replacement of the key is valid base64, so that the output can be read back, and is always the same.
void print_secret(const kube::Secret& secret, std::string_view key, YamlWriter& to) {
  to.field(key, kube::base64_encode(secret.empty() ? "" : "[not shown]"));
}

void check_tls(YamlReader& from, ExtenderTls& tls) {
  const bool has_ca = !tls.ca_file.empty() || !tls.ca_data.empty();
  const bool has_cert = !tls.cert_file.empty() || !tls.cert_data.empty();
  const bool has_key = !tls.key_file.empty() || !tls.key_data.empty();
  if (has_cert != has_key) from.problem("the client certificate and its key must be given together");
  if (tls.insecure && has_ca) from.problem("insecure", "must not be set together with a certificate authority");
}

const Table& tls_table() {
  using S = ExtenderTls;
  constexpr Described kBytes{.type = "string"};
  static const Table table = table_of<S>(
      {
          field<&S::insecure>("insecure",
                              {"true: do not verify the certificate of the extender", "true：不验证 extender 的证书"}),
          field<&S::server_name>("serverName",
                                 {"server name to verify in the certificate, instead of the host of urlPrefix",
                                  "验证证书时使用的服务器名称，代替 urlPrefix 中的主机名"}),
          field<&S::cert_file>("certFile", {"file with the client certificate", "客户端证书文件"}),
          field<&S::key_file>("keyFile",
                              {"file with the private key of the client certificate", "客户端证书的私钥文件"}),
          field<&S::ca_file>("caFile", {"file with the certificate authorities to trust", "信任的证书颁发机构文件"}),
          custom<&S::cert_data, read_bytes, print_bytes>(
              "certData", kBytes,
              {"content of the client certificate, base64 of PEM; has priority over certFile",
               "客户端证书内容，PEM 的 base64；优先于 certFile"}),
          custom<&S::key_data, read_secret, print_secret>(
              "keyData", kBytes,
              {"content of the private key, base64 of PEM; has priority over keyFile; never shown",
               "私钥内容，PEM 的 base64；优先于 keyFile；不会显示"}),
          custom<&S::ca_data, read_bytes, print_bytes>(
              "caData", kBytes,
              {"content of the certificate authorities, base64 of PEM; has priority over caFile",
               "证书颁发机构内容，PEM 的 base64；优先于 caFile"}),
      },
      check_tls);
  return table;
}

// An extender cannot manage the resources of Kubernetes itself (cpu, hugepages-2Mi, kubernetes.io/...).
bool is_extended_resource(std::string_view name) {
  return kube::is_label_key(name) && name.find('/') != std::string_view::npos
         && name.find("kubernetes.io/") == std::string_view::npos && !name.starts_with("requests.")
         && kube::is_label_key(fmt::format("requests.{}", name));
}

void check_managed(YamlReader& from, ManagedResource& resource) {
  if (!is_extended_resource(resource.name)) {
    from.problem("name", "must be an extended resource, such as example.com/gpu");
  }
}

const Table& managed_table() {
  using S = ManagedResource;
  static const Table table = table_of<S>(
      {
          field<&S::name>("name", {"name of an extended resource", "扩展资源名称"}),
          field<&S::ignored_by_scheduler>("ignoredByScheduler", {"true: NodeResourcesFit does not check this resource",
                                                                 "true：NodeResourcesFit 不检查该资源"}),
      },
      check_managed);
  return table;
}

void check_extender(YamlReader& from, Extender& extender) {
  if (!extender.url_prefix.starts_with("http://") && !extender.url_prefix.starts_with("https://")) {
    from.problem("urlPrefix", "is required and must begin with http:// or https://");
  }
  if (!extender.prioritize_verb.empty() && extender.weight <= 0) {
    from.problem("weight", "must be greater than zero if prioritizeVerb is set");
  }
}

const Table& extender_table() {
  using S = Extender;
  static const Table table = table_of<S>(
      {
          field<&S::url_prefix>("urlPrefix", {"address of the extender; begins with http:// or https://",
                                              "extender 的地址；以 http:// 或 https:// 开头"}),
          field<&S::filter_verb>("filterVerb", {"path of the filter call; empty: the extender does not filter nodes",
                                                "过滤调用的路径；为空则该 extender 不过滤节点"}),
          field<&S::preempt_verb>("preemptVerb",
                                  {"path of the preempt call, which selects the victims of a preemption; empty: the "
                                   "extender takes no part in preemption",
                                   "抢占调用的路径，用于选择被抢占的 Pod；为空则该 extender 不参与抢占"}),
          field<&S::prioritize_verb>("prioritizeVerb",
                                     {"path of the prioritize call; empty: the extender does not score nodes",
                                      "评分调用的路径；为空则该 extender 不评分"}),
          field<&S::weight>("weight", between(0, std::numeric_limits<std::int32_t>::max()),
                            {"weight of the scores of the extender; must be above 0 with a prioritizeVerb",
                             "extender 评分的权重；设置 prioritizeVerb 时须大于 0"}),
          field<&S::bind_verb>(
              "bindVerb",
              {"path of the bind call; only one extender can have it; empty: the extender does not bind pods",
               "绑定调用的路径；只有一个 extender 可以设置；为空则该 extender 不绑定 Pod"}),
          field<&S::enable_https>("enableHTTPS", {"true: use HTTPS", "true：使用 HTTPS"}),
          section<&S::tls>("tlsConfig", tls_table(),
                           {"TLS settings of the connection to the extender", "与 extender 连接的 TLS 设置"}),
          field<&S::http_timeout>("httpTimeout", kNotNegative,
                                  {"timeout of a call; 0: the default", "一次调用的超时；0 表示默认值"})
              .zero_is_unset(),
          field<&S::node_cache_capable>("nodeCacheCapable",
                                        {"true: the extender caches nodes; calls carry only the names of nodes",
                                         "true：extender 自己缓存节点；调用只携带节点名称"}),
          list<&S::managed_resources>(
              "managedResources", managed_table(),
              {"extended resources; the extender is called only for pods that request one of them; empty: for all pods",
               "扩展资源；只有请求了其中之一的 Pod 才调用该 extender；为空则对所有 Pod 调用"})
              .only_changed(),
          field<&S::ignorable>("ignorable", {"true: scheduling continues without the extender if a call fails",
                                             "true：调用失败时，忽略该 extender 并继续调度"}),
      },
      check_extender);
  return table;
}

void check_tail(YamlReader& from, Configuration& configuration) {
  if (configuration.extenders.empty()) return;
  std::set<std::string> managed;
  bool has_binder = false;
  std::vector<YamlReader> items = from.items("extenders");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Extender& extender = configuration.extenders[i];
    for (std::size_t j = 0; j < extender.managed_resources.size(); ++j) {
      const std::string& name = extender.managed_resources[j].name;
      if (!is_extended_resource(name) || managed.insert(name).second) continue;
      items[i].items("managedResources")[j].problem("name",
                                                    "is listed twice; an extended resource can have only one extender");
    }
    if (extender.bind_verb.empty()) continue;
    if (has_binder)
      items[i].problem("bindVerb", "only one extender can have a bindVerb, and another extender already has one");
    has_binder = true;
  }
}

}  // namespace

const Table& head_table() {
  using S = Configuration;
  constexpr Described kObject{.type = "object"};
  constexpr Described kList{.type = "list"};
  constexpr Described kName{.type = "string"};
  constexpr Described kWeight{"integer", "0", "at least 0"};
  static const Table table = table_of<S>(
      {
          documented<S>("apiVersion", kName,
                        {"kubescheduler.config.k8s.io/v1, or the older v1beta3",
                         "kubescheduler.config.k8s.io/v1，或较旧的 v1beta3"}),
          documented<S>("kind", kName, {"must be KubeSchedulerConfiguration", "必须为 KubeSchedulerConfiguration"}),
          field<&S::parallelism>("parallelism", at_least(1),
                                 {"no effect: one thread makes all decisions", "无作用：所有决定由一个线程做出"}),
          section<&S::leader_election>(
              "leaderElection", election_table(),
              {"election of the replica that schedules and moves pods", "选举负责调度和迁移 Pod 的副本"}),
          section<&S::client_connection>("clientConnection", connection_table(),
                                         {"connection to the API server", "与 API 服务器的连接"}),
          field<&S::enable_profiling>("enableProfiling", {"no effect: the Go profiler does not exist in this program",
                                                          "无作用：本程序没有 Go 的性能分析端点"}),
          field<&S::enable_contention_profiling>("enableContentionProfiling", {"no effect", "无作用"}),
          field<&S::percentage_of_nodes_to_score>(
              "percentageOfNodesToScore", between(0, 100),
              {"percentage of nodes to consider for a pod; 0: as in kube-scheduler, a smaller percentage in a larger "
               "cluster",
               "为一个 Pod 考虑的节点百分比；0 与 kube-scheduler 相同：集群越大百分比越小"}),
          field<&S::pod_initial_backoff>(
              "podInitialBackoffSeconds", between(1, kLongestBackoff),
              {"first backoff of an unschedulable pod, in seconds", "不可调度的 Pod 的首次退避时间（秒）"}),
          field<&S::pod_max_backoff>(
              "podMaxBackoffSeconds", between(1, kLongestBackoff),
              {"longest backoff of an unschedulable pod, in seconds; not shorter than podInitialBackoffSeconds",
               "不可调度的 Pod 的最长退避时间（秒）；不短于 podInitialBackoffSeconds"}),
          documented<S>("profiles", kList,
                        {"one profile per scheduler name; empty: one profile with all defaults",
                         "每个调度器名称一个 profile；为空时使用一个全部为默认值的 profile"}),
          documented<S>(
              "profiles[].schedulerName", kName,
              {"the profile schedules pods with this name in spec.schedulerName; default with one profile: "
               "rescheduler-scheduler",
               "该 profile 调度 spec.schedulerName 为此名称的 Pod；只有一个 profile 时默认为 rescheduler-scheduler"}),
          documented<S>("profiles[].percentageOfNodesToScore", {"integer", "0", "0 to 100"},
                        {"overrides percentageOfNodesToScore of the file", "覆盖文件级的 percentageOfNodesToScore"}),
          documented<S>("profiles[].plugins", kObject,
                        {"plugins to enable and disable at each extension point", "在各扩展点启用和禁用的插件"}),
          documented<S>("profiles[].plugins.POINT", kObject,
                        {"extension point: preEnqueue, queueSort, preFilter, filter, postFilter, preScore, score, "
                         "reserve, permit, preBind, bind, postBind, or multiPoint for all extension points",
                         "扩展点：preEnqueue、queueSort、preFilter、filter、postFilter、preScore、score、reserve、"
                         "permit、preBind、bind、postBind，或代表全部扩展点的 multiPoint"}),
          documented<S>("profiles[].plugins.POINT.enabled", kList,
                        {"plugins to enable at this extension point", "在该扩展点启用的插件"}),
          documented<S>("profiles[].plugins.POINT.enabled[].name", kName, {"name of the plugin", "插件名称"}),
          documented<S>("profiles[].plugins.POINT.enabled[].weight", kWeight,
                        {"weight of the score of the plugin; 0 means 1, for Rescheduler 5",
                         "插件评分的权重；0 表示 1，Rescheduler 为 5"}),
          documented<S>("profiles[].plugins.POINT.disabled", kList,
                        {"plugins to disable at this extension point", "在该扩展点禁用的插件"}),
          documented<S>("profiles[].plugins.POINT.disabled[].name", kName,
                        {"name of the plugin; \"*\": all plugins that the extension point does not enable itself",
                         "插件名称；\"*\" 表示该扩展点没有自行启用的全部插件"}),
          documented<S>("profiles[].plugins.POINT.disabled[].weight", kWeight, {"no effect", "无作用"}),
          documented<S>("profiles[].pluginConfig", kList,
                        {"settings of plugins, at most one entry per plugin", "插件的设置，每个插件最多一项"}),
          documented<S>("profiles[].pluginConfig[].name", kName, {"name of the plugin", "插件名称"}),
          documented<S>("profiles[].pluginConfig[].args", kObject,
                        {"settings of the plugin, see its section below; can have apiVersion and kind",
                         "插件的设置，见下方各节；可以带 apiVersion 和 kind"}),
      },
      check_head);
  return table;
}

const Table& tail_table() {
  using S = Configuration;
  static const Table table = table_of<S>(
      {
          list<&S::extenders>(
              "extenders", extender_table(),
              {"extenders: HTTP services that take part in scheduling", "extender：参与调度的 HTTP 服务"})
              .only_changed(),
          field<&S::delay_cache_until_active>(
              "delayCacheUntilActive",
              {"true: start no informers before the replica holds the lease", "true：副本持有租约之前不启动 informer"}),
          documented<S>("healthzBindAddress", {.type = "string"},
                        {"v1beta3 only; no effect: the secure port serves health checks",
                         "仅 v1beta3；无作用：健康检查由安全端口提供"}),
          documented<S>(
              "metricsBindAddress", {.type = "string"},
              {"v1beta3 only; no effect: the secure port serves metrics", "仅 v1beta3；无作用：指标由安全端口提供"}),
      },
      check_tail);
  return table;
}

}  // namespace rescheduler::config
