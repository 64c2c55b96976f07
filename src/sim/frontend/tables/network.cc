#include <set>
#include <string>

#include "sim/frontend/tables/printer.h"

namespace rescheduler::sim {
namespace {

std::string joined(const Field& texts) {
  std::string text;
  for (const boost::json::value& item : texts.items()) {
    if (!text.empty()) text += ',';
    text += Field(&item).text();
  }
  return text;
}

std::string load_balancer_text(const Field& status) {
  std::set<std::string_view> addresses;
  for (const boost::json::value& item : status["loadBalancer"]["ingress"].items()) {
    const Field ingress(&item);
    const std::string_view address = ingress["ip"].text(ingress["hostname"].text());
    if (!address.empty()) addresses.insert(address);
  }
  std::string text;
  for (const std::string_view address : addresses) {
    if (!text.empty()) text += ',';
    text += address;
  }
  return text;
}

std::string external_ip(const Field& service) {
  const std::string_view type = service["spec"]["type"].text();
  const std::string listed = joined(service["spec"]["externalIPs"]);
  if (type == "ClusterIP" || type == "NodePort") return listed.empty() ? "<none>" : listed;
  if (type == "ExternalName") return std::string(service["spec"]["externalName"].text());
  if (type != "LoadBalancer") return "<unknown>";
  std::string balanced = load_balancer_text(service["status"]);
  if (balanced.empty()) return listed.empty() ? "<pending>" : listed;
  return listed.empty() ? balanced : balanced + "," + listed;
}

std::string service_ports(const Field& service) {
  std::string text;
  for (const boost::json::value& item : service["spec"]["ports"].items()) {
    const Field port(&item);
    if (!text.empty()) text += ',';
    text += std::to_string(port["port"].number());
    if (port["nodePort"].number() > 0) text += ":" + std::to_string(port["nodePort"].number());
    text += "/" + std::string(port["protocol"].text());
  }
  return text.empty() ? "<none>" : text;
}

boost::json::array service_cells(const Field& object, WallTime now) {
  const Field spec = object["spec"];
  return {name_of(object),
          spec["type"].text(),
          spec["clusterIPs"].at(0).text(spec["clusterIP"].text("<none>")),
          external_ip(object),
          service_ports(object),
          age_of(object, now),
          labels_text(spec["selector"])};
}

const std::vector<NamedPrinter>& printers() {
  static const std::vector<NamedPrinter> all{
      {"",
       "Service",
       {{name_column(), text_column("Type"), text_column("Cluster-IP"), text_column("External-IP"),
         text_column("Port(s)"), age_column(), wide_column("Selector")},
        service_cells}}};
  return all;
}

}  // namespace

const Printer* network_printer(std::string_view group, std::string_view kind) {
  return find_printer(printers(), group, kind);
}

}  // namespace rescheduler::sim
