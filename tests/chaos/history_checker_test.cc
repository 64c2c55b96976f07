// The judge of the chaos has eyes: each thing it looks for, done on purpose, is a breach in its book.
#include "chaos/history_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/client/client.h"
#include "kube/codec/json.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "migration/definition.h"
#include "sim/cluster.h"
#include "sim/door/local_api.h"
#include "sim/time/pacer.h"

namespace rescheduler::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TheChecker : public testing::Test {
 protected:
  TheChecker() {
    EXPECT_TRUE(loop_.await_result(migration::ensure_definition(api_, loop_.timers())));
    create<api::Node>(R"({"metadata":{"name":"n"},"status":{"capacity":{"cpu":"1","memory":"8Gi","pods":"12"}}})");
  }
  template <class T>
  void create(const std::string& json) {
    T object;
    const auto read = kube::from_json(json, object, kube::UnknownFields::Refuse);
    ASSERT_TRUE(read) << read.error().message;
    auto made = loop_.await_result(client_.create(std::move(object)));
    ASSERT_TRUE(made) << made.error().message;
  }
  void pod(const std::string& name, const std::string& cpu, const std::string& app = "web") {
    create<api::Pod>(fmt::format(
        R"({{"metadata":{{"namespace":"default","name":"{}","labels":{{"app":"{}"}}}},"spec":{{"nodeName":"n",
            "terminationGracePeriodSeconds":2,"containers":[{{"name":"main","image":"registry.example/app:1",
            "resources":{{"requests":{{"cpu":"{}"}}}}}}]}}}})",
        name, app, cpu));
    loop_.run_for(std::chrono::seconds{20});
  }
  void evict(const std::string& name) {
    api::Eviction eviction;
    eviction.mutable_metadata()->set_namespace_("default");
    eviction.mutable_metadata()->set_name(name);
    auto done = loop_.await_result(client_.create_sub<api::Pod>("default", name, "eviction", eviction));
    ASSERT_TRUE(done) << done.error().message;
  }

  sim::EmbeddedCluster cluster_{sim::ClusterSettings{}};
  HistoryChecker checker_{cluster_.server()};
  sim::LocalApi api_{cluster_.server(), cluster_.documents()};
  kube::Client client_{api_};
  sim::VirtualLoop loop_{cluster_.agenda()};  // last: its coroutines use the rest
};

TEST_F(TheChecker, FindsNothingWrongWithANodeThatIsFull) {
  pod("one", "400m");
  pod("two", "600m");
  EXPECT_THAT(checker_.breaches(), IsEmpty());
  EXPECT_EQ(checker_.bindings(), 2U);
}

TEST_F(TheChecker, SeesANodeThatIsGivenMoreThanItHas) {
  pod("one", "400m");
  pod("two", "700m");
  EXPECT_THAT(checker_.breaches(), ElementsAre(HasSubstr("n has 1000 of cpu and pods that ask for 1100")));
}

TEST_F(TheChecker, SeesTwoCopiesOfWhatMayLiveOnlyOnce) {
  checker_.single_identity("web");
  pod("one", "100m");
  EXPECT_THAT(checker_.breaches(), IsEmpty());
  pod("two", "100m");
  EXPECT_THAT(checker_.breaches(), ElementsAre(HasSubstr("web has 2 copies at once")));
}

TEST_F(TheChecker, SeesAnEvictionThatNobodyAnnouncedAndOneOfTheProtected) {
  checker_.forbid("still");
  pod("one", "100m");
  evict("one");
  EXPECT_THAT(checker_.breaches(), ElementsAre(HasSubstr("0 migrations announce the eviction of one")));
  pod("two", "100m", "still");
  evict("two");
  EXPECT_THAT(checker_.breaches(), testing::Contains(HasSubstr("two is protected and was evicted")));
}

}  // namespace
}  // namespace rescheduler::test
