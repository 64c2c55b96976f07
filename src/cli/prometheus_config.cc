#include "cli/prometheus_config.h"

#include <fmt/core.h>

#include "kube/codec/json_scalars.h"

namespace rescheduler::cli {
namespace {

// JSON strings are YAML strings, whatever is in them.
std::string quoted(const std::string& text) {
  std::string out;
  kube::append_json_string(out, text);
  return out;
}

}  // namespace

std::string prometheus_config(const PrometheusWishes& wishes) {
  const std::size_t address = wishes.url.find("://");
  const std::string scheme = wishes.url.substr(0, address);
  std::string text = fmt::format(
      "# Scrapes the nodes of an embedded cluster (rescheduler sim). Its clock must run at normal speed (--speed 1):\n"
      "# Prometheus divides by the time of its own.\n"
      "global:\n"
      "  scrape_interval: 1s\n"
      "scrape_configs:\n"
      "  - job_name: embedded-nodes\n"
      "    scheme: {}\n",
      scheme);
  if (!wishes.ca_path.empty()) text += fmt::format("    tls_config:\n      ca_file: {}\n", quoted(wishes.ca_path));
  text += fmt::format(
      "    kubernetes_sd_configs:\n"
      "      - role: node\n"
      "        kubeconfig_file: {}\n"
      "    relabel_configs:\n"
      "      # Not the kubelet itself, but its metrics through the API server; and the node's name instead of an "
      "address.\n"
      "      - target_label: __address__\n"
      "        replacement: {}\n"
      "      - source_labels: [__meta_kubernetes_node_name]\n"
      "        target_label: __metrics_path__\n"
      "        replacement: /api/v1/nodes/$1/proxy/metrics\n"
      "      - source_labels: [__meta_kubernetes_node_name]\n"
      "        target_label: instance\n",
      quoted(wishes.kubeconfig_path), quoted(wishes.url.substr(address + 3)));
  return text;
}

}  // namespace rescheduler::cli
