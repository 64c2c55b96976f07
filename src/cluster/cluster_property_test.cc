// Adding a pod and removing it again restores the model.
#include <map>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cluster/cluster.h"
#include "cluster/testing.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cluster::testing {
namespace {

constexpr const char* kHost = "kubernetes.io/hostname";

int pick(int count) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, count)); }

PodBuilder random_pod(const std::string& name) {
  const auto word = [](const std::vector<std::string>& words) {
    return words[static_cast<std::size_t>(pick(static_cast<int>(words.size())))];
  };
  PodBuilder made(name);
  made.in(word({"red", "blue"})).label("app", word({"x", "y"})).on(word({"n1", "n2", "ghost"}));
  if (pick(2) == 0) made.requests(word({"100m", "1"}), word({"1Gi", "2Gi"}));
  if (pick(4) == 0) made.request("example.com/gpu", "1");
  for (int ports = pick(3); ports > 0; --ports) made.host_port(80 + pick(2), word({"", "UDP"}), word({"", "10.0.0.1"}));
  const Others others{.labels = Texts{{"app", word({"x", "y"})}},
                      .namespace_labels = pick(2) == 0 ? std::optional<Texts>() : Texts{{"team", "a"}}};
  switch (pick(5)) {
    case 0: made.near(kHost, others); break;
    case 1: made.away(kHost, others).away(kHost, others); break;
    case 2: made.likes(pick(3), kHost, others); break;
    case 3: made.dislikes(3, kHost, others).likes(3, kHost, others); break;
    default: break;
  }
  if (pick(4) == 0) made.terminating();
  return made;
}

using Ports = std::map<std::string, int>;  // by text, because two models have different symbols
using NodeTotals = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::size_t, Ports>;
using ClusterTotals = std::pair<std::map<std::string, NodeTotals>, std::vector<std::map<NodeIndex, std::int64_t>>>;

struct Watched {
  std::vector<PodMatch> matches{};
  LabelSetId x{};
  Symbol red{};
};

Watched watch(Cluster& cluster) {
  Watched watched;
  for (const char* app : {"x", "y"}) {
    for (const bool by_label : {false, true}) {
      const auto compiled_spec = cluster.compiled_spec_of(pod("asking").in("red").away(
          kHost, {.labels = Texts{{"app", app}},
                  .namespace_labels = by_label ? std::optional<Texts>(Texts{{"team", "a"}}) : std::optional<Texts>()}));
      for (const bool staying : {false, true}) {
        watched.matches.push_back(
            {{{compiled_spec->anti_affinity[0].namespaces, compiled_spec->anti_affinity[0].selector}}, staying});
        cluster.prepare(watched.matches.back());
      }
    }
  }
  WireLabels labels;
  labels["app"] = "x";
  watched.x = cluster.interner().labels.intern(labels);
  watched.red = cluster.interner().symbols.intern("red");
  return watched;
}

ClusterTotals totals_of(Cluster& cluster, const Watched& watched) {
  ClusterTotals totals;
  const Symbol gpu = cluster.interner().symbols.intern("example.com/gpu");
  for (const NodeInfo& node : cluster.nodes()) {
    Ports ports;
    for (const HostPort& port : node.ports) {
      ++ports[cluster.text(port.ip) + "/" + cluster.text(port.protocol) + "/" + std::to_string(port.port)];
    }
    totals.first[node.exists() ? node.node->name : "ghost"] = {node.requested.cpu,
                                                               node.requested.memory,
                                                               node.requested.other(gpu),
                                                               node.nonzero_cpu,
                                                               node.nonzero_memory,
                                                               node.pods.size(),
                                                               ports};
  }
  const auto sorted = [](const NodeCounts& counts) {
    return std::map<NodeIndex, std::int64_t>(counts.begin(), counts.end());
  };
  for (const PodMatch& match : watched.matches) totals.second.push_back(sorted(*cluster.counts().matching(match)));
  std::map<std::tuple<int, int, int>, std::map<NodeIndex, std::int64_t>> terms;
  for (const ExistingPodTerm* term : cluster.counts().terms_matching(watched.red, watched.x)) {
    terms[{static_cast<int>(term->kind), static_cast<int>(term->term.selector),
           static_cast<int>(term->term.namespaces)}] = sorted(*term->weights);
  }
  for (auto& [key, weights] : terms) totals.second.push_back(std::move(weights));
  return totals;
}

