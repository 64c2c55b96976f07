#include <fmt/format.h>

#include "config/rescheduler_settings.h"
#include "config/tables.h"
#include "kube/config/yaml_reader.h"
#include "kube/value/name.h"
#include "net/http/url.h"

namespace rescheduler::config {
namespace {

using kube::YamlReader;

constexpr int kMostCount = 1000;  // for all counts; a longer list does not fit into an annotation

template <auto Member>
auto mode(Phrase meaning) {
  return word<Member>(
      "mode", {{"off", StrategyMode::Off}, {"observe", StrategyMode::Observe}, {"act", StrategyMode::Act}}, meaning);
}

// --- Rules for failing pods. ---

const Table& restart_rule_table() {
  using S = RestartRule;
  static const Table table = table_of<S>({
      field<&S::enabled>("enabled", {"true: the rule is active", "true：启用该规则"}),
      field<&S::restarts>(
          "restarts", between(1, kMostCount),
          {"number of restarts within window after which the pod is failing", "在 window 内重启多少次后视为失败"}),
      field<&S::window>("window", kPositive, {"time in which the restarts are counted", "统计重启次数的时间"}),
  });
  return table;
}

const Table& duration_rule_table() {
  static const Table table = table_of<DurationRule>({
      field<&DurationRule::enabled>("enabled", {"true: the rule is active", "true：启用该规则"}),
      field<&DurationRule::after>(
          "after", kPositive,
          {"time without interruption after which the pod is failing", "不间断地持续这段时间后视为失败"}),
  });
  return table;
}

const Table& failed_rule_table() {
  static const Table table = table_of<FailedRule>({
      embedded<&FailedRule::rule>(duration_rule_table()),
      field<&FailedRule::reasons>("reasons", {"status reasons that count; other reasons are ignored",
                                              "计入的失败原因（status.reason）；忽略其他原因"}),
  });
  return table;
}

const Table& rules_table() {
  using S = RecoveryRules;
  static const Table table = table_of<S>({
      section<&S::crash_loop>("crashLoop", restart_rule_table(),
                              {"containers in CrashLoopBackOff", "处于 CrashLoopBackOff 的容器"}),
      section<&S::init_failure>("initFailure", restart_rule_table(),
                                {"init containers in CrashLoopBackOff", "处于 CrashLoopBackOff 的 Init 容器"}),
      section<&S::image_pull>("imagePull", duration_rule_table(), {"images that cannot be pulled", "镜像无法拉取"}),
      section<&S::container_error>("containerError", duration_rule_table(),
                                   {"containers that cannot be created", "容器无法创建"}),
      section<&S::stuck_creating>(
          "stuckCreating", duration_rule_table(),
          {"pods with a node where no container was ever started", "已有节点、但从未启动过任何容器的 Pod"}),
      section<&S::failed>("failed", failed_rule_table(), {"pods in phase Failed", "阶段为 Failed 的 Pod"}),
      section<&S::node_lost>(
          "nodeLost", duration_rule_table(),
          {"pods that are not ready on nodes that are not ready", "所在节点未就绪、自身也未就绪的 Pod"}),
      section<&S::unknown>("unknown", duration_rule_table(), {"pods in phase Unknown", "阶段为 Unknown 的 Pod"}),
  });
  return table;
}

// --- Nodes. ---

const Table& visited_table() {
  using S = VisitedSettings;
  static const Table table = table_of<S>({
      field<&S::expiry>("expiry", kPositive,
                        {"time after which a visited node is forgotten", "失败过的节点在这段时间后不再记录"}),
      field<&S::most>(
          "most", between(1, kMostCount),
          {"maximum number of visited nodes of one slot, for example one replica; the oldest ones are removed",
           "一个槽位（例如一个副本）最多记录的失败节点数；最旧的先删除"}),
  });
  return table;
}

const Table& quarantine_table() {
  using S = QuarantineSettings;
  static const Table table = table_of<S>({
      mode<&S::mode>(
          {"off; observe: only report which nodes would be quarantined, in the log, events and metrics; act: "
           "the taint rescheduler.io/quarantine keeps new pods off the node",
           "off：关闭；observe：只在日志、事件和指标中报告应当隔离哪些节点；act：用污点 "
           "rescheduler.io/quarantine 阻止新 Pod 调度到该节点"}),
      field<&S::owners>("owners", between(2, kMostCount),
                        {"number of different owners with scheduling-retries whose pods must fail on a node, and on no "
                         "other node, before the node is quarantined",
                         "同一节点上有多少个不同所有者（带 scheduling-retries）的 Pod 只在该节点失败后隔离该节点"}),
      field<&S::window>("window", kPositive, {"time in which the failures are counted", "统计失败的时间"}),
      field<&S::expiry>("expiry", kPositive, {"duration of the quarantine", "隔离的时长"}),
      field<&S::probation>(
          "probation", kPositive,
          {"time after the quarantine in which the node gets new pods only if no better node is feasible",
           "隔离之后的观察期：没有更好的可行节点时才接收新 Pod"}),
      field<&S::per_zone>("perZone", between(1, kMostCount),
                          {"maximum number of quarantined nodes in a zone at the same time; if more nodes fail, the "
                           "nodes are not the cause",
                           "每个可用区同时隔离的节点数上限；更多节点出现失败时，原因不在节点"}),
  });
  return table;
}

// --- The webhook. ---

void check_webhook(YamlReader& from, WebhookSettings& webhook) {
  if (!kube::is_dns_subdomain(webhook.name)) {
    from.problem("name", fmt::format("'{}' is not a valid object name", webhook.name));
  }
  if (!kube::is_dns_label(webhook.service)) {
    from.problem("service", fmt::format("'{}' is not a valid Service name", webhook.service));
  }
  if (!webhook.url.empty()) {
    const auto url = net::parse_url(webhook.url);
    if (!url) from.problem("url", url.error().message);
    if (url && !webhook.url.starts_with("https://")) from.problem("url", "must begin with https://");
    if (url && !url->query.empty()) from.problem("url", "must have no query: the API server refuses such an address");
    if (from.has("service") || from.has("servicePort"))
      from.problem("url", "must not be set together with service or servicePort");
  }
  const bool any = !webhook.certificate_file.empty() || !webhook.key_file.empty() || !webhook.ca_file.empty();
  const bool all = !webhook.certificate_file.empty() && !webhook.key_file.empty() && !webhook.ca_file.empty();
  if (any && !all) from.problem("certificateFile", "certificateFile, keyFile and caFile must be given together");
}

const Table& webhook_table() {
  using S = WebhookSettings;
  constexpr auto kByService = [](const S& webhook) { return webhook.url.empty(); };
  static const Table table = table_of<S>(
      {
          field<&S::enabled>("enabled", {"true: serve the webhook and register it at the API server",
                                         "true：提供 webhook 并在 API 服务器上注册"}),
          field<&S::name>("name", {"name of the MutatingWebhookConfiguration", "MutatingWebhookConfiguration 的名称"}),
          field<&S::service>("service", {"Service of the webhook, in the namespace of rescheduler",
                                         "webhook 的 Service，位于 rescheduler 的命名空间"})
              .printed_if(kByService),
          field<&S::service_port>("servicePort", between(1, 65535), {"port of the Service", "Service 的端口"})
              .printed_if(kByService),
          field<&S::url>("url", {"address of the webhook for the API server, instead of service; the default path is "
                                 "/mutate-pods",
                                 "API 服务器访问 webhook 的地址，代替 service；默认路径为 /mutate-pods"})
              .only_changed(),
          field<&S::port>(
              "port", between(0, 65535),
              {"port that the webhook listens on; 0: any free port", "webhook 监听的端口；0 表示任意空闲端口"}),
          field<&S::certificate_file>("certificateFile",
                                      {"file with the certificate; requires keyFile and caFile; empty: rescheduler "
                                       "creates and renews the certificate",
                                       "证书文件；须同时设置 keyFile 和 caFile；为空时由 rescheduler 创建和更新证书"})
              .only_changed(),
          field<&S::key_file>("keyFile", {"file with the private key of the certificate", "证书的私钥文件"})
              .only_changed(),
          field<&S::ca_file>("caFile", {"file with the certificate authority of the certificate", "证书的颁发机构文件"})
              .only_changed(),
          field<&S::node_affinity>(
              "nodeAffinity",
              {"true: also keep pods of other schedulers off the visited nodes, by a required node affinity",
               "true：对其他调度器的 Pod，也用必需的节点亲和性避开失败过的节点"}),
          // The API server allows 1 to 30 seconds. The creation of every pod waits for the webhook.
          field<&S::timeout>("timeout", between(std::chrono::seconds{1}, std::chrono::seconds{30}),
                             {"time that the API server waits for the webhook", "API 服务器等待 webhook 的时间"}),
      },
      check_webhook);
  return table;
}

// --- The table of `recovery`. ---

void check_recovery(YamlReader& from, RecoverySettings& settings) {
  for (const std::string& name : settings.excluded_namespaces) {
    if (kube::is_dns_label(name)) continue;
    from.problem("excludedNamespaces", fmt::format("'{}' is not a valid namespace name", name));
  }
}

const Table& recovery_table() {
  using S = RecoverySettings;
  static const Table table = table_of<S>(
      {
          mode<&S::mode>({"off; observe: only log and count; act: evict failing pods",
                          "off：关闭；observe：只记录日志和计数；act：驱逐失败的 Pod"}),
          section<&S::rules>("rules", rules_table(),
                             {"rules that decide whether a pod is failing", "判断 Pod 是否失败的规则"}),
          field<&S::healthy_window>(
              "healthyWindow", kPositive,
              {"time of health after which the count of retries is reset", "健康这段时间后重试计数清零"}),
          field<&S::application_after>(
              "applicationAfter", between(2, kMostCount),
              {"number of nodes on which the pods of an owner must fail before it counts as an application fault",
               "同一所有者的 Pod 在多少个节点上失败后判为应用故障"}),
          field<&S::most_retries>(
              "mostRetries", between(1, kMostCount),
              {"upper limit for the annotation scheduling-retries", "注解 scheduling-retries 的上限"}),
          section<&S::visited>("visited", visited_table(),
                               {"visited nodes: nodes where a pod of the same slot failed",
                                "失败过的节点：同一槽位的 Pod 失败过的节点"}),
          section<&S::quarantine>(
              "quarantine", quarantine_table(),
              {"quarantine of nodes where pods of several owners fail", "隔离有多个所有者的 Pod 失败的节点"}),
          field<&S::excluded_namespaces>("excludedNamespaces",
                                         {"pods of these namespaces are not recovered", "不恢复这些命名空间的 Pod"}),
          section<&S::webhook>("webhook", webhook_table(),
                               {"admission webhook that tells replacement pods which nodes to avoid",
                                "告诉替代 Pod 应避开哪些节点的准入 webhook"}),
      },
      check_recovery);
  return table;
}

const Table& visiting_table() {
  static const Table table = table_of<placement::PodreschedulingArgs>({
      field<&placement::PodreschedulingArgs::hard>(
          "hard", {"true: a pod never returns to a node where it failed; false: only if no other node is feasible",
                   "true：Pod 绝不回到失败过的节点；false：没有其他可行节点时才允许"}),
  });
  return table;
}

}  // namespace

const Table& podrescheduling_table() {
  static const Table table = table_of<PodreschedulingSettings>({
      embedded<&PodreschedulingSettings::placing>(visiting_table()),
      section<&PodreschedulingSettings::recovery>("recovery", recovery_table(),
                                                  {"failure recovery: failing pods are evicted and get another node",
                                                   "故障恢复：驱逐失败的 Pod，使其换到其他节点"}),
  });
  return table;
}

}  // namespace rescheduler::config
