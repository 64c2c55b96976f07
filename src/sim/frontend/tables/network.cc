#include <set>
#include <string>

#include "sim/frontend/tables/printer.h"

namespace rescheduler::sim {
namespace {

constexpr std::size_t kMostListed = 3;  // followed by "+ 2 more..."

struct ShortList {
  std::string text{};
  std::size_t listed = 0;
  std::size_t count = 0;

  void add(std::string_view item) {
    ++count;
    if (listed == kMostListed) return;
    if (listed++ > 0) text += ',';
    text += item;
  }
  std::string str(std::string_view when_empty) const {
    if (count > listed) return text + " + " + std::to_string(count - listed) + " more...";
    return text.empty() ? std::string(when_empty) : text;
  }
};

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

boost::json::array ingress_cells(const Field& object, WallTime now) {
  const Field rules = object["spec"]["rules"];
  std::string hosts;
  std::size_t listed = 0;
  bool more = false;
  for (const boost::json::value& rule : rules.items()) {
    const std::string_view host = Field(&rule)["host"].text();
    more = more || listed == kMostListed;
    if (more || host.empty()) continue;
    if (listed++ > 0) hosts += ',';
    hosts += host;
  }
  if (more) hosts += " + " + std::to_string(rules.size() - kMostListed) + " more...";
  return {name_of(object),
          object["spec"]["ingressClassName"].text("<none>"),
          hosts.empty() ? "*" : hosts,
          load_balancer_text(object["status"]),
          object["spec"]["tls"].size() > 0 ? "80, 443" : "80",
          age_of(object, now)};
}

boost::json::array ingress_class_cells(const Field& object, WallTime now) {
  const Field parameters = object["spec"]["parameters"];
  std::string text = "<none>";
  if (parameters.present()) {
    text = parameters["kind"].text();
    if (parameters["apiGroup"].present()) text += "." + std::string(parameters["apiGroup"].text());
    text += "/" + std::string(parameters["name"].text());
  }
  std::string name = name_of(object);
  if (object["metadata"]["annotations"]["ingressclass.kubernetes.io/is-default-class"].text() == "true") {
    name += " (default)";
  }
  return {name, object["spec"]["controller"].text(), text, age_of(object, now)};
}

boost::json::array network_policy_cells(const Field& object, WallTime now) {
  return {name_of(object), selector_text(object["spec"]["podSelector"]), age_of(object, now)};
}

std::string host_port(std::string_view ip, std::int64_t port) {
  const bool bracket = ip.find(':') != std::string_view::npos;
  return (bracket ? "[" : "") + std::string(ip) + (bracket ? "]:" : ":") + std::to_string(port);
}

boost::json::array endpoints_cells(const Field& object, WallTime now) {
  ShortList list;
  for (const boost::json::value& item : object["subsets"].items()) {
    const Field subset(&item);
    for (const boost::json::value& port : subset["ports"].items()) {
      for (const boost::json::value& address : subset["addresses"].items()) {
        list.add(host_port(Field(&address)["ip"].text(), Field(&port)["port"].number()));
      }
    }
    if (subset["ports"].size() > 0) continue;
    for (const boost::json::value& address : subset["addresses"].items()) list.add(Field(&address)["ip"].text());
  }
  return {name_of(object), list.str(object["subsets"].size() == 0 ? "<none>" : ""), age_of(object, now)};
}

boost::json::array endpoint_slice_cells(const Field& object, WallTime now) {
  ShortList ports;
  for (const boost::json::value& item : object["ports"].items()) {
    const Field port(&item);
    ports.add(port["port"].printed(port["name"].text("*")));
  }
  ShortList addresses;
  for (const boost::json::value& endpoint : object["endpoints"].items()) {
    for (const boost::json::value& address : Field(&endpoint)["addresses"].items()) {
      addresses.add(Field(&address).text());
    }
  }
  return {name_of(object), object["addressType"].text(), ports.str("<unset>"), addresses.str("<unset>"),
          age_of(object, now)};
}

const std::vector<NamedPrinter>& printers() {
  static const std::vector<NamedPrinter> kPrinters{
      {"",
       "Service",
       {{name_column(), text_column("Type", "How it can be reached."),
         text_column("Cluster-IP", "Its address within the cluster."),
         text_column("External-IP", "Its address outside."), text_column("Port(s)", "Its ports."), age_column(),
         wide_column("Selector", "Which pods it leads to.")},
        service_cells}},
      {"networking.k8s.io",
       "Ingress",
       {{name_column(), text_column("Class", "Who implements it."), text_column("Hosts", "The hosts it is for."),
         text_column("Address", "Where it can be reached."), text_column("Ports", "Its ports."), age_column()},
        ingress_cells}},
      {"networking.k8s.io",
       "IngressClass",
       {{name_column(), text_column("Controller", "Who implements it."), text_column("Parameters", "Its settings."),
         age_column()},
        ingress_class_cells}},
      {"networking.k8s.io",
       "NetworkPolicy",
       {{name_column(), text_column("Pod-Selector", "Which pods it is for."), age_column()}, network_policy_cells}},
      {"",
       "Endpoints",
       {{name_column(), text_column("Endpoints", "Addresses behind the service."), age_column()}, endpoints_cells}},
      {"discovery.k8s.io",
       "EndpointSlice",
       {{name_column(), text_column("AddressType", "The addresses' family."), text_column("Ports", "Their ports."),
         text_column("Endpoints", "The addresses."), age_column()},
        endpoint_slice_cells}}};
  return kPrinters;
}

}  // namespace

const Printer* network_printer(std::string_view group, std::string_view kind) {
  return find_printer(printers(), group, kind);
}

}  // namespace rescheduler::sim
