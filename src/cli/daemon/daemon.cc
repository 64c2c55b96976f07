#include "cli/daemon/daemon.h"

#include <atomic>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/rng.h"
#include "cli/daemon/daemon_dashboard.h"
#include "cli/daemon/failure_recovery.h"
#include "cli/daemon/own_mover.h"
#include "cli/daemon/startup_check.h"
#include "cli/messages.h"
#include "config/effective.h"
#include "kube/client/https_api.h"
#include "kube/leader/leader_elector.h"
#include "net/event_loop.h"
#include "rescheduler/loop/live_rescheduler.h"
#include "rescheduler/planning/plan_json.h"
#include "scheduler/live_scheduler.h"
#include "server/extender_door.h"
#include "server/plugin_extender.h"
#include "server/reviewer.h"
#include "server/server.h"

namespace rescheduler::cli {
namespace {

constexpr std::chrono::seconds kGrace{10};  // a binding takes milliseconds; a server that is away takes longer
constexpr std::chrono::seconds kServingGrace{2};
constexpr std::chrono::seconds kBetweenGauges{1};

}  // namespace

// Clients and the port need their loop to go, and what runs on the loops needs them: first everything is stopped, then
// the parts go, on the network thread, and the loops last, none before all have stopped.
struct Daemon::State {
  DaemonSettings settings{};
  SystemClock clock{};
  Rng rng{static_cast<std::uint64_t>(SystemClock().wall_now().time_since_epoch().count())};
  MetricRegistry metrics{};
  net::RealTimers timers{};
  net::EventLoop planning{};
  net::EventLoop deciding{};
  net::EventLoop network{};
  // Each its own: events, made-up tokens and bulk writes must not hold up bindings or the lease.
  std::unique_ptr<kube::Api> api{};
  std::unique_ptr<kube::Api> events{};
  std::unique_ptr<kube::Api> recovering{};
  std::unique_ptr<kube::Api> lease{};
  std::unique_ptr<kube::Api> moves{};
  std::unique_ptr<kube::Api> token_reviews{};
  std::unique_ptr<kube::Api> access_reviews{};
  std::unique_ptr<kube::Api> looking{};  // for those who look at the pages
  std::unique_ptr<server::Reviewer> reviewer{};
  std::unique_ptr<rescheduling::LiveRescheduler> rescheduler{};  // null: it is switched off
  std::unique_ptr<scheduler::LiveScheduler> live{};
  std::unique_ptr<migration::MigrationController> mover{};  // null: the rescheduler has it
  migration::MigrationController* carrying{};               // whoever has it
  NodeLoads loads{};
  std::unique_ptr<server::PluginExtender> extender{};
  std::unique_ptr<FailureRecovery> recovery{};  // null: it is switched off
  std::unique_ptr<DaemonDashboard> pages{};     // null: it is switched off
  std::unique_ptr<server::Server> server{};
  std::unique_ptr<kube::LeaderElector> elector{};
  net::Job electing{};
  net::Job refreshing{};
  net::Job checking{};
  net::Job leading_moves{};
  net::Job beginning{};
  std::atomic<bool> lost{false};
  bool begun = false;  // network thread, as the next two
  bool leading = false;
  bool stopping = false;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    static_cast<void>(stop());
    static_cast<void>(network.await_result(dismantle()));
    for (net::EventLoop* loop : {&planning, &deciding, &network}) loop->stop();
  }

  kube::LoopServices services() { return {network.executor(), &timers, &clock, &rng, &metrics}; }

  Result<void> make_api(std::unique_ptr<kube::Api>& into, const kube::ClientConfig& config, double qps, double burst) {
    kube::HttpsApiSettings api_settings;
    api_settings.requests_per_second = qps;
    api_settings.burst = burst;
    auto made = kube::make_https_api(config, api_settings, services());
    if (!made) return fail(std::move(made.error()));
    into = std::move(*made);
    return {};
  }

