#include "usage/node_finder.h"

#include <gtest/gtest.h>

#include "cluster/testing.h"
#include "kube/proto/core_node.pb.h"

namespace rescheduler::usage {
namespace {

const std::vector<NodeIdentity> kNodes{
    {.name = "node-1", .internal_ips = {"10.0.0.1", "fd00::1"}, .hostnames = {"host-1"}, .labels = {{"rack", "r1"}}},
    {.name = "node-2", .internal_ips = {"10.0.0.2"}, .hostnames = {"host-2"}, .labels = {{"rack", "r2"}}},
};

std::string found(const NodeFinder& finder, std::string_view host) {
  const auto answer = finder.find(host);
  if (answer.ambiguous) return "ambiguous";
  return std::string(answer.node.value_or("none"));
}

TEST(HostOf, PortsAndBracketsAreRemovedAndAddressesAreNormalized) {
  EXPECT_EQ(host_of("10.0.0.1:9100"), "10.0.0.1");
  EXPECT_EQ(host_of("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(host_of("[fd00:0:0::1]:9100"), "fd00::1");
  EXPECT_EQ(host_of("FD00::1"), "fd00::1");
  EXPECT_EQ(host_of("Node-1:9100"), "node-1");
  EXPECT_EQ(host_of("node-1:metrics"), "node-1:metrics");  // not a port, so it is kept
  EXPECT_EQ(host_of(""), "");
  EXPECT_NE(host_of(std::string_view("fd00::1\0x", 9)), "fd00::1");
}

TEST(NodeFinder, ANodeIsFoundByAddressNameAndHostname) {
  const NodeFinder finder(kNodes, {});
  EXPECT_EQ(found(finder, "10.0.0.1:9100"), "node-1");
  EXPECT_EQ(found(finder, "[fd00::1]:9100"), "node-1");
  EXPECT_EQ(found(finder, "node-2"), "node-2");
  EXPECT_EQ(found(finder, "HOST-2:9100"), "node-2");
  EXPECT_EQ(found(finder, "10.0.0.9:9100"), "none");
  EXPECT_EQ(found(finder, ""), "none");
}

TEST(NodeFinder, TheSearchCanBeLimitedToOneKindOfNameOrToALabel) {
  EXPECT_EQ(found(NodeFinder(kNodes, {.by = {cluster::NodeMatch::Name}}), "10.0.0.1"), "none");
  EXPECT_EQ(found(NodeFinder(kNodes, {.by = {cluster::NodeMatch::Name}}), "node-1"), "node-1");
  EXPECT_EQ(found(NodeFinder(kNodes, {.by = {cluster::NodeMatch::InternalIp}}), "node-1"), "none");
  EXPECT_EQ(found(NodeFinder(kNodes, {.by = {cluster::NodeMatch::InternalIp}}), "10.0.0.2:1"), "node-2");
  EXPECT_EQ(found(NodeFinder(kNodes, {.by = {cluster::NodeMatch::Hostname}}), "host-1"), "node-1");
  const NodeFinder by_rack(kNodes, {.by = {}, .node_label = "rack"});
  EXPECT_EQ(found(by_rack, "r2"), "node-2");
  EXPECT_EQ(found(by_rack, "node-2"), "none");
}

TEST(NodeFinder, ANameThatTwoNodesHaveIsAmbiguous) {
  auto nodes = kNodes;
  nodes.push_back({.name = "node-3", .internal_ips = {"10.0.0.2"}, .hostnames = {"node-1"}});
  const NodeFinder finder(nodes, {});
  EXPECT_EQ(found(finder, "10.0.0.2:9100"), "ambiguous");
  EXPECT_EQ(found(finder, "node-1"), "ambiguous");  // the name of one node is the hostname of another
  EXPECT_EQ(found(finder, "node-3"), "node-3");
  EXPECT_EQ(found(NodeFinder(nodes, {.by = {cluster::NodeMatch::Name}}), "node-1"), "node-1");
}

TEST(NodeFinder, ANameThatOneNodeHasTwiceIsNotAmbiguous) {
  const NodeFinder finder({{.name = "a", .internal_ips = {"10.0.0.1", "10.0.0.1"}, .hostnames = {"a", "a"}}}, {});
  EXPECT_EQ(found(finder, "a"), "a");
  EXPECT_EQ(found(finder, "10.0.0.1"), "a");
}

TEST(NodeIdentity, IsReadFromTheNodeObject) {
  api::Node object = cluster::testing::node("n").cpu("3500m").memory("2Gi").label("rack", "r1").get();
  const auto address = [&object](const char* type, const char* text) {
    auto& added = *object.mutable_status()->add_addresses();
    added.set_type(type);
    added.set_address(text);
  };
  address("InternalIP", "10.0.0.1");
  address("ExternalIP", "192.0.2.1");
  address("Hostname", "host");
  const NodeIdentity identity = node_identity_of(object);
  EXPECT_EQ(identity.name, "n");
  EXPECT_EQ(identity.internal_ips, std::vector<std::string>{"10.0.0.1"});
  EXPECT_EQ(identity.hostnames, (std::vector<std::string>{"host", "n"}));
  EXPECT_EQ(identity.labels.at("rack"), "r1");
  EXPECT_DOUBLE_EQ(identity.cpu, 3.5);
  EXPECT_DOUBLE_EQ(identity.memory, 2.0 * 1024 * 1024 * 1024);
  EXPECT_TRUE(requests_judgeable({NodeIdentity{}, identity}));
  EXPECT_FALSE(requests_judgeable({NodeIdentity{.name = "m", .cpu = 1.0}}));
}

}  // namespace
}  // namespace rescheduler::usage
