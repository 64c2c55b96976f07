// The cost of serving the pages: viewers of the stream over TLS, pods that change at a steady rate, nodes whose load is
// updated at intervals. Reports the CPU time of the serving thread as a share of one core, and once without viewers,
// which is the cost of receiving the updates.
//
//   dashboard_bench [VIEWERS [CHANGES_PER_SECOND [NODES [SECONDS]]]]       default: 20 100 5000 30
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <thread>

#include <fmt/core.h>

#include "base/log.h"
#include "dashboard/dashboard.h"
#include "dashboard/testing.h"
#include "net/event_loop.h"
#include "net/http/http_client.h"

namespace rescheduler::dashboard {
namespace {

constexpr int kPodsPerNode = 10;
constexpr std::chrono::seconds kBetweenLoads{30};  // twice the default of load.interval

struct Setting {
  int viewers = 20;
  int changes = 100;
  int nodes = 5000;
  int seconds = 30;
};

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

std::string node_name(int number) { return fmt::format("node-{}", number); }

api::Pod pod_number(int number, const Setting& setting, bool ready) {
  api::Pod made = pod("default", fmt::format("app-{}", number), node_name(number % setting.nodes), "100m", "128Mi");
  auto& condition = *made.mutable_status()->add_conditions();
  condition.set_type("Ready");
  condition.set_status(ready ? "True" : "False");
  // Without this change the row would stay the same, and nothing would be sent.
  (*made.mutable_spec()->mutable_containers(0)->mutable_resources()->mutable_requests())["cpu"].set_string(
      ready ? "100m" : "150m");
  return made;
}

std::shared_ptr<const scheduler::LoadUpdate> loads_of(const Setting& setting, int round) {
  auto loads = std::make_shared<scheduler::LoadUpdate>();
  loads->load_summary.basis = cluster::LoadBasis::Usage;
  loads->load_summary.source = "metrics-server";
  loads->at = SystemClock().wall_now();
  for (int i = 0; i < setting.nodes; ++i) {
    cluster::NodeLoad load;
    load.used[cluster::kCpuLoad] = 0.3 + 0.001 * ((i * 7 + round * 13) % 500);
    load.used[cluster::kMemoryLoad] = 0.4 + 0.001 * ((i * 3 + round * 11) % 300);
    loads->nodes.emplace_back(node_name(i), load);
  }
  return loads;
}

net::Task<Result<double>> cpu_of_this_thread() { co_return thread_seconds(); }

net::Task<void> watch(std::shared_ptr<net::HttpClient> client,
                      std::atomic<std::uint64_t>& bytes,
                      std::atomic<int>& up) {
  net::HttpRequest request;
  request.target = "/api/v1/stream";
  constexpr std::chrono::seconds kPatience{30};
  auto stream = co_await client->open(std::move(request), kPatience, kPatience);
  if (!stream) {
    fmt::print(stderr, "{}\n", stream.error().message);
    co_return;
  }
  ++up;
  std::string text;
  for (;;) {
    text.clear();
    auto read = co_await (*stream)->read(text);
    if (!read || *read == 0) co_return;
    bytes += *read;
  }
}

net::Task<Result<void>> stopped(server::Server& server, Dashboard& dashboard) {
  dashboard.stop();
  co_await server.stop(std::chrono::seconds(1));
  co_return Result<void>{};
}

void publish(net::EventLoop& loop, Dashboard& dashboard, kube::ObjectPtr object) {
  const auto send = [](Dashboard& to, kube::ObjectPtr what) -> net::Task<void> {
    to.model().upsert(what);
    co_return;
  };
  net::spawn(loop.executor(), "publish", send(dashboard, std::move(object)));
}

void publish_loads(net::EventLoop& loop, Dashboard& dashboard, std::shared_ptr<const scheduler::LoadUpdate> loads) {
  const auto send = [](Dashboard& to, std::shared_ptr<const scheduler::LoadUpdate> what) -> net::Task<void> {
    to.model().loads(*what);
    co_return;
  };
  net::spawn(loop.executor(), "publish", send(dashboard, std::move(loads)));
}

Result<void> run(const Setting& setting, int viewers) {
  SystemClock clock;
  Rng rng{1};
  MetricRegistry metrics;
  net::RealTimers timers;
  net::EventLoop looking;
  net::EventLoop serving;
  DashboardParts parts{.executor = serving.executor()};
  parts.clock = &clock;
  auto dashboard = std::make_unique<Dashboard>(std::move(parts));
  server::ServerSettings settings;
  settings.address = "127.0.0.1";
  settings.port = 0;
  auto server = server::Server::start({serving.executor(), &timers, &clock, &rng, &metrics}, nullptr, settings);
  if (!server) return fail(std::move(server.error()));
  dashboard->serve(**server);
  for (int i = 0; i < setting.nodes; ++i) {
    publish(serving, *dashboard, std::make_shared<api::Node>(node(node_name(i), "32", "128Gi")));
  }
  const int pods = setting.nodes * kPodsPerNode;
  for (int i = 0; i < pods; ++i) publish(serving, *dashboard, std::make_shared<api::Pod>(pod_number(i, setting, true)));
  publish_loads(serving, *dashboard, loads_of(setting, 0));
  dashboard->start();
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<int> up{0};
  std::vector<std::shared_ptr<net::HttpClient>> clients;
  for (int i = 0; i < viewers; ++i) {
    net::HttpClientSettings client;
    client.origin = {true, "127.0.0.1", (*server)->port()};
    client.tls.insecure_skip_verify = true;
    auto made = net::make_http_client(looking.executor(), client);
    if (!made) return fail(std::move(made.error()));
    clients.push_back(std::move(*made));
    net::spawn(looking.executor(), "viewer", watch(clients.back(), bytes, up));
  }
  while (up < viewers) std::this_thread::sleep_for(std::chrono::milliseconds{10});
  std::this_thread::sleep_for(std::chrono::seconds{2});  // until the initial state has been sent
  bytes = 0;
  const double before = serving.await_result(cpu_of_this_thread()).value();
  const SteadyTime begin = clock.steady_now();
  SteadyTime next_loads = begin + kBetweenLoads / 2;
  int published = 0;
  int round = 0;
  while (clock.steady_now() - begin < std::chrono::seconds{setting.seconds}) {
    const double passed = std::chrono::duration<double>(clock.steady_now() - begin).count();
    for (; published < static_cast<int>(passed * setting.changes); ++published) {
      const int number = static_cast<int>((static_cast<std::int64_t>(published) * 7919) % pods);
      publish(serving, *dashboard, std::make_shared<api::Pod>(pod_number(number, setting, published % 2 == 0)));
    }
    if (clock.steady_now() >= next_loads) {
      publish_loads(serving, *dashboard, loads_of(setting, ++round));
      next_loads += kBetweenLoads;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  const double used = serving.await_result(cpu_of_this_thread()).value() - before;
  const double took = std::chrono::duration<double>(clock.steady_now() - begin).count();
  fmt::print("{:3} viewers, {} pod changes/s, {} nodes, {} pods: {:.2f} % of a core, {:.0f} KiB/s to each viewer\n",
             viewers, setting.changes, setting.nodes, pods, 100 * used / took,
             viewers == 0 ? 0 : static_cast<double>(bytes) / 1024 / took / viewers);
  (void)serving.await_result(stopped(**server, *dashboard));
  server->reset();
  return {};
}

}  // namespace
}  // namespace rescheduler::dashboard

int main(int argc, char** argv) {
  using namespace rescheduler;
  set_log_level(LogLevel::Warning);
  dashboard::Setting setting;
  int* const places[] = {&setting.viewers, &setting.changes, &setting.nodes, &setting.seconds};
  for (int i = 1; i < argc && i <= 4; ++i) *places[i - 1] = std::atoi(argv[i]);
  for (const int viewers : {0, setting.viewers}) {
    const auto done = dashboard::run(setting, viewers);
    if (!done) {
      fmt::print(stderr, "{}\n", done.error().message);
      return 1;
    }
  }
  return 0;
}