  Result<void> make_apis() {
    const auto& connection = settings.configuration.client_connection;
    const double burst = connection.burst;
    const std::tuple<std::unique_ptr<kube::Api>*, const kube::ClientConfig*, double, double> wanted[] = {
        {&api, &settings.cluster, connection.qps, burst},
        {&events, &settings.cluster, connection.qps, burst},
        {&recovering, &settings.cluster, connection.qps, burst},
        {&moves, &settings.cluster, connection.qps, burst},
        {&lease, &settings.cluster, 20, 30},
        {&looking, &settings.cluster, 20, 30},
        {&token_reviews, &settings.token_reviews, 50, 100},
        {&access_reviews, &settings.access_reviews, 50, 100}};
    for (const auto& [slot, config, qps, most] : wanted) {
      auto made = make_api(*slot, *config, qps, most);
      if (!made) return made;
    }
    return {};
  }

  Result<void> make_pages() {
    if (settings.options.secure_port == 0) return {};
    pages = DaemonDashboard::make({looking.get(), events.get(), services(), &settings.configuration, &settings.options,
                                   settings.cluster.origin.text(), settings.host});
    return {};
  }

  void ask_for_pages() {
    DaemonDashboardSources sources;
    sources.live = live.get();
    sources.rescheduler = rescheduler.get();
    sources.elector = elector.get();
    sources.leading = [this] { return leading; };
    sources.recovery = [this] { return recovery ? &recovery->live() : nullptr; };
    sources.recovers = settings.configuration.recovery.has_value();
    pages->ask(std::move(sources));
    pages->serve(*server);
  }

  Result<void> make_scheduler() {
    scheduler::LiveSettings live_settings;
    live_settings.configuration = settings.configuration;
    live_settings.host = settings.host;
    live_settings.seed = rng.next();
    live_settings.deciding = &deciding;
    live_settings.network = &network;
    if (elector) live_settings.fence = elector->fence();
    auto moving = make_rescheduler();
    if (!moving) return moving;
    if (rescheduler) rescheduler->listen(live_settings);
    if (pages) pages->listen(live_settings.sink);
    loads.listen(live_settings);
    auto made = scheduler::LiveScheduler::make({api.get(), events.get()}, std::move(live_settings), services());
    if (!made) return fail(std::move(made.error()));
    live = std::move(*made);
    if (rescheduler) rescheduler->attach(*live);
    if (!rescheduler) mover = new_mover();
    return {};
  }

  // Steers what the scheduler places.
  std::unique_ptr<migration::MigrationController> new_mover() {
    const auto steer = [this](std::vector<scheduler::Intent> intents) {
      if (live) live->want(std::move(intents));
    };
    auto made = make_mover(*moves, events.get(), settings.configuration, settings.host,
                           elector ? elector->fence() : nullptr, steer, loads, services());
    carrying = made.get();
    if (pages) pages->listen(*made);
    return made;
  }

  Result<void> make_rescheduler() {
    rescheduling::LiveReschedulerSettings moving;
    moving.configuration = settings.configuration;
    moving.host = settings.host;
    moving.seed = rng.next();
    moving.planning = &planning;
    moving.make_mover = [this](kube::Api& /*fenced*/, const kube::LoopServices& /*services*/) {
      return run_by_rescheduler(new_mover(), timers);
    };
    if (elector) moving.fence = elector->fence();
    if (pages) pages->listen(moving);
    auto made = rescheduling::LiveRescheduler::make({api.get(), events.get()}, std::move(moving), services());
    if (!made) return fail(std::move(made.error()));
    rescheduler = std::move(*made);
    return {};
  }

  void follow() {
    live->follow();
    if (rescheduler) rescheduler->follow();
    if (mover) mover->follow();
  }

  Result<void> make_elector() {
    const auto& election = settings.configuration.leader_election;
    if (!election.leader_elect) return {};
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
    callbacks.on_stopped_leading = [this] {
      leading = false;
      if (!stopping) log_error(messages::kLeaseLost);
      lost = true;
    };
    callbacks.on_new_leader = [](const std::string& who) { log_info(messages::kLeads, {{"leader", who}}); };
    auto made = kube::LeaderElector::create(*lease, std::move(leader), std::move(callbacks), services());
    if (!made) return fail(std::move(made.error()));
    elector = std::move(*made);
    return {};
  }

