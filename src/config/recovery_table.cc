#include <fmt/format.h>

#include "config/rescheduler_settings.h"
#include "config/tables.h"
#include "kube/config/yaml_reader.h"
#include "kube/value/name.h"
#include "net/http/url.h"

namespace rescheduler::config {
namespace {

using kube::YamlReader;

constexpr int kMostCount = 1000;  // of anything here; a list that long does not fit into an annotation

template <auto Member>
auto mode(Phrase meaning) {
  return word<Member>(
      "mode", {{"off", StrategyMode::Off}, {"observe", StrategyMode::Observe}, {"act", StrategyMode::Act}}, meaning);
}

// --- What counts as failing. ---

const Table& restart_rule_table() {
  using S = RestartRule;
  static const Table table = table_of<S>({
      field<&S::enabled>("enabled", {"it counts", "是否启用"}),
      field<&S::restarts>("restarts", between(1, kMostCount), {"after so many restarts", "重启多少次之后"}),
      field<&S::window>("window", kPositive, {"within so long", "在多长时间内"}),
  });
  return table;
}

const Table& duration_rule_table() {
  static const Table table = table_of<DurationRule>({
      field<&DurationRule::enabled>("enabled", {"it counts", "是否启用"}),
      field<&DurationRule::after>("after", kPositive, {"for so long", "持续多久之后"}),
  });
  return table;
}

const Table& failed_rule_table() {
  static const Table table = table_of<FailedRule>({
      embedded<&FailedRule::rule>(duration_rule_table()),
      field<&FailedRule::reasons>("reasons", {"with one of these reasons", "失败原因属于其中之一"}),
  });
  return table;
}

const Table& rules_table() {
  using S = RecoveryRules;
  static const Table table = table_of<S>({
      section<&S::crash_loop>("crashLoop", restart_rule_table(),
                              {"containers that end again and again", "容器反复退出"}),
      section<&S::init_failure>("initFailure", restart_rule_table(),
                                {"init containers that fail again and again", "初始化容器反复失败"}),
      section<&S::image_pull>("imagePull", duration_rule_table(), {"images that cannot be pulled", "镜像无法拉取"}),
      section<&S::container_error>("containerError", duration_rule_table(),
                                   {"containers that cannot be made", "容器无法创建"}),
      section<&S::stuck_creating>("stuckCreating", duration_rule_table(),
                                  {"pods that do not start", "一直处于创建中的 Pod"}),
      section<&S::failed>("failed", failed_rule_table(), {"pods that failed for good", "彻底失败的 Pod"}),
      section<&S::node_lost>("nodeLost", duration_rule_table(),
                             {"pods on nodes that are not ready", "所在节点未就绪的 Pod"}),
      section<&S::unknown>("unknown", duration_rule_table(), {"pods whose state nobody knows", "状态未知的 Pod"}),
  });
  return table;
}

// --- Nodes. ---

const Table& visited_table() {
  using S = VisitedSettings;
  static const Table table = table_of<S>({
      field<&S::expiry>("expiry", kPositive, {"forgotten after so long", "多久后遗忘"}),
      field<&S::most>("most", between(1, kMostCount),
                      {"so many at most; the oldest go", "最多保留多少个；最旧的先删除"}),
  });
  return table;
}

const Table& quarantine_table() {
  using S = QuarantineSettings;
  static const Table table = table_of<S>({
      mode<&S::mode>({"off, only tell, or keep new pods off", "关闭、仅报告，或不再放置新 Pod"}),
      field<&S::owners>("owners", between(2, kMostCount),
                        {"so many different ones failing on a node make it the node's fault",
                         "多少个不同工作负载失败后认定是节点的问题"}),
      field<&S::window>("window", kPositive, {"within so long", "在多长时间内"}),
      field<&S::expiry>("expiry", kPositive, {"nothing new goes there for so long", "隔离多久"}),
      field<&S::probation>(
          "probation", kPositive,
          {"after that only what finds no better node, for so long", "之后的观察期，仅接收没有更好节点的 Pod"}),
      field<&S::per_zone>(
          "perZone", between(1, kMostCount),
          {"nodes at once in a zone; more is no node's fault", "每个可用区同时隔离的节点数；更多则不是节点的问题"}),
  });
  return table;
}

// --- The webhook. ---

void check_webhook(YamlReader& from, WebhookSettings& webhook) {
  if (!kube::is_dns_subdomain(webhook.name)) {
    from.problem("name", fmt::format("'{}' cannot be an object's name", webhook.name));
  }
  if (!kube::is_dns_label(webhook.service)) {
    from.problem("service", fmt::format("'{}' cannot be a service's name", webhook.service));
  }
  if (!webhook.url.empty()) {
    const auto url = net::parse_url(webhook.url);
    if (!url) from.problem("url", url.error().message);
    if (url && !webhook.url.starts_with("https://")) from.problem("url", "must begin with https://");
    if (from.has("service") || from.has("servicePort")) from.problem("url", "and service exclude each other");
  }
  const bool any = !webhook.certificate_file.empty() || !webhook.key_file.empty() || !webhook.ca_file.empty();
  const bool all = !webhook.certificate_file.empty() && !webhook.key_file.empty() && !webhook.ca_file.empty();
  if (any && !all) from.problem("certificateFile", "certificateFile, keyFile and caFile go together");
}

const Table& webhook_table() {
  using S = WebhookSettings;
  constexpr auto kByService = [](const S& webhook) { return webhook.url.empty(); };
  static const Table table = table_of<S>(
      {
          field<&S::enabled>("enabled", {"serve it, and have it asked", "是否启用"}),
          field<&S::name>("name", {"of the MutatingWebhookConfiguration", "MutatingWebhookConfiguration 的名称"}),
          field<&S::service>("service",
                             {"in front of the port, in our own namespace", "端口前的 Service，在自己的命名空间"})
              .printed_if(kByService),
          field<&S::service_port>("servicePort", between(1, 65535), {"its port", "Service 的端口"})
              .printed_if(kByService),
          field<&S::url>("url", {"instead of the service: how the API server reaches it",
                                 "不用 Service 时 API 服务器访问它的地址"})
              .only_changed(),
          field<&S::port>("port", between(0, 65535),
                          {"where it listens; 0: any free one", "监听端口；0 表示任意空闲端口"}),
          field<&S::certificate_file>("certificateFile", {"with keyFile and caFile; none: made and renewed by itself",
                                                          "与 keyFile、caFile 一起设置；未设置时自动生成并更新"})
              .only_changed(),
          field<&S::key_file>("keyFile", {"its key", "证书私钥文件"}).only_changed(),
          field<&S::ca_file>("caFile", {"its authority", "颁发机构文件"}).only_changed(),
          field<&S::node_affinity>("nodeAffinity",
                                   {"keep pods of other schedulers off those nodes too", "对其他调度器的 Pod 也生效"}),
          // The API server allows a webhook 1 to 30 seconds, and every pod waits for it.
          field<&S::timeout>("timeout", between(std::chrono::seconds{1}, std::chrono::seconds{30}),
                             {"the API server's patience", "API 服务器的等待时间"}),
      },
      check_webhook);
  return table;
}

// --- All of it. ---

void check_recovery(YamlReader& from, RecoverySettings& settings) {
  for (const std::string& name : settings.excluded_namespaces) {
    if (kube::is_dns_label(name)) continue;
    from.problem("excludedNamespaces", fmt::format("'{}' cannot be a namespace's name", name));
  }
}

const Table& recovery_table() {
  using S = RecoverySettings;
  static const Table table = table_of<S>(
      {
          mode<&S::mode>({"off, only tell what would be done, or do it", "关闭、仅报告，或实际执行"}),
          section<&S::rules>("rules", rules_table(), {"what counts as failing", "哪些情况视为异常"}),
          field<&S::healthy_window>("healthyWindow", kPositive,
                                    {"well for so long: counting begins anew", "正常运行多久后重新计数"}),
          field<&S::application_after>(
              "applicationAfter", between(2, kMostCount),
              {"an owner that failed on so many nodes is itself at fault", "在多少个节点上失败后认定是应用自身的问题"}),
          field<&S::most_retries>("mostRetries", between(1, kMostCount),
                                  {"whatever a workload asks for", "工作负载可要求的重试次数上限"}),
          section<&S::visited>("visited", visited_table(), {"nodes a pod failed on", "Pod 失败过的节点"}),
          section<&S::quarantine>("quarantine", quarantine_table(),
                                  {"nodes that fail everybody", "使多个工作负载失败的节点"}),
          field<&S::excluded_namespaces>("excludedNamespaces", {"pods there are left alone", "不处理的命名空间"}),
          section<&S::webhook>("webhook", webhook_table(),
                               {"tells replacements which nodes to avoid", "告诉重建的 Pod 应避开哪些节点"}),
      },
      check_recovery);
  return table;
}

const Table& visiting_table() {
  static const Table table = table_of<placement::PodreschedulingArgs>({
      field<&placement::PodreschedulingArgs::hard>(
          "hard", {"never to a node it failed on; false: such a node only if there is no other",
                   "绝不回到失败过的节点；false 表示没有其他节点时允许"}),
  });
  return table;
}

}  // namespace

const Table& podrescheduling_table() {
  static const Table table = table_of<PodreschedulingSettings>({
      embedded<&PodreschedulingSettings::placing>(visiting_table()),
      section<&PodreschedulingSettings::recovery>("recovery", recovery_table(),
                                                  {"failing pods get another node", "异常 Pod 换节点重建"}),
  });
  return table;
}

}  // namespace rescheduler::config
