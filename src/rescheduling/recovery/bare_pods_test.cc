#include "rescheduling/recovery/bare_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core.pb.h"
#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::rescheduling::recovery {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class BarePodsTest : public testing::Test {
 protected:
  void put_pod(const std::string& uid) {
    api::Pod pod;
    pod.mutable_metadata()->set_namespace_("shop");
    pod.mutable_metadata()->set_name("p");
    pod.mutable_metadata()->set_uid(uid);
    pod.mutable_spec()->set_node_name("a");
    api_.put(pod);
  }
  std::optional<api::Pod> pod() const { return api_.find<api::Pod>("shop", "p"); }
  Result<void> save(const std::string& uid) { return time_.loop.await_result(pods_.save("shop", "p", uid, ledger())); }
  std::vector<std::string> go_on() {
    const auto reports = time_.loop.await_result(went_on());
    EXPECT_TRUE(reports);
    return reports.value_or(std::vector<std::string>{});
  }
  static RetryLedger ledger() {
    RetryLedger made;
    made.at(kOnlySlot).visits = {{"a", WallTime{}}};
    return made;
  }
  std::vector<std::string> requests_of(const std::function<void()>& what) {
    const std::size_t before = api_.calls().size();
    what();
    std::vector<std::string> sent;
    for (std::size_t i = before; i < api_.calls().size(); ++i) sent.push_back(api_.calls()[i].text);
    return sent;
  }

  test::VirtualTime time_;
  test::ScriptedApi api_;
  kube::Client client_{api_};
  BarePods pods_{api_, "kube-system"};

 private:
  net::Task<Result<std::vector<std::string>>> went_on() {
    auto reports = co_await pods_.go_on();
    co_return reports;
  }
};

TEST_F(BarePodsTest, AnotherPodOfTheSameNameIsNeitherEvictedNorDeletedNorSaved) {
  put_pod("another");
  const auto evicted = time_.loop.await_result(evict(client_, "shop", "p", "u1", false));
  ASSERT_FALSE(evicted);
  EXPECT_EQ(evicted.error().code, Errc::Conflict);
  const auto deleted = time_.loop.await_result(delete_at_once(client_, "shop", "p", "u1"));
  ASSERT_FALSE(deleted);
  EXPECT_EQ(deleted.error().code, Errc::Conflict);
  EXPECT_FALSE(save("u1"));
  EXPECT_THAT(api_.all<api::ConfigMap>(), IsEmpty());
  EXPECT_TRUE(pod());
}

TEST_F(BarePodsTest, ABarePodIsSavedEvictedAndCreatedAgainAndTheSavedCopyIsDeleted) {
  put_pod("u1");
  ASSERT_TRUE(save("u1"));
  ASSERT_THAT(api_.all<api::ConfigMap>(), SizeIs(1));
  EXPECT_THAT(go_on(), IsEmpty());
  EXPECT_FALSE(pod()) << "evicted";
  EXPECT_THAT(go_on(), ElementsAre("pod p was created again"));
  ASSERT_TRUE(pod());
  EXPECT_NE(pod()->metadata().uid(), "u1");
  EXPECT_EQ(pod()->spec().node_name(), "");
  EXPECT_THAT(api_.all<api::ConfigMap>(), IsEmpty());
}

TEST_F(BarePodsTest, APodThatAnotherClientCreatedAgainIsKept) {
  put_pod("u1");
  ASSERT_TRUE(save("u1"));
  put_pod("another");
  EXPECT_THAT(go_on(), ElementsAre("pod p was created again"));
  ASSERT_TRUE(pod());
  EXPECT_EQ(pod()->metadata().uid(), "another");
  EXPECT_THAT(api_.all<api::ConfigMap>(), IsEmpty());
}

// Every recovery cycle calls go_on().
TEST_F(BarePodsTest, SavedPodsAreListedOnceAtTheStartAndThenOnlyWhilePodsAreSaved) {
  EXPECT_THAT(requests_of([this] { go_on(); }), ElementsAre("list configmaps in kube-system"));
  EXPECT_THAT(requests_of([this] { go_on(); }), IsEmpty());
  put_pod("u1");
  ASSERT_TRUE(save("u1"));
  go_on();
  go_on();
  EXPECT_THAT(requests_of([this] { go_on(); }), SizeIs(1)) << "the last list finds that nothing is saved";
  EXPECT_THAT(requests_of([this] { go_on(); }), IsEmpty());
}

}  // namespace
}  // namespace rescheduler::rescheduling::recovery