  // On the network thread.
  void take_the_lead() {
    leading = true;
    if (settings.configuration.delay_cache_until_active) follow();
    if (mover) leading_moves = net::spawn(network.executor(), "begin to move", lead_when_synced(*mover, timers));
    beginning = net::spawn(network.executor(), "begin to decide", begin_to_decide());
    if (recovery) recovery->lead();
  }

  // Its port is another one: the API server has no token for ours.
  void start_recovery() {
    const auto wanted = settings.configuration.recovery;
    if (!wanted) return;
    FailureRecoverySettings how;
    how.recovery = *wanted;
    how.host = settings.host;
    how.own_namespace = settings.configuration.leader_election.resource_namespace;
    for (const auto& profile : settings.configuration.profiles) {
      how.own_schedulers.push_back(profile.scheduler_name);
    }
    how.address = settings.options.bind_address;
    if (elector) how.fence = elector->fence();
    if (pages) how.on_news = pages->recovery_news();
    how.target = [this](const api::Pod& pod) { return carrying != nullptr ? carrying->wanted_on(pod) : std::string(); };
    recovery = FailureRecovery::start({recovering.get(), events.get()}, std::move(how), services());
  }

  net::Task<void> begin_to_decide() {
    const auto synced = co_await live->wait_synced();
    if (!synced || !leading || stopping) co_return;
    co_await steer_when_shown(*carrying, *moves, timers);
    if (!leading || stopping) co_return;
    log_info(messages::kDeciding);
    live->lead();
    if (!rescheduler) co_return;
    const auto seen = co_await rescheduler->wait_synced();
    if (!seen || !leading || stopping) co_return;
    log_info(messages::kMoving);
    rescheduler->lead();
  }

  net::Task<Result<void>> begin() {
    if (!settings.configuration.delay_cache_until_active) follow();
    begun = true;
    start_recovery();
    if (elector) {
      electing = net::spawn(network.executor(), "leader election", elector->run());
    } else {
      take_the_lead();
    }
    refreshing = net::spawn(network.executor(), "refresh gauges", refresh_gauges());
    checking = net::spawn(network.executor(), "permission check", log_missing_permissions(*events, services()));
    co_return Result<void>{};
  }

  net::Task<void> refresh_gauges() {
    for (;;) {
      const auto slept = co_await timers.sleep_for(kBetweenGauges);
      if (!slept) co_return;
      live->inspect([](scheduler::Scheduler& scheduler) { scheduler.refresh_gauges(); });
    }
  }

  Result<void> serve() {
    const config::RunOptions& options = settings.options;
    if (options.secure_port == 0) return {};
    reviewer = std::make_unique<server::Reviewer>(*token_reviews, *access_reviews, clock);
    server::ServerSettings serving;
    serving.address = options.bind_address;
    serving.port = static_cast<std::uint16_t>(options.secure_port);
    serving.files = {options.tls_cert_file, options.tls_private_key_file, options.client_ca_file};
    auto started = server::Server::start(services(), reviewer.get(), std::move(serving));
    if (!started) return fail(std::move(started.error()));
    server = std::move(*started);
    extender = std::make_unique<server::PluginExtender>(*live, *api);
    return network.await_result(add_pages());
  }

