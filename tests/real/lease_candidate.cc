// A candidate for leadership, which lease_test.cc freezes and kills. While it may act, it prints the instant of each
// check on the machine's boot clock, which all processes share:
//   LEADING | ACT <nanoseconds> | LOST
// Usage: lease_candidate KUBECONFIG NAMESPACE IDENTITY; ends when its stdin closes.
#include <cstdio>
#include <poll.h>
#include <string>
#include <unistd.h>

#include <fmt/core.h>

#include "kube/leader/leader_elector.h"
#include "support/live_api.h"

namespace rescheduler::test {
namespace {

void print_line(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

bool should_stop() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, 2) > 0;  // also the interval of the loop below
}

int run(const std::string& kubeconfig, const std::string& ns, const std::string& identity) {
  LiveApi live(kubeconfig);
  kube::LeaderSettings settings;
  settings.ns = ns;
  settings.name = "contested";
  settings.election.identity = identity;
  settings.election.lease_duration = std::chrono::seconds{3};
  settings.election.renew_deadline = std::chrono::seconds{2};
  settings.election.retry_period = std::chrono::milliseconds{300};
  settings.after_loss = kube::AfterLoss::RunAgain;
  kube::LeaderCallbacks callbacks;
  callbacks.on_started_leading = [] { print_line("LEADING"); };
  callbacks.on_stopped_leading = [] { print_line("LOST"); };
  auto elector = kube::LeaderElector::create(live.api(), settings, callbacks, live.services());
  if (!elector) {
    print_line(elector.error().message);
    return 1;
  }
  const auto fence = (*elector)->fence();
  net::Job job = net::spawn(live.loop().executor(), "candidate", (*elector)->run());
  const SystemClock clock;
  while (!should_stop()) {
    // Read the clock first and check then: acting was certainly allowed at the logged instant.
    const auto instant = clock.steady_now();
    if (fence->may_act()) print_line(fmt::format("ACT {}", instant.time_since_epoch().count()));
  }
  job.cancel();
  return eventually([&] { return job.done(); }) ? 0 : 1;
}

}  // namespace
}  // namespace rescheduler::test

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: lease_candidate KUBECONFIG NAMESPACE IDENTITY\n");
    return 2;
  }
  return rescheduler::test::run(argv[1], argv[2], argv[3]);
}