RC_GTEST_PROP(ClusterProperty, AddingAndRemovingAPodRestoresAllTotals, ()) {
  Cluster cluster;
  cluster.upsert_node(node("n1"));
  cluster.upsert_node(node("n2"));
  cluster.upsert_pod(pod("stays").in("red").on("ghost"));
  if (pick(2) == 0) cluster.upsert_namespace(name_space("red", {{"team", "a"}}));
  const Watched watched = watch(cluster);
  const int there = pick(6);
  for (int i = 0; i < there; ++i) cluster.upsert_pod(random_pod("p" + std::to_string(i)));
  const ClusterTotals before = totals_of(cluster, watched);

  const PodBuilder extra = random_pod("extra");
  cluster.upsert_pod(extra);
  RC_ASSERT(totals_of(cluster, watched).first != before.first);
  // The pod may change while it is in the model, and the model may be read.
  if (pick(2) == 0) cluster.upsert_pod(random_pod("extra"));
  if (pick(2) == 0) cluster.upsert_pod(random_pod("extra"));
  totals_of(cluster, watched);
  cluster.remove_pod("uid-extra");
  RC_ASSERT(totals_of(cluster, watched) == before);
}

void change(Cluster& cluster, int which, const PodBuilder& pod) {
  if (which == 0) {
    cluster.remove_pod(pod.get().metadata().uid());
  } else {
    cluster.upsert_pod(pod);
  }
}

RC_GTEST_PROP(ClusterProperty, ChangesOfACopyAndOfItsOriginalDoNotAffectEachOther, ()) {
  Cluster original;
  Cluster same;  // has the same history as the original, and no copy
  for (Cluster* one : {&original, &same}) {
    for (const char* name : {"n1", "n2", "n3"}) one->upsert_node(node(name));
    one->upsert_namespace(name_space("red", {{"team", "a"}}));
  }
  const Watched watched = watch(original);
  watch(same);
  const int there = pick(80);  // more than a page
  for (int i = 0; i < there; ++i) {
    const PodBuilder pod = random_pod("p" + std::to_string(i));
    for (Cluster* one : {&original, &same}) one->upsert_pod(pod);
  }
  Cluster copy(original);
  const ClusterTotals at_copying = totals_of(original, watched);
  RC_ASSERT(totals_of(copy, watched) == at_copying);
  RC_ASSERT(copy.pod_count() == original.pod_count());

  for (int i = 0; i < 20; ++i) {
    const int which = pick(3);
    const PodBuilder pod = random_pod("p" + std::to_string(pick(there + 5)));
    for (Cluster* one : {&original, &same}) change(*one, which, pod);
  }
  RC_ASSERT(totals_of(copy, watched) == at_copying);
  RC_ASSERT(totals_of(original, watched) == totals_of(same, watched));

  for (int i = 0; i < 20; ++i) change(copy, pick(3), random_pod("q" + std::to_string(pick(10))));
  if (pick(2) == 0) copy.remove_node("n2");
  if (pick(2) == 0) copy.upsert_namespace(name_space("red", {{"team", "b"}}));
  RC_ASSERT(totals_of(original, watched) == totals_of(same, watched));
  for (const AssignedPod& pod : original.pods()) {
    if (!pod.uid.empty()) RC_ASSERT(original.find_pod(pod.uid).has_value());
  }
}

RC_GTEST_PROP(ClusterProperty, ForgettingAnAssumedPodRestoresAllTotals, ()) {
  Cluster cluster;
  cluster.upsert_node(node("n1"));
  const Watched watched = watch(cluster);
  cluster.upsert_pod(random_pod("there"));
  const ClusterTotals before = totals_of(cluster, watched);
  const PodBuilder extra = random_pod("extra");
  cluster.assume(extra, cluster.compiled_spec_of(extra), cluster.find_node("n1").value());
  RC_ASSERT(totals_of(cluster, watched) != before);
  cluster.forget("uid-extra");
  RC_ASSERT(totals_of(cluster, watched) == before);
}

RC_GTEST_PROP(ClusterProperty, AssumingAndConfirmingAPodGivesTheSameTotalsAsAddingThePod, ()) {
  Cluster cluster;
  cluster.upsert_node(node("n1"));
  const Watched watched = watch(cluster);
  PodBuilder extra = random_pod("extra").on("");
  cluster.assume(extra, cluster.compiled_spec_of(extra), cluster.find_node("n1").value());
  Cluster seen;
  seen.upsert_node(node("n1"));
  const Watched seen_watched = watch(seen);
  extra.on("n1");
  cluster.upsert_pod(extra);
  seen.upsert_pod(extra);
  RC_ASSERT(totals_of(cluster, watched) == totals_of(seen, seen_watched));
}

}  // namespace
}  // namespace rescheduler::cluster::testing
