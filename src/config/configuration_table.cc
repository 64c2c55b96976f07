// The fields of KubeSchedulerConfiguration itself. What stands in `profiles` is read by read_profiles.cc; here it is
// only described.
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

constexpr std::int64_t kLongestBackoff = 24 * 3600;  // seconds; whoever wants a pod to wait longer has a gate for it

// --- Zero or nothing is "not said" here, as for kube-scheduler. ---

void check_election(YamlReader& from, LeaderElection& election) {
  if (const auto fault = fault_of(election)) from.problem(fault->field, fault->what);
}

const Table& election_table() {
  using S = LeaderElection;
  static const Table table = table_of<S>(
      {
          field<&S::leader_elect>("leaderElect", {"only the holder of the lease acts", "只有租约持有者行动"}),
          field<&S::lease_duration>("leaseDuration", kPositive,
                                    {"after so long without renewal another may take the lease; whole seconds",
                                     "租约多久未续即可被接管；须为整秒"})
              .zero_is_unset(),
          field<&S::renew_deadline>(
              "renewDeadline", kPositive,
              {"the holder gives up after failing to renew for so long; shorter than leaseDuration",
               "持有者续约失败多久后放弃；须短于 leaseDuration"})
              .zero_is_unset(),
          field<&S::retry_period>("retryPeriod", kPositive,
                                  {"between two tries; renewDeadline is more than 1.2 times as long",
                                   "两次尝试的间隔；renewDeadline 须大于它的 1.2 倍"})
              .zero_is_unset(),
          field<&S::resource_lock>("resourceLock", {"leases; nothing else exists", "只能是 leases"}).zero_is_unset(),
          field<&S::resource_name>("resourceName", {"name of the lease", "租约名称"}).zero_is_unset(),
          field<&S::resource_namespace>("resourceNamespace", {"namespace of the lease, and of what is kept beside it",
                                                              "租约及其相关对象所在的命名空间"})
              .zero_is_unset(),
      },
      check_election);
  return table;
}

void check_connection(YamlReader& from, ClientConnection& connection) {
  if (!connection.accept_content_types.empty()) {
    from.note("acceptContentTypes", "has no effect here: protobuf is asked for wherever the server knows it");
  }
  if (connection.content_type == "application/json") {
    from.note("contentType", "has no effect here: protobuf is spoken wherever the server knows it");
  } else if (connection.content_type != "application/vnd.kubernetes.protobuf") {
    from.problem("contentType", "must be application/vnd.kubernetes.protobuf or application/json");
  }
}

const Table& connection_table() {
  using S = ClientConnection;
  static const Table table = table_of<S>(
      {
          field<&S::kubeconfig>("kubeconfig", {"file; empty: $KUBECONFIG, in-cluster, ~/.kube/config",
                                               "文件；为空时依次使用 $KUBECONFIG、集群内配置、~/.kube/config"}),
          field<&S::accept_content_types>("acceptContentTypes",
                                          {"no effect: protobuf is asked for wherever the server knows it",
                                           "无作用：服务器支持时总是使用 protobuf"}),
          field<&S::content_type>(
              "contentType",
              {"protobuf or application/json; no effect: protobuf is spoken wherever the server knows it",
               "protobuf 或 application/json；无作用：服务器支持时总是使用 protobuf"})
              .zero_is_unset(),
          field<&S::qps>("qps", {"requests a second; 0: the default; negative: no limit",
                                 "每秒请求数；0 表示默认值；负数表示不限"})
              .zero_is_unset(),
          field<&S::burst>("burst", {"requests in a burst; 0: the default", "突发请求数；0 表示默认值"})
              .zero_is_unset(),
      },
      check_connection);
  return table;
}

