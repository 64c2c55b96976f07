#include <set>
#include <string>

#include "sim/frontend/tables/printer.h"

namespace rescheduler::sim {
namespace {

std::string node_status(const Field& node) {
  const Field ready = node["status"]["conditions"].where("type", "Ready");
  std::string status = "Unknown";
  if (ready.present()) status = ready["status"].text() == "True" ? "Ready" : "NotReady";
  if (node["spec"]["unschedulable"].flag()) status += ",SchedulingDisabled";
  return status;
}

std::string node_roles(const Field& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string_view> roles;
  for (const auto& [key, value] : node["metadata"]["labels"].members()) {
    const std::string_view label = key;
    if (label.starts_with(kPrefix) && label.size() > kPrefix.size()) roles.insert(label.substr(kPrefix.size()));
    if (label == "kubernetes.io/role" && !Field(&value).text().empty()) roles.insert(Field(&value).text());
  }
  std::string text;
  for (const std::string_view role : roles) {
    if (!text.empty()) text += ',';
    text += role;
  }
  return text.empty() ? "<none>" : text;
}

boost::json::array node_cells(const Field& node, WallTime now) {
  const Field info = node["status"]["nodeInfo"];
  const Field addresses = node["status"]["addresses"];
  std::string kernel(info["kernelVersion"].text("<unknown>"));
  if (const auto architecture = info["architecture"].text(); !architecture.empty()) {
    kernel += " (" + std::string(architecture) + ")";
  }
  return {name_of(node),
          node_status(node),
          node_roles(node),
          age_of(node, now),
          info["kubeletVersion"].text(),
          addresses.where("type", "InternalIP")["address"].text("<none>"),
          addresses.where("type", "ExternalIP")["address"].text("<none>"),
          info["osImage"].text("<unknown>"),
          kernel,
          info["containerRuntimeVersion"].text("<unknown>")};
}

}  // namespace

const Printer* node_printer(std::string_view group, std::string_view kind) {
  if (!group.empty() || kind != "Node") return nullptr;
  static const Printer printer{
      .columns = {name_column(), text_column("Status"), text_column("Roles"), age_column(), text_column("Version"),
                  wide_column("Internal-IP"), wide_column("External-IP"), wide_column("OS-Image"),
                  wide_column("Kernel-Version"), wide_column("Container-Runtime")},
      .cells = node_cells};
  return &printer;
}

}  // namespace rescheduler::sim
