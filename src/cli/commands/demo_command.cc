#include "cli/commands/demo_command.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/commands/output_file.h"
#include "cli/demo/scenario_cluster.h"
#include "cli/stop_signals.h"
#include "cli/view/terminal.h"
#include "cli/view/view.h"

namespace rescheduler::cli {
namespace {

using namespace std::chrono_literals;

// A scenario that is over has settled when no pod and no node has changed for this time, in cluster time. Some
// scenarios never settle (CronJobs, crash loops): they count as settled when they have been over for kSettleLimit.
constexpr std::chrono::seconds kSettled{10};
constexpr std::chrono::seconds kSettleLimit{90};
// A demo that writes to a file or a pipe has no user to stop it, so it ends after this cluster time. The limit is not
// in real time, because a slow machine needs longer for the same scenario. A demo with an explicit port for the
// dashboard has a user, so it does not end by itself.
constexpr std::chrono::seconds kUnattended{270};
constexpr double kSpeedToFollow = 3;
constexpr double kSpeedUnattended = 10;
constexpr std::chrono::milliseconds kRedraw{200};
constexpr std::chrono::seconds kStatusEvery{5};  // cluster time, if lines are printed instead of a view

struct DemoStatus {
  ViewState state;
  bool settled = false;
};

class Demo {
 public:
  Demo(ScenarioCluster& cluster, const DemoOptions& options, bool terminal)
      : cluster_(cluster), options_(options), unattended_(!terminal && !options.ui_port) {}

  DemoStatus status() {
    DemoStatus now;
    cluster_.on_loop([&] {
      now.state = cluster_.watcher().view_state();
      const auto quiet = cluster_.watcher().quiet_for();
      if (cluster_.runner().over()) {
        if (!over_since_) over_since_ = now.state.elapsed;
        const auto over_for = now.state.elapsed - *over_since_;
        now.settled = (over_for >= kSettled && quiet >= kSettled) || over_for >= kSettleLimit;
      }
      if (!first_ && cluster_.runner().begun() && quiet >= 2s) first_ = now.state;
    });
    now.state.notice = options_.no_rescheduling ? EmbeddedScheduler::kNotice : EmbeddedScheduler::kMovingNotice;
    now.state.speed = options_.speed;
    now.state.address = cluster_.ui_url();
    return now;
  }
  // The first state in which no pod and no node had changed for 2 s; before that, `now`.
  ViewState first(const ViewState& now) const { return first_.value_or(now); }
  bool done(const DemoStatus& now, std::chrono::duration<double> ran) const {
    if (options_.seconds > 0 && ran.count() >= options_.seconds) return true;
    if (unattended_ && options_.seconds == 0 && now.state.elapsed >= kUnattended) return true;
    return (options_.exit_when_done || unattended_) && now.settled;
  }

 private:
  ScenarioCluster& cluster_;
  const DemoOptions& options_;
  bool unattended_;
  std::optional<std::chrono::seconds> over_since_;
  std::optional<ViewState> first_;
};

ViewState show_view(Demo& demo, StopSignals& signals) {
  const SystemClock clock;
  const SteadyTime begin = clock.steady_now();
  Screen screen;
  while (true) {
    DemoStatus now = demo.status();
    screen.draw(render(now.state, terminal_style()));
    if (demo.done(now, clock.steady_now() - begin) || signals.wait_for(kRedraw)) return std::move(now.state);
  }
}

ViewState print_lines(Demo& demo, StopSignals& signals) {
  const SystemClock clock;
  const SteadyTime begin = clock.steady_now();
  std::size_t printed = 0;  // number of lines
  std::chrono::seconds next_status{0};
  bool titled = false;
  while (true) {
    DemoStatus now = demo.status();
    if (!std::exchange(titled, true)) {
      fmt::print("{}: {}\n", now.state.scenario, now.state.description);
      if (!now.state.address.empty()) fmt::print("dashboard: {}\n", now.state.address);
      fmt::print("note: {}\n", now.state.notice);
    }
    const std::size_t fresh = std::min(now.state.lines - printed, now.state.tail.size());
    for (const TailLine& line : std::span(now.state.tail).last(fresh)) {
      fmt::print("{:>7}  {}{}\n", time_text(line.at.count()), line.warning ? "! " : "", line.text);
    }
    printed = now.state.lines;
    if (now.state.elapsed >= next_status) {
      fmt::print("{}\n", status_line(now.state));
      next_status = now.state.elapsed + kStatusEvery;
    }
    std::fflush(stdout);
    if (demo.done(now, clock.steady_now() - begin) || signals.wait_for(kRedraw)) return std::move(now.state);
  }
}

Result<void> run(DemoOptions options, StopSignals& signals) {
  const bool terminal = stdout_is_terminal();
  if (options.speed == 0) options.speed = terminal ? kSpeedToFollow : kSpeedUnattended;
  auto scenario = choose_scenario(options.scenario, options.nodes, options.seed);
  if (!scenario) return fail(std::move(scenario.error()));
  ScenarioClusterSettings settings;
  settings.scenario = std::move(*scenario);
  settings.speed = options.speed;
  settings.watch = true;
  settings.reschedule = !options.no_rescheduling;
  if (!options.no_ui) settings.ui_port = options.ui_port.value_or(DemoOptions::kUiPort);
  settings.ui_or_any = !options.ui_port;
  auto cluster = ScenarioCluster::start(std::move(settings));
  if (!cluster) return fail(std::move(cluster.error()));
  if (!options.kubeconfig_out.empty()) {
    auto written = write_private_file(options.kubeconfig_out, (*cluster)->served().kubeconfig());
    if (!written) return written;
  }
  Demo demo(**cluster, options, terminal);
  const ViewState last = terminal ? show_view(demo, signals) : print_lines(demo, signals);
  for (const std::string& line : summary(demo.first(last), last)) fmt::print("{}\n", line);
  return {};
}

}  // namespace

int run_demo(const DemoOptions& options) {
  set_log_level(LogLevel::Warning);  // the view shows normal activity; log lines would disturb it
  StopSignals signals;
  const auto done = run(options, signals);
  if (done) return 0;
  fmt::print(stderr, "rescheduler demo: {}\n", done.error().message);
  return 1;
}

}  // namespace rescheduler::cli
