#include "cluster/pod_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/cluster.h"
#include "cluster/testing.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cluster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kHost = "kubernetes.io/hostname";

struct PodCountsTest : ::testing::Test {
  PodCountsTest() {
    for (const char* name : {"n1", "n2"}) cluster.upsert_node(node(name));
  }
  // Pods with these labels in the namespaces with these labels; without namespace labels: in "default".
  PodMatch match(const Texts& labels, std::optional<Texts> namespace_labels = {}, bool without_terminating = false) {
    // Compiles a pod whose anti-affinity has this selector.
    const auto compiled_spec = cluster.compiled_spec_of(
        pod("asking").away(kHost, {.labels = labels, .namespace_labels = std::move(namespace_labels)}));
    return {{{compiled_spec->anti_affinity[0].namespaces, compiled_spec->anti_affinity[0].selector}},
            without_terminating};
  }
  std::map<std::string, std::int64_t> named(const NodeCounts& counts) {
    std::map<std::string, std::int64_t> by_name;
    for (const auto& [index, count] : counts) {
      const NodeInfo& at = cluster.node(index);
      by_name[at.exists() ? at.node->name : "ghost"] = count;
    }
    return by_name;
  }
  std::map<std::string, std::int64_t> counted(const PodMatch& what) {
    const NodeCounts* counts = cluster.counts().matching(what);
    return counts == nullptr ? std::map<std::string, std::int64_t>{{"not prepared", -1}} : named(*counts);
  }
  Cluster cluster;
};

TEST_F(PodCountsTest, CountsAreKeptOnlyForPreparedMatches) {
  const PodMatch x = match({{"app", "x"}});
  EXPECT_THAT(counted(x), ElementsAre(Pair("not prepared", -1)));
  cluster.upsert_pod(pod("before").label("app", "x").on("n1"));
  cluster.prepare(x);
  EXPECT_THAT(counted(x), ElementsAre(Pair("n1", 1)));
  cluster.upsert_pod(pod("after").label("app", "x").on("n1"));
  cluster.upsert_pod(pod("other").label("app", "y").on("n1"));
  cluster.upsert_pod(pod("elsewhere").label("app", "x").in("red").on("n2"));
  EXPECT_THAT(counted(x), ElementsAre(Pair("n1", 2)));
  cluster.remove_pod("uid-before");
  cluster.remove_pod("uid-after");
  EXPECT_THAT(counted(x), IsEmpty());  // zero counts are erased
}

TEST_F(PodCountsTest, CountsFollowLabelChangesAndTerminatingPods) {
  const PodMatch all = match({{"app", "x"}});
  const PodMatch staying = match({{"app", "x"}}, {}, true);
  cluster.prepare(all);
  cluster.prepare(staying);
  cluster.upsert_pod(pod("p").label("app", "y").on("n1"));
  EXPECT_THAT(counted(all), IsEmpty());
  cluster.upsert_pod(pod("p").label("app", "x").on("n1"));
  EXPECT_THAT(counted(all), ElementsAre(Pair("n1", 1)));
  EXPECT_THAT(counted(staying), ElementsAre(Pair("n1", 1)));
  cluster.upsert_pod(pod("p").label("app", "x").on("n1").terminating());
  EXPECT_THAT(counted(all), ElementsAre(Pair("n1", 1)));
  EXPECT_THAT(counted(staying), IsEmpty());
  cluster.remove_pod("uid-p");
  EXPECT_THAT(counted(all), IsEmpty());
  EXPECT_THAT(counted(staying), IsEmpty());
}

TEST_F(PodCountsTest, APodIsCountedOnlyIfAllPartsOfTheMatchSelectThePod) {
  PodMatch both = match({{"app", "x"}});
  both.all_of.push_back(match({{"tier", "front"}}).all_of[0]);
  cluster.prepare(both);
  cluster.upsert_pod(pod("1").label("app", "x").on("n1"));
  cluster.upsert_pod(pod("2").label("app", "x").label("tier", "front").on("n2"));
  EXPECT_THAT(counted(both), ElementsAre(Pair("n2", 1)));
}

