#include "placement/cluster_fuzzer.h"

#include <fmt/format.h>
#include <rapidcheck.h>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::testing::Others;
using cluster::testing::Spread;
using cluster::testing::Texts;

constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr const char* kHost = "kubernetes.io/hostname";
constexpr std::int64_t kMebibyte = 1 << 20;

const std::vector<std::string> kNodes = {"n0", "n1", "n2", "n3", "n4"};
const std::vector<std::string> kPods = {"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"};

Others random_others() {
  Others others;
  others.labels = pick({"x", "y", ""}) == "" ? Texts{} : Texts{{"app", pick({"x", "y"})}};
  if (one_in(8)) others.labels.reset();
  if (one_in(4)) others.namespaces = {pick({"red", "blue"})};
  if (one_in(2)) others.namespace_labels = one_in(4) ? Texts{} : Texts{{"team", "a"}};
  return others;
}

Spread random_spread() {
  Spread spread;
  spread.max_skew = 1 + pick(2);
  spread.topology_key = pick({kZone, kHost});
  spread.hard = !one_in(3);
  spread.labels = one_in(5) ? Texts{} : Texts{{"app", pick({"x", "y"})}};
  spread.min_domains = spread.hard ? pick(3) : 0;
  if (one_in(4)) spread.affinity_policy = "Ignore";
  if (one_in(4)) spread.taints_policy = "Honor";
  if (one_in(4)) spread.match_label_keys = {"rev"};
  return spread;
}

void give_relations(PodBuilder& pod) {
  const std::string key = pick({kZone, kHost});
  switch (pick(9)) {
    case 0: pod.near(key, random_others()); break;
    case 1:
    case 2: pod.away(key, random_others()); break;
    case 3: pod.likes(1 + pick(5), key, random_others()); break;
    case 4: pod.dislikes(1 + pick(5), key, random_others()); break;
    case 5:
    case 6: pod.spread(random_spread()); break;
    default: break;
  }
}

std::int64_t next_start() {
  static std::int64_t started = 1000;
  return ++started;
}

}  // namespace

int pick(int count) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, count)); }
bool one_in(int count) { return pick(count) == count - 1; }
std::string pick(const std::vector<std::string>& words) {
  return words[static_cast<std::size_t>(pick(static_cast<int>(words.size())))];
}

NodeBuilder random_node(const std::string& name) {
  NodeBuilder node(name);
  node.cpu(pick({"1", "2", "4"})).memory(pick({"2Gi", "8Gi"}));
  if (one_in(4)) node.pods(2);
  if (!one_in(5)) node.zone(pick({"a", "b"}));
  if (one_in(8)) node.without_label(kHost);
  if (one_in(3)) node.label("disk", pick({"ssd", "hdd"}));
  if (one_in(4)) node.taint("team", pick({"a", "b"}), pick({"NoSchedule", "PreferNoSchedule", "NoExecute"}));
  if (one_in(8)) node.cordoned();
  if (one_in(3)) node.image("web:latest", 600 * kMebibyte);
  if (one_in(3)) node.image("db:latest", 300 * kMebibyte);
  if (one_in(4)) node.resource("example.com/gpu", pick({"1", "2"}));
  if (one_in(6)) node.feature("UserNamespacesHostNetworkSupport");
  return node;
}

void give_requests(PodBuilder& pod) {
  if (!one_in(4)) pod.request("cpu", pick({"100m", "500m", "1", "3"}));
  if (one_in(2)) pod.request("memory", pick({"100Mi", "1Gi", "3Gi"}));
  if (one_in(6)) pod.request("example.com/gpu", "1");
  if (one_in(8)) pod.init({{"cpu", "2"}});
  if (one_in(8)) pod.sidecar({{"cpu", "200m"}, {"memory", "100Mi"}});
  if (one_in(8)) pod.overhead({{"cpu", "50m"}});
}

PodBuilder random_pod(const std::string& name) {
  PodBuilder pod(name);
  pod.in(pick({"red", "blue"})).priority(10 * pick(3)).started(next_start());
  if (!one_in(3)) pod.label("app", pick({"x", "y"}));
  if (one_in(3)) pod.label("rev", pick({"1", "2"}));
  give_requests(pod);
  give_relations(pod);
  if (one_in(4)) give_relations(pod);
  if (one_in(5)) pod.toleration("team", "Equal", "a");
  if (one_in(8)) pod.toleration("", "Exists");
  if (one_in(6)) pod.node_selector("disk", "ssd");
  if (one_in(8)) {
    pod.node_affinity(R"({"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":5,"preference":
      {"matchExpressions":[{"key":"disk","operator":"Exists"}]}}]})");
  }
  if (one_in(6)) pod.host_port(80, pick({"", "UDP"}), pick({"", "10.0.0.1", "10.0.0.2"}));
  if (one_in(3)) pod.image(pick({"web", "db"}));
  if (one_in(12)) pod.merge(R"({"spec":{"hostNetwork":true,"hostUsers":false}})");
  return pod;
}

ClusterFuzzer::ClusterFuzzer() {
  // The same in every cluster: a service that spreads its pods, and a PodDisruptionBudget.
  for (const char* ns : {"red", "blue"}) {
    incremental_.add(cluster::testing::budget("some", Texts{{"app", "x"}}, 1).in(ns));
  }
  google::protobuf::Map<std::string, std::string> selector;
  selector["app"] = "x";
  incremental_.model().owners().upsert_service("red", "web", selector);
}

