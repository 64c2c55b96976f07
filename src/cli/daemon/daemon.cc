#include "cli/daemon/daemon.h"

#include <atomic>

#include <malloc.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/rng.h"
#include "cli/composition/composition.h"
#include "cli/composition/live_dashboard.h"
#include "cli/daemon/installation_monitor.h"
#include "cli/daemon/permissions.h"
#include "cli/daemon/secure_port.h"
#include "cli/messages.h"
#include "config/effective.h"
#include "kube/client/https_api.h"
#include "kube/leader/leader_elector.h"
#include "net/event_loop.h"

namespace rescheduler::cli {
namespace {

constexpr std::chrono::seconds kGrace{10};  // a binding takes milliseconds, an unreachable server more
constexpr std::chrono::seconds kBetweenGauges{1};
constexpr std::chrono::seconds kBetweenTrims{10};

// Separate clients, so that events, token reviews and bulk writes do not delay bindings or the lease.
struct ApiClients {
  std::unique_ptr<kube::Api> scheduler{};
  std::unique_ptr<kube::Api> events{};
  std::unique_ptr<kube::Api> recovery{};
  std::unique_ptr<kube::Api> migrations{};
  std::unique_ptr<kube::Api> lease{};
  std::unique_ptr<kube::Api> dashboard{};
  std::unique_ptr<kube::Api> token_reviews{};
  std::unique_ptr<kube::Api> access_reviews{};

  Result<void> make(const DaemonSettings& settings, const kube::LoopServices& services) {
    const auto& connection = settings.configuration.client_connection;
    const double burst = connection.burst;
    const std::tuple<std::unique_ptr<kube::Api>*, const kube::ClientConfig*, double, double> wanted[] = {
        {&scheduler, &settings.cluster, connection.qps, burst},
        {&events, &settings.cluster, connection.qps, burst},
        {&recovery, &settings.cluster, connection.qps, burst},
        {&migrations, &settings.cluster, connection.qps, burst},
        {&lease, &settings.cluster, 20, 30},
        {&dashboard, &settings.cluster, 20, 30},
        {&token_reviews, &settings.token_reviews, 50, 100},
        {&access_reviews, &settings.access_reviews, 50, 100}};
    for (const auto& [client, config, qps, most] : wanted) {
      kube::HttpsApiSettings how;
      how.requests_per_second = qps;
      how.burst = most;
      auto made = kube::make_https_api(*config, how, services);
      if (!made) return fail(std::move(made.error()));
      *client = std::move(*made);
    }
    return {};
  }
};

net::Task<void> refresh_gauges(scheduler::LiveScheduler& scheduler, net::Timers& timers) {
  for (;;) {
    const auto slept = co_await timers.sleep_for(kBetweenGauges);
    if (!slept) co_return;
    scheduler.inspect([](scheduler::Scheduler& at) { at.refresh_gauges(); });
  }
}

// Each reading of load and each plan allocates much memory for a moment, and the allocator keeps the freed pages. With
// 100,000 pods this returns about 20 MiB to the system and takes a millisecond.
net::Task<void> return_free_memory(net::Timers& timers) {
  for (;;) {
    const auto slept = co_await timers.sleep_for(kBetweenTrims);
    if (!slept) co_return;
    (void)malloc_trim(0);
  }
}

}  // namespace

struct Daemon::State {
  // Objects that must be created, used and destroyed on the network thread.
  struct Parts {
    ApiClients clients{};
    kube::Components components{};           // the components below, in this order, and the dashboard
    SecurePort* port = nullptr;              // null: no port
    kube::LeaderElector* elector = nullptr;  // null: no leader election, always the leader
    Composition* composition = nullptr;
    InstallationMonitor* monitor = nullptr;
    std::vector<net::Job> jobs{};
    bool leading = false;
    bool stopping = false;
  };

  DaemonSettings settings{};
  SystemClock clock{};
  Rng rng{static_cast<std::uint64_t>(SystemClock().wall_now().time_since_epoch().count())};
  MetricRegistry metrics{};
  net::RealTimers timers{};
  net::EventLoop planning{};
  net::EventLoop deciding{};
  net::EventLoop network{};
  std::unique_ptr<Parts> parts = std::make_unique<Parts>();
  std::atomic<bool> lost{false};