TEST_F(PodCountsTest, CountsAreRecomputedWhenTheLabelsOfANamespaceChange) {
  const PodMatch team = match({{"app", "x"}}, Texts{{"team", "a"}});
  cluster.prepare(team);
  cluster.upsert_pod(pod("p").label("app", "x").in("red").on("n1"));
  EXPECT_THAT(counted(team), IsEmpty());
  cluster.upsert_namespace(name_space("red", {{"team", "a"}}));
  EXPECT_THAT(counted(team), ElementsAre(Pair("n1", 1)));
  cluster.upsert_pod(pod("q").label("app", "x").in("red").on("n1"));
  EXPECT_THAT(counted(team), ElementsAre(Pair("n1", 2)));
  cluster.upsert_namespace(name_space("red", {{"team", "b"}}));
  EXPECT_THAT(counted(team), IsEmpty());
  cluster.upsert_namespace(name_space("red", {{"team", "a"}}));
  cluster.remove_namespace("red");
  EXPECT_THAT(counted(team), IsEmpty());
  cluster.remove_pod("uid-p");
  EXPECT_THAT(counted(team), IsEmpty());  // no count is below zero
}

TEST_F(PodCountsTest, TheAffinityTermsOfExistingPodsHaveTheSumOfTheirWeightsByNode) {
  const Others x{.labels = {{{"app", "x"}}}};
  cluster.upsert_pod(pod("1").likes(5, kHost, x).on("n1"));
  cluster.upsert_pod(pod("2").likes(7, kHost, x).on("n1"));
  cluster.upsert_pod(pod("3").away(kHost, x).on("n2"));
  const auto asked = pod("p").label("app", "x");
  const auto weights_for = [&](const PodBuilder& of) {
    const auto labels = cluster.interner().labels.intern(of.get().metadata().labels());
    std::map<int, std::map<std::string, std::int64_t>> weights_by_kind;
    for (const ExistingPodTerm* term :
         cluster.counts().terms_matching(cluster.interner().symbols.intern("default"), labels)) {
      weights_by_kind[static_cast<int>(term->kind)] = named(*term->weights);
    }
    return weights_by_kind;
  };
  EXPECT_THAT(weights_for(asked),
              ElementsAre(Pair(static_cast<int>(TermKind::RequiredAnti), ElementsAre(Pair("n2", 1))),
                          Pair(static_cast<int>(TermKind::Preferred), ElementsAre(Pair("n1", 12)))));
  EXPECT_THAT(weights_for(pod("p").label("app", "y")), IsEmpty());
  cluster.remove_pod("uid-1");
  cluster.remove_pod("uid-3");
  EXPECT_THAT(weights_for(asked), ElementsAre(Pair(static_cast<int>(TermKind::Preferred), ElementsAre(Pair("n1", 7)))));
  cluster.upsert_pod(pod("4").away(kHost, x).on("n1"));
  EXPECT_THAT(weights_for(asked),
              ElementsAre(Pair(static_cast<int>(TermKind::RequiredAnti), ElementsAre(Pair("n1", 1))),
                          Pair(static_cast<int>(TermKind::Preferred), ElementsAre(Pair("n1", 7)))));
}

TEST_F(PodCountsTest, TheLeastRecentlyPreparedMatchIsDroppedFirst) {
  cluster.upsert_pod(pod("p").label("app", "x").on("n1"));
  const PodMatch kept = match({{"app", "x"}});
  const PodMatch old = match({{"app", "old"}});
  cluster.prepare(kept);
  cluster.prepare(old);
  for (int i = 0; i < 5000; ++i) {
    cluster.prepare(match({{"n", std::to_string(i)}}));
    cluster.prepare(kept);
  }
  EXPECT_THAT(counted(kept), ElementsAre(Pair("n1", 1)));
  EXPECT_THAT(counted(old), ElementsAre(Pair("not prepared", -1)));
  cluster.remove_pod("uid-p");  // the dropped count is no longer updated
  EXPECT_THAT(counted(kept), IsEmpty());
}

}  // namespace
}  // namespace rescheduler::cluster::testing