void ClusterFuzzer::build(Bench& fresh) const {
  for (const char* ns : {"red", "blue"}) fresh.add(cluster::testing::budget("some", Texts{{"app", "x"}}, 1).in(ns));
  google::protobuf::Map<std::string, std::string> selector;
  selector["app"] = "x";
  fresh.model().owners().upsert_service("red", "web", selector);
  for (const auto& [name, ns] : namespaces_) fresh.add(ns);
  for (const auto& [name, pod] : pods_) fresh.add(pod);
  for (const auto& [name, node] : nodes_) fresh.add(node);
  for (const auto& [name, pod] : assumed_) {
    // If its node is gone, the assumed pod is added like any other pod: the model knows the node by name.
    const auto node = fresh.model().find_node(assumed_on_.at(name));
    if (node) {
      fresh.model().assume(pod, fresh.model().compiled_spec_of(pod), *node);
    } else {
      fresh.add(PodBuilder(pod).on(assumed_on_.at(name)));
    }
  }
}

void ClusterFuzzer::repeat_nominations(Bench& bench) const {
  bench.forget_nominations();
  for (const auto& [pod, node] : nominated_) {
    if (nodes_.contains(node)) bench.nominate(pod, node);
  }
}

ClusterFuzzer::Step ClusterFuzzer::upsert_node(const std::string& name, const NodeBuilder& node) {
  nodes_.insert_or_assign(name, node);
  return {Kind::NodeUpserted, incremental_.model().upsert_node(node), fmt::format("{} changes", name)};
}

ClusterFuzzer::Step ClusterFuzzer::remove_node(const std::string& name) {
  nodes_.erase(name);
  return {Kind::NodeRemoved, incremental_.model().remove_node(name), fmt::format("{} is removed", name)};
}

ClusterFuzzer::Step ClusterFuzzer::upsert_pod(const std::string& name, const PodBuilder& pod) {
  pods_.insert_or_assign(name, pod);
  return {Kind::PodUpserted, incremental_.model().upsert_pod(pod),
          fmt::format("{} on {}", name, pod.get().spec().node_name())};
}

ClusterFuzzer::Step ClusterFuzzer::remove_pod(const std::string& name) {
  const auto known = pods_.find(name);
  if (known == pods_.end()) return {};
  const std::string uid = known->second.get().metadata().uid();
  pods_.erase(known);
  return {Kind::PodRemoved, incremental_.model().remove_pod(uid), fmt::format("{} is removed", name)};
}

ClusterFuzzer::Step ClusterFuzzer::change_namespace() {
  const std::string name = pick({"red", "blue"});
  if (one_in(4)) {
    namespaces_.erase(name);
    incremental_.model().remove_namespace(name);
    return {Kind::NamespaceChanged, nullptr, fmt::format("namespace {} is removed", name)};
  }
  const NamespaceBuilder ns(name, one_in(2) ? Texts{} : Texts{{"team", "a"}});
  namespaces_.insert_or_assign(name, ns);
  incremental_.add(ns);
  return {Kind::NamespaceChanged, nullptr, fmt::format("namespace {} is labelled", name)};
}

ClusterFuzzer::Step ClusterFuzzer::assume(const std::string& name) {
  const std::string node = pick(kNodes);
  const auto place = incremental_.model().find_node(node);
  if (pods_.contains(name) || assumed_.contains(name) || !place) return {};
  const PodBuilder pod = random_pod(name);
  assumed_.insert_or_assign(name, pod);
  assumed_on_[name] = node;
  incremental_.model().assume(pod, incremental_.model().compiled_spec_of(pod), *place);
  return {Kind::Assumed, nullptr, fmt::format("{} is assumed on {}", name, node)};
}

ClusterFuzzer::Step ClusterFuzzer::confirm_or_forget(std::string name) {
  const auto known = assumed_.find(name);
  if (known == assumed_.end()) return {};
  const PodBuilder pod = known->second;
  const std::string node = assumed_on_.at(name);
  assumed_.erase(known);
  if (!one_in(3)) return upsert_pod(name, PodBuilder(pod).on(one_in(5) ? pick(kNodes) : node));
  return {Kind::Forgotten, incremental_.model().forget(pod.get().metadata().uid()),
          fmt::format("{} is forgotten", name)};
}

ClusterFuzzer::Step ClusterFuzzer::change_pod(const std::string& name) {
  if (assumed_.contains(name)) return {};
  const auto known = pods_.find(name);
  if (known == pods_.end()) return upsert_pod(name, random_pod(name).on(pick(kNodes)));
  PodBuilder pod = known->second;
  switch (pick(4)) {
    case 0: pod.label("app", pick({"x", "y"})); break;
    case 1: pod.terminating(); break;
    case 2:
      pod.merge(R"({"status":{"containerStatuses":[{"name":"main","allocatedResources":{"cpu":"900m"}}]}})");
      break;
    default: pod = random_pod(name).on(pick(kNodes)); break;  // a new pod with the same uid and no deletion event
  }
  return upsert_pod(name, pod);
}

void ClusterFuzzer::nominate_or_not() {
  nominated_.clear();
  if (one_in(3)) nominated_.emplace_back(random_pod("nominated"), pick(kNodes));
}

ClusterFuzzer::Step ClusterFuzzer::random_step() {
  if (one_in(10)) nominate_or_not();
  const std::string node = pick(kNodes);
  const std::string pod = pick(kPods);
  switch (pick(13)) {
    case 0:
    case 1:
    case 2: return upsert_node(node, random_node(node));
    case 3: return remove_node(node);
    case 4:
    case 12: return change_namespace();
    case 5: return assume(pod);
    case 6: return confirm_or_forget(assumed_.empty() ? pod : assumed_.begin()->first);
    case 7: return assumed_.contains(pod) ? Step{} : remove_pod(pod);
    default: return change_pod(pod);
  }
}

}  // namespace rescheduler::placement::testing
