#include "config/dashboard_args.h"

#include <algorithm>

#include "kube/config/yaml_reader.h"
#include "kube/config/yaml_writer.h"

namespace rescheduler::config {
namespace {

// A link that people follow: nothing but the web, and no credentials in it.
bool is_web_address(std::string_view text) {
  const bool web = text.starts_with("https://") || text.starts_with("http://");
  const bool plain = std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte < 0x7f && c != '"' && c != '<' && c != '>' && c != '@';
  });
  return web && plain && text.size() > std::string_view("https://").size();
}

}  // namespace

void read_dashboard(kube::YamlReader& from, DashboardSettings& into) {
  if (!from.has("dashboard")) return;
  kube::YamlReader section = from.child("dashboard");
  section.read("enabled", into.enabled);
  section.read("grafana", into.grafana);
  if (!into.grafana.empty() && !is_web_address(into.grafana)) {
    section.problem("grafana", "must be an address as in https://grafana.example, without credentials");
  }
}

void print_dashboard(const DashboardSettings& settings, kube::YamlWriter& to) {
  if (settings.enabled && settings.grafana.empty()) return;
  to.open("dashboard");
  to.field("enabled", settings.enabled);
  to.field("grafana", settings.grafana);
  to.close();
}

}  // namespace rescheduler::config