  explicit State(DaemonSettings given) : settings(std::move(given)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  // Stops everything, then destroys the parts, then stops the loops.
  ~State() {
    static_cast<void>(stop());
    const auto dismantle = [this]() -> net::Task<Result<void>> {
      parts.reset();
      co_return Result<void>{};
    };
    static_cast<void>(network.await_result(dismantle()));
    for (net::EventLoop* loop : {&planning, &deciding, &network}) loop->stop();
  }

  kube::LoopServices services() { return {network.executor(), &timers, &clock, &rng, &metrics}; }

  Result<void> make_parts() {
    auto connected = parts->clients.make(settings, services());
    if (!connected) return connected;
    if (settings.options.secure_port != 0) {
      auto port = SecurePort::listen(settings, {*parts->clients.token_reviews, *parts->clients.access_reviews, clock},
                                     services());
      if (!port) return fail(std::move(port.error()));
      parts->port = &parts->components.add(std::move(*port));
    }
    if (settings.configuration.leader_election.leader_elect) {
      auto elector = make_elector(settings.configuration.leader_election);
      if (!elector) return fail(std::move(elector.error()));
      parts->elector = &parts->components.add(std::move(*elector));
    }
    auto composition = make_composition();
    if (!composition) return fail(std::move(composition.error()));
    parts->composition = &parts->components.add(std::move(*composition));
    parts->monitor = &parts->components.add(make_monitor());
    return {};
  }

  Result<std::unique_ptr<kube::LeaderElector>> make_elector(const config::LeaderElection& election) {
    kube::LeaderSettings leader;
    leader.ns = election.resource_namespace;
    leader.name = election.resource_name;
    leader.election.identity = kube::make_identity(settings.host, rng);
    leader.election.lease_duration = election.lease_duration;
    leader.election.renew_deadline = election.renew_deadline;
    leader.election.retry_period = election.retry_period;
    leader.release_when_cancelled = true;
    kube::LeaderCallbacks callbacks;
    callbacks.on_started_leading = [this] { take_the_lead(); };
    callbacks.on_stopped_leading = [this] { lose_the_lead(); };
    callbacks.on_new_leader = [](const std::string& who) { log_info(messages::kLeads, {{"leader", who}}); };
    return kube::LeaderElector::create(*parts->clients.lease, std::move(leader), std::move(callbacks), services());
  }

  Result<std::unique_ptr<Composition>> make_composition() {
    const ApiClients& clients = parts->clients;
    CompositionSettings how;
    how.configuration = settings.configuration;
    how.host = settings.host;
    how.seed = rng.next();
    if (parts->elector != nullptr) how.fence = parts->elector->fence();
    how.network = &network;
    how.deciding = &deciding;
    how.planning = &planning;
    how.recovery = settings.configuration.recovery;
    if (how.configuration.serves_webhook()) how.webhook = how.configuration.webhook;
    how.webhook_address = settings.options.bind_address;
    return Composition::make(
        {clients.scheduler.get(), clients.events.get(), clients.migrations.get(), clients.recovery.get()},
        std::move(how), services());
  }

  std::unique_ptr<InstallationMonitor> make_monitor() {
    const config::LeaderElection& election = settings.configuration.leader_election;
    InstallationMonitorSettings watched;
    watched.permissions = needed_permissions();
    watched.problems = [composition = parts->composition] { return composition->problems(); };
    watched.leads = [from = parts.get()] { return from->leading; };
    watched.lease = {.api_version = "coordination.k8s.io/v1",
                     .kind = "Lease",
                     .ns = election.resource_namespace,
                     .name = election.resource_name};
    watched.host = settings.host;
    return std::make_unique<InstallationMonitor>(*parts->clients.events, std::move(watched), services());
  }

  void serve() {
    if (parts->port == nullptr) return;
    const ApiClients& clients = parts->clients;
    const auto leader = [from = parts.get()] {
      return dashboard::LeaderStatus{from->leading, from->elector != nullptr ? from->elector->leader() : std::string()};
    };
    parts->port->serve(*parts->composition, leader, *clients.scheduler);
    parts->port->serve(*parts->monitor);
    auto pages = dashboard_settings(settings, *clients.dashboard, *clients.events, services());
    if (!pages) return;
    pages->leader = leader;
    auto& dashboard = parts->components.add(std::make_unique<LiveDashboard>(std::move(*pages), parts->composition));
    parts->port->serve(dashboard);
    dashboard.follow();
  }

  // Does not suspend, so the port answers no request before all routes are registered.
  net::Task<Result<void>> start() {
    auto made = make_parts();
    if (!made) co_return made;
    serve();
    parts->composition->follow();
    parts->elector != nullptr ? parts->elector->follow() : take_the_lead();
    parts->jobs = {
        net::spawn(network.executor(), "refresh gauges", refresh_gauges(parts->composition->scheduler(), timers)),
        net::spawn(network.executor(), "return free memory", return_free_memory(timers))};
    parts->monitor->follow();
    co_return Result<void>{};
  }

  void take_the_lead() {
    parts->leading = true;
    parts->composition->lead();
  }

  void lose_the_lead() {
    parts->leading = false;
    if (parts->stopping) return;
    log_error(messages::kLeaseLost);
    lost = true;
    if (settings.on_lost_lead) settings.on_lost_lead();
  }

  bool stop() {
    auto ended = network.await_result(wind_down());
    return ended && *ended;
  }

  net::Task<Result<bool>> wind_down() {
    if (std::exchange(parts->stopping, true)) co_return true;
    if (parts->port != nullptr) parts->port->about_to_stop();
    (void)co_await net::end_all(parts->jobs);
    const bool ended = co_await parts->components.stop(kGrace);
    co_return ended;
  }
};

Daemon::Daemon(std::unique_ptr<State> state) : state_(std::move(state)) {}
Daemon::~Daemon() = default;

Result<std::unique_ptr<Daemon>> Daemon::start(DaemonSettings settings) {
  auto state = std::make_unique<State>(std::move(settings));
  auto started = state->network.await_result(state->start());
  if (!started) return fail(std::move(started.error()));
  return std::unique_ptr<Daemon>(new Daemon(std::move(state)));
}

int Daemon::port() const { return state_->parts->port == nullptr ? 0 : state_->parts->port->port(); }
bool Daemon::lost_the_lead() const { return state_->lost; }

bool Daemon::stop() {
  const bool ended = state_->stop();
  if (!ended) log_error(messages::kCutOff);
  return ended;
}

}  // namespace rescheduler::cli
