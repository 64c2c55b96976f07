#include "usage/node_finder.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>

#include "kube/proto/core_node.pb.h"
#include "kube/value/quantity.h"

namespace rescheduler::usage {
namespace {

constexpr const char* kHostnameLabel = "kubernetes.io/hostname";

template <class Quantities>
double amount(const Quantities& quantities, const std::string& name) {
  const auto found = quantities.find(name);
  if (found == quantities.end()) return 0.0;
  const auto parsed = kube::Quantity::parse(found->second.string());
  return parsed ? parsed->to_double() : 0.0;
}

std::string lower(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return made;
}

// fd00:0:0::1 and fd00::1 are the same address.
std::string shortest(std::string text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (text.find('\0') != std::string::npos) return text;  // c_str() would end there
  if (::inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return text;
  return ::inet_ntop(AF_INET6, bytes.data(), out.data(), out.size()) == nullptr ? text : std::string(out.data());
}

bool is_port(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

NodeIdentity node_identity_of(const api::Node& object) {
  NodeIdentity facts;
  facts.name = object.metadata().name();
  for (const auto& address : object.status().addresses()) {
    if (address.type() == "InternalIP") facts.internal_ips.push_back(address.address());
    if (address.type() == "Hostname") facts.hostnames.push_back(address.address());
  }
  for (const auto& [key, value] : object.metadata().labels()) facts.labels[key] = value;
  if (const auto named = facts.labels.find(kHostnameLabel); named != facts.labels.end()) {
    facts.hostnames.push_back(named->second);
  }
  facts.cpu = amount(object.status().allocatable(), "cpu");
  facts.memory = amount(object.status().allocatable(), "memory");
  return facts;
}

bool requests_judgeable(const std::vector<NodeIdentity>& nodes) {
  return std::ranges::any_of(nodes, [](const NodeIdentity& one) { return one.cpu > 0.0 && one.memory > 0.0; });
}

std::string host_of(std::string_view instance) {
  if (instance.starts_with('[')) {
    const auto end = instance.find(']');
    if (end != std::string_view::npos) return shortest(lower(instance.substr(1, end - 1)));
  }
  const auto colon = instance.find(':');
  // More than one colon: an IPv6 address without a port.
  if (colon != std::string_view::npos && colon == instance.rfind(':') && is_port(instance.substr(colon + 1))) {
    instance = instance.substr(0, colon);
  }
  return shortest(lower(instance));
}

NodeFinder::NodeFinder(const std::vector<NodeIdentity>& nodes, const FindSettings& settings) {
  using cluster::NodeMatch;
  const auto wants = [&settings](NodeMatch by) { return std::ranges::find(settings.by, by) != settings.by.end(); };
  names_.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeIdentity& node = nodes[i];
    names_.push_back(node.name);
    if (wants(NodeMatch::Name)) add(host_of(node.name), i);
    if (wants(NodeMatch::InternalIp)) {
      for (const std::string& ip : node.internal_ips) add(host_of(ip), i);
    }
    if (wants(NodeMatch::Hostname)) {
      for (const std::string& hostname : node.hostnames) add(host_of(hostname), i);
    }
    if (settings.node_label.empty()) continue;
    const auto label = node.labels.find(settings.node_label);
    if (label != node.labels.end()) add(host_of(label->second), i);
  }
}

void NodeFinder::add(std::string key, std::size_t node) {
  if (key.empty()) return;
  const auto [known, added] = nodes_.try_emplace(std::move(key), node);
  if (!added && known->second != node) known->second = kTwo;
}

NodeFinder::Found NodeFinder::find(std::string_view host) const {
  const auto found = nodes_.find(host_of(host));
  if (found == nodes_.end()) return {};
  if (found->second == kTwo) return {.ambiguous = true};
  return {.node = names_[found->second]};
}

}  // namespace rescheduler::usage