void check_head(YamlReader& from, Configuration& configuration) {
  if (from.has("parallelism")) from.note("parallelism", "has no effect here: one thread decides where pods go");
  for (const char* key : {"enableProfiling", "enableContentionProfiling"}) {
    if (from.has(key)) from.note(key, "has no effect here: there is no profiler of Go's to serve");
  }
  if (!from.has("enableContentionProfiling")) {
    configuration.enable_contention_profiling = configuration.enable_profiling;
  }
  const auto first = configuration.pod_initial_backoff.count();
  const auto most = configuration.pod_max_backoff.count();
  if (most >= first) return;
  from.problem(from.has("podMaxBackoffSeconds") ? "podMaxBackoffSeconds" : "podInitialBackoffSeconds",
               fmt::format("the longest back-off ({}s) must not be shorter than the first ({}s)", most, first));
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

// What stands in for the key can be read back, and is the same each time.
void print_secret(const kube::Secret& secret, std::string_view key, YamlWriter& to) {
  to.field(key, kube::base64_encode(secret.empty() ? "" : "[not shown]"));
}

void check_tls(YamlReader& from, ExtenderTls& tls) {
  const bool has_ca = !tls.ca_file.empty() || !tls.ca_data.empty();
  const bool has_cert = !tls.cert_file.empty() || !tls.cert_data.empty();
  const bool has_key = !tls.key_file.empty() || !tls.key_data.empty();
  if (has_cert != has_key) from.problem("a client certificate and its key go together");
  if (tls.insecure && has_ca) from.problem("insecure", "and an authority to trust exclude each other");
}

const Table& tls_table() {
  using S = ExtenderTls;
  constexpr Described kBytes{.type = "string"};
  static const Table table = table_of<S>(
      {
          field<&S::insecure>("insecure", {"do not check its certificate", "不验证其证书"}),
          field<&S::server_name>("serverName", {"name to check instead of the host's", "验证时使用的名称"}),
          field<&S::cert_file>("certFile", {"our certificate", "客户端证书文件"}),
          field<&S::key_file>("keyFile", {"its key", "客户端证书的私钥文件"}),
          field<&S::ca_file>("caFile", {"whom to trust", "信任的证书颁发机构文件"}),
          custom<&S::cert_data, read_bytes, print_bytes>("certData", kBytes,
                                                         {"the certificate itself, base64", "证书内容，base64"}),
          custom<&S::key_data, read_secret, print_secret>(
              "keyData", kBytes, {"the key itself, base64; never shown", "私钥内容，base64；不会显示"}),
          custom<&S::ca_data, read_bytes, print_bytes>("caData", kBytes,
                                                       {"the authority itself, base64", "颁发机构内容，base64"}),
      },
      check_tls);
  return table;
}

// Kubernetes' own resources (cpu, hugepages-2Mi, kubernetes.io/...) cannot be an extender's.
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
          field<&S::name>("name", {"an extended resource", "扩展资源名称"}),
          field<&S::ignored_by_scheduler>("ignoredByScheduler", {"NodeResourcesFit leaves it to the extender",
                                                                 "NodeResourcesFit 不检查它，交由扩展器处理"}),
      },
      check_managed);
  return table;
}

void check_extender(YamlReader& from, Extender& extender) {
  if (!extender.url_prefix.starts_with("http://") && !extender.url_prefix.starts_with("https://")) {
    from.problem("urlPrefix", "must be given and begin with http:// or https://");
  }
  if (!extender.prioritize_verb.empty() && extender.weight <= 0) {
    from.problem("weight", "must be greater than zero where there is a prioritizeVerb");
  }
}

