#include "server/delegated_auth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/authentication.pb.h"
#include "kube/proto/authorization.pb.h"
#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::server {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DelegatedAuthTest : public testing::Test {
 protected:
  DelegatedAuthTest() {
    api_.answer_creates_of(kube::resource_of<api::TokenReview>(), [this](const auto& asked, auto& answer) {
      const auto& token = static_cast<const api::TokenReview&>(asked).spec().token();
      auto& status = *static_cast<api::TokenReview&>(answer).mutable_status();
      status.set_authenticated(token == good_token_);
      if (!status.authenticated()) return;
      status.mutable_user()->set_username("ann");
      status.mutable_user()->set_uid("u-1");
      for (const std::string& group : groups_) status.mutable_user()->add_groups(group);
      (*status.mutable_user()->mutable_extra())["scopes"].add_items("all");
    });
    api_.answer_creates_of(kube::resource_of<api::SubjectAccessReview>(), [this](const auto& asked, auto& answer) {
      last_review_ = static_cast<const api::SubjectAccessReview&>(asked).spec();
      static_cast<api::SubjectAccessReview&>(answer).mutable_status()->set_allowed(allowed_);
    });
  }

  // The user name; "" for an invalid token, or the error.
  std::string authenticate(const std::string& token) {
    const kube::Secret secret(token);
    auto user_info = time_.loop.await_result(auth_.authenticate(secret));
    if (!user_info) return user_info.error().message;
    return *user_info ? (*user_info)->name : "";
  }
  Result<bool> may(const std::string& verb, const std::string& path) {
    auto user_info = std::make_shared<UserInfo>(UserInfo{"ann", "u-1", groups_, {{"scopes", {"all"}}}});
    return time_.loop.await_result(auth_.authorize(user_info, verb, path));
  }
  std::size_t calls() const { return api_.calls().size(); }

  std::string good_token_ = "good";
  std::vector<std::string> groups_{"ops"};
  bool allowed_ = true;
  api::SubjectAccessReviewSpec last_review_;
  test::ScriptedApi api_;
  test::VirtualTime time_;
  DelegatedAuth auth_{api_, time_.clock};
};

TEST_F(DelegatedAuthTest, ValidAndInvalidTokensAreCachedForTenSeconds) {
  for (const auto& [token, name] : {std::pair("good", "ann"), std::pair("bad", "")}) {
    const std::size_t before = calls();
    EXPECT_EQ(authenticate(token), name);
    time_.clock.advance(9s);
    EXPECT_EQ(authenticate(token), name);
    EXPECT_EQ(calls(), before + 1);
    time_.clock.advance(1s);
    EXPECT_EQ(authenticate(token), name);
    EXPECT_EQ(calls(), before + 2);
  }
}

TEST_F(DelegatedAuthTest, ARevokedTokenIsRejectedAfterTheCacheExpires) {
  EXPECT_EQ(authenticate("good"), "ann");
  good_token_ = "another";
  time_.clock.advance(10s);
  EXPECT_EQ(authenticate("good"), "");
}

TEST_F(DelegatedAuthTest, AnAccessReviewContainsTheWholeUserInfo) {
  EXPECT_TRUE(may("get", "/configz").value());
  EXPECT_EQ(last_review_.user(), "ann");
  EXPECT_EQ(last_review_.uid(), "u-1");
  EXPECT_THAT(last_review_.groups(), ElementsAre("ops"));
  EXPECT_THAT(last_review_.extra().at("scopes").items(), ElementsAre("all"));
  EXPECT_EQ(last_review_.non_resource_attributes().verb(), "get");
  EXPECT_EQ(last_review_.non_resource_attributes().path(), "/configz");
}

TEST_F(DelegatedAuthTest, APermissionIsCachedPerUserVerbAndPath) {
  EXPECT_TRUE(may("get", "/configz").value());
  allowed_ = false;
  EXPECT_TRUE(may("get", "/configz").value()) << "the permission is cached";
  EXPECT_FALSE(may("post", "/configz").value());
  EXPECT_FALSE(may("get", "/other").value());
  groups_ = {"guests"};
  EXPECT_FALSE(may("get", "/configz").value());
  groups_ = {"ops"};
  time_.clock.advance(10s);
  EXPECT_FALSE(may("get", "/configz").value());
}

TEST_F(DelegatedAuthTest, SystemMastersAreAllowedWithoutAReview) {
  groups_ = {"ops", "system:masters"};
  allowed_ = false;
  EXPECT_TRUE(may("get", "/configz").value());
  EXPECT_EQ(calls(), 0u);
}

TEST_F(DelegatedAuthTest, AFailedReviewIsAnErrorAndIsNotCached) {
  api_.fail_calls(0, 1, Error{Errc::Denied, "tokenreviews is forbidden"});
  EXPECT_THAT(authenticate("good"), HasSubstr("the API server did not answer the review: tokenreviews is forbidden"));
  EXPECT_EQ(authenticate("good"), "ann");
  api_.fail_calls(2, 1, Error{Errc::Timeout, "the deadline passed"});
  const auto undecided = may("get", "/configz");
  ASSERT_FALSE(undecided);
  EXPECT_EQ(undecided.error().code, Errc::Unavailable);
  EXPECT_TRUE(may("get", "/configz").value());
}

TEST_F(DelegatedAuthTest, ReviewsBeyondTheInFlightLimitAreRefused) {
  DelegatedAuthSettings settings;
  settings.most_in_flight = 0;
  DelegatedAuth busy(api_, time_.clock, settings);
  const auto user_info = time_.loop.await_result(busy.authenticate(kube::Secret("good")));
  ASSERT_FALSE(user_info);
  EXPECT_EQ(user_info.error().code, Errc::Unavailable);
  EXPECT_EQ(calls(), 0u);
}

}  // namespace
}  // namespace rescheduler::server
