#include "kube/leader/component.h"

#include <string>

#include <gmock/gmock.h>

#include "net/event_loop.h"

namespace rescheduler::kube {
namespace {

struct NamedComponent final : Component {
  NamedComponent(std::string the_name, std::vector<std::string>& the_log, bool in_time = true)
      : name(std::move(the_name)), log(the_log), ends(in_time) {}
  ~NamedComponent() override { log.push_back(name + " is destroyed"); }
  net::Task<bool> stop(std::chrono::nanoseconds /*grace*/) override {
    log.push_back(name + " stops");
    co_return ends;
  }

  std::string name;
  std::vector<std::string>& log;
  bool ends;
};

net::Task<Result<bool>> stopped(Components& components) {
  const bool ended = co_await components.stop(std::chrono::seconds(1));
  co_return ended;
}

TEST(Components, AreStoppedAndDestroyedInReverseOrder) {
  std::vector<std::string> log;
  {
    net::EventLoop loop;
    Components components;
    components.add(std::make_unique<NamedComponent>("port", log));
    components.add(std::make_unique<NamedComponent>("scheduler", log));
    EXPECT_EQ(loop.await_result(stopped(components)), true);
  }
  EXPECT_THAT(log,
              testing::ElementsAre("scheduler stops", "port stops", "scheduler is destroyed", "port is destroyed"));
}

TEST(Components, AreAllStoppedEvenIfOneDoesNotEndInTime) {
  std::vector<std::string> log;
  net::EventLoop loop;
  Components components;
  components.add(std::make_unique<NamedComponent>("port", log));
  components.add(std::make_unique<NamedComponent>("scheduler", log, false));
  EXPECT_EQ(loop.await_result(stopped(components)), false);
  EXPECT_THAT(log, testing::ElementsAre("scheduler stops", "port stops"));
}

}  // namespace
}  // namespace rescheduler::kube