  net::Task<Result<void>> add_pages() {
    server->readyz().add("informers", [this]() -> Result<void> {
      if (live->synced()) return {};
      return fail(Errc::Unavailable, "the cluster has not been seen whole yet");
    });
    server->readyz().add("shutdown", [this]() -> Result<void> {
      if (!stopping) return {};
      return fail(Errc::Unavailable, "this process is about to end");
    });
    server->readyz().add_note("load", [this] { return live->load_status(); });
    server->readyz().add_note("rescheduling", [this]() -> std::optional<std::string> {
      if (!rescheduler || !leading) return std::nullopt;
      return rescheduler->controller().status_text();
    });
    server->add_route({.path = "/configz",
                       .handle = [this](const net::HttpRequest&, const server::RequestTarget&) { return configz(); }});
    server->add_route(
        {.path = "/rescheduling",
         .handle = [this](const net::HttpRequest&, const server::RequestTarget&) { return rescheduling_page(); }});
    server::add_extender_routes(*server, *extender);
    if (pages) ask_for_pages();
    co_return Result<void>{};
  }

  // What the leader last planned, to act on and to look at, and what holds it back.
  net::Task<net::HttpResponse> rescheduling_page() const {
    std::string holding;
    std::string acted_on = "null";
    std::string observed = "null";
    if (rescheduler) {
      const rescheduling::ControllerStatus& now = rescheduler->controller().status();
      if (now.acted_on) acted_on = rescheduling::to_json(*now.acted_on);
      if (now.observed) observed = rescheduling::to_json(*now.observed);
      for (const rescheduling::Holding& one : now.holding) {
        holding += fmt::format("{}\"{}\"", holding.empty() ? "" : ",", to_string(one.brake));
      }
    }
    co_return server::json_response(
        200, fmt::format(R"({{"actedOn":{},"observed":{},"brakes":[{}]}})", acted_on, observed, holding));
  }

  net::Task<net::HttpResponse> configz() const {
    co_return server::text_response(200,
                                    config::effective_configuration(settings.configuration, config::default_catalog()));
  }

  bool stop() {
    auto ended = network.await_result(wind_down());
    return ended && *ended;
  }

  net::Task<Result<bool>> wind_down() {
    if (stopping) co_return true;
    stopping = true;
    refreshing.cancel();
    checking.cancel();
    bool ended = true;
    if (pages) co_await pages->stop();
    leading_moves.cancel();
    beginning.cancel();
    if (mover) co_await mover->stop();
    if (rescheduler) co_await rescheduler->stop();
    if (recovery) {
      const bool all = co_await recovery->stop(kServingGrace);
      ended = all;
    }
    if (live) {
      const bool all = co_await live->stop(kGrace);
      ended = ended && all;
    }
    if (elector && begun) {
      electing.cancel();
      const auto handed_on = co_await elector->wait_stopped();
      if (!handed_on) ended = false;
    }
    if (server) co_await server->stop(kServingGrace);
    co_return ended;
  }

  net::Task<Result<void>> dismantle() {
    server.reset();
    pages.reset();
    recovery.reset();
    extender.reset();
    elector.reset();
    mover.reset();
    live.reset();
    rescheduler.reset();
    reviewer.reset();
    for (auto* client : {&api, &events, &moves, &recovering, &lease, &looking, &token_reviews, &access_reviews})
      client->reset();
    co_return Result<void>{};
  }
};

Daemon::Daemon(std::unique_ptr<State> state) : state_(std::move(state)) {}
Daemon::~Daemon() = default;

Result<std::unique_ptr<Daemon>> Daemon::start(DaemonSettings settings) {
  auto state = std::make_unique<State>();
  state->settings = std::move(settings);
  State* raw = state.get();
  for (const auto& step :
       {&State::make_apis, &State::make_elector, &State::make_pages, &State::make_scheduler, &State::serve}) {
    auto done = (raw->*step)();
    if (!done) return fail(std::move(done.error()));
  }
  auto begun = raw->network.await_result(raw->begin());
  if (!begun) return fail(std::move(begun.error()));
  return std::unique_ptr<Daemon>(new Daemon(std::move(state)));
}

int Daemon::port() const { return state_->server ? state_->server->port() : 0; }
bool Daemon::lost_the_lead() const { return state_->lost; }

bool Daemon::stop() {
  const bool ended = state_->stop();
  if (!ended) log_error(messages::kCutOff);
  return ended;
}

}  // namespace rescheduler::cli
