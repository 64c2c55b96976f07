#include "kube/informer/reflector_protocol.h"

#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

using namespace reflector;
using std::chrono::milliseconds;

class ReflectorProtocolTest : public testing::Test {
 protected:
  ReflectorProtocol protocol(bool streaming) {
    return {Backoff({milliseconds{100}, milliseconds{1000}, 2.0, 0.0}, rng_), streaming};
  }
  static std::string watched_from(const Action& action) {
    const auto* watch = std::get_if<Watch>(&action);
    return watch ? watch->version : "(not a watch)";
  }
  static milliseconds slept(const Action& action) {
    const auto* sleep = std::get_if<Sleep>(&action);
    return sleep ? sleep->duration : milliseconds{-1};
  }
  Rng rng_{1};
};

TEST_F(ReflectorProtocolTest, ListsThenWatchesFromTheListsVersion) {
  auto reflector = protocol(false);
  EXPECT_TRUE(std::holds_alternative<List>(reflector.next(Started{})));
  EXPECT_EQ(watched_from(reflector.next(Listed{"10"})), "10");
}

TEST_F(ReflectorProtocolTest, ResumesTheWatchAtTheLastVersionAfterAnEndOrAFailure) {
  auto reflector = protocol(false);
  (void)reflector.next(Started{});
  (void)reflector.next(Listed{"10"});
  reflector.progressed("12");
  EXPECT_EQ(watched_from(reflector.next(Ended{})), "12");
  EXPECT_EQ(slept(reflector.next(Failed{})), milliseconds{100});
  EXPECT_EQ(watched_from(reflector.next(Woke{})), "12") << "a failure must not reset the version";
}

TEST_F(ReflectorProtocolTest, ListsAtOnceAfterAnExpiredWatchAndBacksOffAfterAnExpiredList) {
  auto reflector = protocol(false);
  (void)reflector.next(Started{});
  (void)reflector.next(Listed{"10"});
  EXPECT_TRUE(std::holds_alternative<List>(reflector.next(Expired{})));
  EXPECT_EQ(slept(reflector.next(Expired{})), milliseconds{100}) << "an expired list must not be repeated at once";
  EXPECT_TRUE(std::holds_alternative<List>(reflector.next(Woke{})));
}

TEST_F(ReflectorProtocolTest, UsesListsPermanentlyWhenStreamingIsUnsupported) {
  auto reflector = protocol(true);
  EXPECT_TRUE(std::holds_alternative<StreamList>(reflector.next(Started{})));
  EXPECT_TRUE(std::holds_alternative<List>(reflector.next(StreamingUnsupported{})));
  (void)reflector.next(Listed{"10"});
  EXPECT_TRUE(std::holds_alternative<List>(reflector.next(Expired{})));
}

TEST_F(ReflectorProtocolTest, AStreamedListContinuesAsAWatch) {
  auto reflector = protocol(true);
  (void)reflector.next(Started{});
  reflector.progressed("20");
  reflector.progressed("21");
  EXPECT_EQ(watched_from(reflector.next(Ended{})), "21");
}

TEST_F(ReflectorProtocolTest, AnInterruptedStreamedListStartsOver) {
  auto reflector = protocol(true);
  (void)reflector.next(Started{});
  EXPECT_EQ(slept(reflector.next(Failed{})), milliseconds{100});
  EXPECT_TRUE(std::holds_alternative<StreamList>(reflector.next(Woke{})));
}

TEST_F(ReflectorProtocolTest, BacksOffWhenTheServerEndsWatchesWithoutProgress) {
  auto reflector = protocol(false);
  (void)reflector.next(Started{});
  (void)reflector.next(Listed{"10"});
  for (const int expected : {100, 200, 400, 800, 1000, 1000}) {
    EXPECT_EQ(slept(reflector.next(Ended{})), milliseconds{expected});
    EXPECT_EQ(watched_from(reflector.next(Woke{})), "10");
  }
  reflector.progressed("11");
  (void)reflector.next(Ended{});
  EXPECT_EQ(slept(reflector.next(Ended{})), milliseconds{100}) << "progress resets the backoff";
}

TEST_F(ReflectorProtocolTest, WaitsAtLeastTheRetryAfterOfTheServer) {
  auto reflector = protocol(false);
  (void)reflector.next(Started{});
  EXPECT_GE(slept(reflector.next(Failed{milliseconds{7000}})), milliseconds{7000});
}

}  // namespace
}  // namespace rescheduler::kube
