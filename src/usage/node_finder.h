// Whose samples are these? Exporters call nodes by address, name or whatever a label says; this finds the node they
// mean, and refuses to guess where it could be two.
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

// What sources have to know of a node.
struct NodeIdentity {
  std::string name{};
  std::vector<std::string> internal_ips{};
  std::vector<std::string> hostnames{};  // addresses of that type, and the label kubernetes.io/hostname
  std::map<std::string, std::string> labels{};
  double cpu = 0.0;     // allocatable, in cores
  double memory = 0.0;  // allocatable, in bytes
  friend bool operator==(const NodeIdentity&, const NodeIdentity&) = default;
};
using NodeList = std::shared_ptr<const std::vector<NodeIdentity>>;

NodeIdentity node_identity_of(const api::Node& object);

// Can requests be judged at all: does any node say what it has to give?
bool requests_judgeable(const std::vector<NodeIdentity>& nodes);

// By all of these at once: if they mean different nodes it is ambiguous.
struct FindSettings {
  std::vector<cluster::NodeMatch> by{cluster::NodeMatch::InternalIp, cluster::NodeMatch::Name,
                                     cluster::NodeMatch::Hostname};
  std::string node_label{};  // also by this label of the node; empty: none
};

class NodeFinder {
 public:
  NodeFinder(const std::vector<NodeIdentity>& nodes, const FindSettings& settings);

  struct Found {
    std::optional<std::string_view> node{};  // its name, for as long as the finder lives
    bool ambiguous = false;
  };
  // "10.0.0.1:9100", "[fd00::1]:9100", "node-1", "node-1:9100".
  Found find(std::string_view said) const;

 private:
  void add(std::string key, std::size_t node);

  std::vector<std::string> names_;
  static constexpr std::size_t kTwo = ~std::size_t{0};
  boost::unordered_flat_map<std::string, std::size_t> nodes_;  // by key; kTwo: of two nodes
};

// An instance without its port; an IPv6 address without its brackets and in its shortest form; letters in lower case.
std::string host_of(std::string_view instance);

}  // namespace rescheduler::usage
