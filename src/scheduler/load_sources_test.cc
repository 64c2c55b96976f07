#include "scheduler/load_sources.h"

#include <gmock/gmock.h>

#include "net/event_loop.h"
#include "support/scripted_api.h"
#include "usage/source.h"

namespace rescheduler::scheduler {
namespace {

using cluster::LoadSource;
using cluster::LoadSourceKind;

LoadSource prometheus(std::string address) {
  LoadSource source;
  source.kind = LoadSourceKind::Prometheus;
  source.address = std::move(address);
  return source;
}

TEST(LoadSources, ASecondSourceOfTheSameKindHasANumberInItsName) {
  net::EventLoop loop;
  net::RealTimers timers;
  SystemClock clock;
  Rng rng{1};
  MetricRegistry metrics;
  test::ScriptedApi api;
  cluster::LoadSettings settings;
  settings.sources = {prometheus("http://a:9090"), LoadSource{}, prometheus("")};  // the last one is searched

  auto sources = make_sources(settings, api, {loop.executor(), &timers, &clock, &rng, &metrics});

  ASSERT_TRUE(sources) << sources.error().message;
  std::vector<std::string> names;
  for (const auto& source : *sources) names.emplace_back(source->name());
  EXPECT_THAT(names, testing::ElementsAre("prometheus", "metrics-server", "prometheus-2"));
}

}  // namespace
}  // namespace rescheduler::scheduler
