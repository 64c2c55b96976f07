// Finds the node of a sample. Exporters identify a node by address, name or a label. If two nodes could match, the
// finder reports "ambiguous" and does not guess.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/load_settings.h"

namespace rescheduler::api {
class Node;
}  // namespace rescheduler::api

namespace rescheduler::usage {

// The properties of a node that sources use.
struct NodeIdentity {
  std::string name{};
  std::vector<std::string> internal_ips{};
  std::vector<std::string> hostnames{};  // addresses of type Hostname, and the label kubernetes.io/hostname
  std::map<std::string, std::string> labels{};
  double cpu = 0.0;     // allocatable, in cores
  double memory = 0.0;  // allocatable, in bytes
  friend bool operator==(const NodeIdentity&, const NodeIdentity&) = default;
};
using NodeList = std::shared_ptr<const std::vector<NodeIdentity>>;

NodeIdentity node_identity_of(const api::Node& object);

// Can requests be judged: does any node report its allocatable?
bool requests_judgeable(const std::vector<NodeIdentity>& nodes);

// All keys are used at once. If they match different nodes, the result is ambiguous.
struct FindSettings {
  std::vector<cluster::NodeMatch> by{cluster::NodeMatch::InternalIp, cluster::NodeMatch::Name,
                                     cluster::NodeMatch::Hostname};
  std::string node_label{};  // also match by this label of the node; empty: no label
};

class NodeFinder {
 public:
  NodeFinder(const std::vector<NodeIdentity>& nodes, const FindSettings& settings);

  struct Found {
    std::optional<std::string_view> node{};  // the node's name; valid while the finder lives
    bool ambiguous = false;
  };
  // "10.0.0.1:9100", "[fd00::1]:9100", "node-1", "node-1:9100".
  Found find(std::string_view host) const;

 private:
  void add(std::string key, std::size_t node);

  std::vector<std::string> names_;
  static constexpr std::size_t kTwo = ~std::size_t{0};
  boost::unordered_flat_map<std::string, std::size_t> nodes_;  // by key; kTwo: two nodes have this key
};

// An instance without its port, in lower case. An IPv6 address has no brackets and its shortest form.
std::string host_of(std::string_view instance);

}  // namespace rescheduler::usage
