// Builders of nodes and pods for tests. They keep protobuf code out of the tests:
//
//   cluster.upsert_node(node("n1").cpu("4").zone("a").taint("gpu", "", "NoSchedule"));
//   cluster.upsert_pod(pod("p").requests("100m", "500Mi").label("app", "web").on("n1"));
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rescheduler::api {
class Container;
class Namespace;
class Node;
class Pod;
class PodDisruptionBudget;
}  // namespace rescheduler::api

namespace rescheduler::cluster::testing {

using Texts = std::map<std::string, std::string>;

// An object under construction. A copy is independent of the original.
template <class Object>
class Builder {
 public:
  Builder();
  Builder(const Builder& other);
  Builder& operator=(const Builder& other);
  ~Builder();

  operator const Object&() const { return *object_; }  // NOLINT(google-explicit-constructor)
  const Object& get() const { return *object_; }

 protected:
  void merge_json(std::string_view json);
  std::unique_ptr<Object> object_;
};

class NodeBuilder : public Builder<api::Node> {
 public:
  // Default: 4 CPUs, 32Gi, 110 pods, and the label kubernetes.io/hostname with the node's name.
  explicit NodeBuilder(const std::string& name);
  NodeBuilder& cpu(const std::string& amount) { return resource("cpu", amount); }
  NodeBuilder& memory(const std::string& amount) { return resource("memory", amount); }
  NodeBuilder& pods(int amount) { return resource("pods", std::to_string(amount)); }
  NodeBuilder& resource(const std::string& name, const std::string& amount);
  NodeBuilder& without_resource(const std::string& name);
  NodeBuilder& label(const std::string& key, const std::string& value);
  NodeBuilder& without_label(const std::string& key);
  NodeBuilder& zone(const std::string& value) { return label("topology.kubernetes.io/zone", value); }
  NodeBuilder& taint(const std::string& key, const std::string& value, const std::string& effect);
  NodeBuilder& cordoned(bool is = true);
  NodeBuilder& image(const std::string& name, std::int64_t size);
  NodeBuilder& feature(const std::string& name);
  NodeBuilder& annotation(const std::string& key, const std::string& value);
  NodeBuilder& condition(const std::string& type, const std::string& status);
};

// The pods that an affinity term or a spread constraint selects.
struct Others {
  std::optional<Texts> labels{};            // nothing: no selector
  std::vector<std::string> namespaces{};    // only for affinity, like the next field
  std::optional<Texts> namespace_labels{};  // nothing: no namespaceSelector
};

struct Spread {
  int max_skew = 1;
  std::string topology_key = "topology.kubernetes.io/zone";
  bool hard = true;
  std::optional<Texts> labels{};
  int min_domains = 0;  // 0: unset
  std::string affinity_policy{};
  std::string taints_policy{};
  std::vector<std::string> match_label_keys{};
};

class PodBuilder : public Builder<api::Pod> {
 public:
  // Default: one container without requests, in the namespace "default", with a uid derived from the name.
  explicit PodBuilder(const std::string& name);
  PodBuilder& in(const std::string& ns);
  PodBuilder& uid(const std::string& uid);
  PodBuilder& on(const std::string& node);
  PodBuilder& label(const std::string& key, const std::string& value);
  PodBuilder& labels(const Texts& all);
  PodBuilder& requests(const std::string& cpu, const std::string& memory);
  PodBuilder& request(const std::string& resource, const std::string& amount);
  PodBuilder& container(const Texts& requested);
  PodBuilder& init(const Texts& requested);
  PodBuilder& sidecar(const Texts& requested);
  PodBuilder& pod_level(const Texts& requested);
  PodBuilder& overhead(const Texts& amounts);
  PodBuilder& image(const std::string& name);  // of the first container without an image, or of an additional container
  PodBuilder& host_port(int port, const std::string& protocol = {}, const std::string& ip = {});
  PodBuilder& toleration(const std::string& key,
                         const std::string& op = "Exists",
                         const std::string& value = {},
                         const std::string& effect = {});
  PodBuilder& node_selector(const std::string& key, const std::string& value);
  PodBuilder& node_affinity(std::string_view json);  // a NodeAffinity
  // Required and preferred terms of pod affinity and pod anti-affinity.
  PodBuilder& near(const std::string& topology_key, const Others& others);
  PodBuilder& away(const std::string& topology_key, const Others& others);
  PodBuilder& likes(int weight, const std::string& topology_key, const Others& others);
  PodBuilder& dislikes(int weight, const std::string& topology_key, const Others& others);
  PodBuilder& spread(const Spread& how);
  PodBuilder& priority(int value);
  PodBuilder& never_preempts();
  PodBuilder& gate(const std::string& name);
  PodBuilder& nominated(const std::string& node);  // status.nominatedNodeName
  PodBuilder& started(std::int64_t seconds);
  PodBuilder& terminating();
  PodBuilder& being_preempted();
  PodBuilder& owner(const std::string& api_version, const std::string& kind, const std::string& name);
  PodBuilder& merge(std::string_view json);  // any other field
};

class NamespaceBuilder : public Builder<api::Namespace> {
 public:
  NamespaceBuilder(const std::string& name, const Texts& labels);
};

class BudgetBuilder : public Builder<api::PodDisruptionBudget> {
 public:
  BudgetBuilder(const std::string& name, std::optional<Texts> labels, int disruptions_allowed);
  BudgetBuilder& in(const std::string& ns);
  BudgetBuilder& disrupted(const std::string& pod);
};

inline NodeBuilder node(const std::string& name) { return NodeBuilder(name); }
inline PodBuilder pod(const std::string& name) { return PodBuilder(name); }
inline NamespaceBuilder name_space(const std::string& name, const Texts& labels = {}) { return {name, labels}; }
inline BudgetBuilder budget(const std::string& name, std::optional<Texts> labels, int allowed) {
  return {name, std::move(labels), allowed};
}

}  // namespace rescheduler::cluster::testing