const Table& extender_table() {
  using S = Extender;
  static const Table table = table_of<S>(
      {
          field<&S::url_prefix>("urlPrefix", {"where it is, http:// or https://", "服务地址，http:// 或 https://"}),
          field<&S::filter_verb>("filterVerb", {"path of the call that refuses nodes; empty: it is not asked",
                                                "过滤节点的调用路径；为空则不调用"}),
          field<&S::preempt_verb>("preemptVerb", {"path of the call about victims", "抢占调用的路径"}),
          field<&S::prioritize_verb>("prioritizeVerb", {"path of the call that scores nodes", "打分调用的路径"}),
          field<&S::weight>(
              "weight", between(0, std::numeric_limits<std::int32_t>::max()),
              {"of its scores; above 0 where there is a prioritizeVerb", "打分权重；设置 prioritizeVerb 时须大于 0"}),
          field<&S::bind_verb>("bindVerb", {"path of the call that binds; one extender at most has it",
                                            "绑定调用的路径；最多一个扩展器可设置"}),
          field<&S::enable_https>("enableHTTPS", {"speak HTTPS", "使用 HTTPS"}),
          section<&S::tls>("tlsConfig", tls_table(), {"its TLS", "TLS 设置"}),
          field<&S::http_timeout>("httpTimeout", kNotNegative, {"its patience; 0: the default", "超时；0 表示默认值"})
              .zero_is_unset(),
          field<&S::node_cache_capable>("nodeCacheCapable", {"it knows nodes by name", "它可按名称识别节点"}),
          list<&S::managed_resources>("managedResources", managed_table(),
                                      {"only pods that ask for one of these are its business; none: all are",
                                       "只处理请求了这些资源的 Pod；为空则处理全部"})
              .only_changed(),
          field<&S::ignorable>("ignorable", {"a failure of it fails nothing", "它出错时不影响调度"}),
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
      items[i].items("managedResources")[j].problem("name", "is managed already, by this extender or another");
    }
    if (extender.bind_verb.empty()) continue;
    if (has_binder) items[i].problem("bindVerb", "only one extender can bind, and another one does");
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
          documented<S>("kind", kName, {"KubeSchedulerConfiguration", "必须为 KubeSchedulerConfiguration"}),
          field<&S::parallelism>("parallelism", at_least(1),
                                 {"no effect: one thread decides", "无作用：由单个线程决策"}),
          section<&S::leader_election>("leaderElection", election_table(),
                                       {"who acts where several replicas run", "多副本时由谁行动"}),
          section<&S::client_connection>("clientConnection", connection_table(),
                                         {"how the API server is reached", "如何连接 API 服务器"}),
          field<&S::enable_profiling>("enableProfiling", {"no effect: there is no profiler of Go's to serve",
                                                          "无作用：没有 Go 的性能分析端点"}),
          field<&S::enable_contention_profiling>("enableContentionProfiling", {"no effect", "无作用"}),
          field<&S::percentage_of_nodes_to_score>(
              "percentageOfNodesToScore", between(0, 100),
              {"how much of the cluster is looked at for a pod; 0: fewer, the larger the cluster",
               "为一个 Pod 查看多少比例的节点；0 表示集群越大比例越小"}),
          field<&S::pod_initial_backoff>("podInitialBackoffSeconds", between(1, kLongestBackoff),
                                         {"first wait of a pod that found no node", "未找到节点的 Pod 的首次等待"}),
          field<&S::pod_max_backoff>("podMaxBackoffSeconds", between(1, kLongestBackoff),
                                     {"longest wait; not shorter than the first", "最长等待；不短于首次等待"}),
          documented<S>("profiles", kList,
                        {"one for each scheduler name; none: one with every default",
                         "每个调度器名称一个；没有时使用全默认的一个"}),
          documented<S>("profiles[].schedulerName", kName,
                        {"pods ask for it in spec.schedulerName; rescheduler-scheduler where there is one profile",
                         "Pod 通过 spec.schedulerName 指定；只有一个 profile 时默认为 rescheduler-scheduler"}),
          documented<S>("profiles[].percentageOfNodesToScore", {"integer", "0", "0 to 100"},
                        {"instead of that of the file", "覆盖文件级的同名字段"}),
          documented<S>("profiles[].plugins", kObject,
                        {"which plugins run at which point", "哪些插件在哪个扩展点运行"}),
          documented<S>(
              "profiles[].plugins.POINT", kObject,
              {"preEnqueue, queueSort, preFilter, filter, postFilter, preScore, score, reserve, permit, "
               "preBind, bind, postBind, or multiPoint for all",
               "扩展点：preEnqueue、queueSort、preFilter、filter、postFilter、preScore、score、reserve、permit、"
               "preBind、bind、postBind，或代表全部的 multiPoint"}),
          documented<S>("profiles[].plugins.POINT.enabled", kList, {"plugins added there", "在此启用的插件"}),
          documented<S>("profiles[].plugins.POINT.enabled[].name", kName, {"the plugin", "插件名称"}),
          documented<S>("profiles[].plugins.POINT.enabled[].weight", kWeight,
                        {"of its score; 0 is 1, of Rescheduler 5", "打分权重；0 表示 1，Rescheduler 为 5"}),
          documented<S>("profiles[].plugins.POINT.disabled", kList, {"plugins taken away there", "在此禁用的插件"}),
          documented<S>("profiles[].plugins.POINT.disabled[].name", kName,
                        {"the plugin; \"*\": all that the point does not name itself",
                         "插件名称；\"*\" 表示该扩展点未自行列出的全部插件"}),
          documented<S>("profiles[].plugins.POINT.disabled[].weight", kWeight, {"no effect", "无作用"}),
          documented<S>("profiles[].pluginConfig", kList,
                        {"settings of plugins, once for each", "插件参数，每个插件一次"}),
          documented<S>("profiles[].pluginConfig[].name", kName, {"the plugin", "插件名称"}),
          documented<S>("profiles[].pluginConfig[].args", kObject,
                        {"its settings, see its section below; may carry apiVersion and kind",
                         "插件的参数，见下方各节；可带 apiVersion 和 kind"}),
      },
      check_head);
  return table;
}

const Table& tail_table() {
  using S = Configuration;
  static const Table table = table_of<S>(
      {
          list<&S::extenders>("extenders", extender_table(), {"HTTP services with a say", "参与决策的 HTTP 服务"})
              .only_changed(),
          field<&S::delay_cache_until_active>("delayCacheUntilActive",
                                              {"watch nothing before holding the lease", "持有租约之前不监听任何资源"}),
          documented<S>("healthzBindAddress", {.type = "string"},
                        {"of v1beta3; no effect: health is answered on the secure port",
                         "仅 v1beta3；无作用：健康检查在安全端口上"}),
          documented<S>("metricsBindAddress", {.type = "string"},
                        {"of v1beta3; no effect: metrics are answered on the secure port",
                         "仅 v1beta3；无作用：指标在安全端口上"}),
      },
      check_tail);
  return table;
}

}  // namespace rescheduler::config
