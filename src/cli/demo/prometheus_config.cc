#include "cli/demo/prometheus_config.h"

#include <algorithm>

#include <fmt/core.h>

#include "kube/codec/json_scalars.h"

namespace rescheduler::cli {
namespace {

// Every JSON string is also a YAML string.
std::string in_quotes(std::string_view text) {
  std::string out;
  kube::append_json_string(out, text);
  return out;
}

}  // namespace

std::string prometheus_config(const std::string& url, const std::string& ca_path) {
  const auto tls = [&ca_path](std::string_view indent) {
    return ca_path.empty() ? std::string()
                           : fmt::format("{0}tls_config:\n{0}  ca_file: {1}\n", indent, in_quotes(ca_path));
  };
  return fmt::format(
      "# Scrapes every node of an embedded cluster (rescheduler sim).\n"
      "global:\n"
      "  scrape_interval: 1s\n"
      "scrape_configs:\n"
      "  - job_name: embedded-nodes\n"
      "    scheme: {}\n"
      "{}"
      "    http_sd_configs:\n"
      "      - url: {}\n"
      "        refresh_interval: 5s\n"
      "{}",
      url.substr(0, url.find("://")), tls("    "), in_quotes(url + std::string(kPrometheusTargetsPath)),
      tls("        "));
}

std::string prometheus_targets(const std::string& url, const std::vector<std::string>& nodes, bool timed) {
  const std::string address = url.substr(url.find("://") + 3);
  std::string text = "[";
  // The label metrics_path distinguishes the two targets of a node, as in kube-prometheus.
  const auto add = [&](const std::string& node, std::string_view page) {
    // Through the API server, as for every client without access to the nodes.
    const std::string path = timed ? fmt::format("{}{}{}", kTimedMetricsPrefix, node, page)
                                   : fmt::format("/api/v1/nodes/{}/proxy{}", node, page);
    text +=
        fmt::format(R"({}{{"targets":[{}],"labels":{{"__metrics_path__":{},"instance":{},"metrics_path":{}}}}})",
                    text.size() > 1 ? "," : "", in_quotes(address), in_quotes(path), in_quotes(node), in_quotes(page));
  };
  for (const std::string& node : nodes) {
    add(node, "/metrics");
    add(node, "/metrics/cadvisor");
  }
  return text + "]\n";
}

std::string with_time(std::string_view exposition, std::int64_t milliseconds) {
  const std::string time = fmt::format(" {}", milliseconds);
  std::string text;
  text.reserve(exposition.size() * 5 / 4);
  while (!exposition.empty()) {
    const std::string_view line = exposition.substr(0, exposition.find('\n'));
    text += line;
    if (!line.empty() && line.front() != '#') text += time;
    text += '\n';
    exposition.remove_prefix(std::min(exposition.size(), line.size() + 1));
  }
  return text;
}

}  // namespace rescheduler::cli
