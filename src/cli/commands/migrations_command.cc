#include "cli/commands/migrations_command.h"

#include <algorithm>
#include <cstdio>

#include <fmt/core.h>

#include "cli/connection.h"
#include "kube/client/client.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/time.h"
#include "migration/keys.h"
#include "migration/record.h"

namespace rescheduler::cli {
namespace {

using Migrations = std::vector<api::Migration>;

int complain(std::string_view command, const Error& error) {
  fmt::print(stderr, "rescheduler {}: {}{}\n", command, error.message,
             error.code == Errc::NotFound ? " (is manifests/rescheduler/rbac.yaml applied?)" : "");
  return 1;
}

std::pair<std::string, std::string> split(const std::string& name, const std::string& ns) {
  const auto slash = name.find('/');
  if (slash != std::string::npos) return {name.substr(0, slash), name.substr(slash + 1)};
  return {ns.empty() ? "default" : ns, name};
}

std::string age(WallTime since, WallTime now) {
  const auto seconds = std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(now - since).count());
  if (seconds < 120) return fmt::format("{}s", seconds);
  if (seconds < 7200) return fmt::format("{}m", seconds / 60);
  return seconds < 172'800 ? fmt::format("{}h", seconds / 3600) : fmt::format("{}d", seconds / 86'400);
}

std::string clock_text(WallTime time) {
  const auto of_day = time - std::chrono::floor<std::chrono::days>(time);
  const std::chrono::hh_mm_ss parts(std::chrono::duration_cast<std::chrono::milliseconds>(of_day));
  return fmt::format("{:02}:{:02}:{:02}.{:03}", parts.hours().count(), parts.minutes().count(), parts.seconds().count(),
                     parts.subseconds().count());
}

Result<Migrations> read_all(Connection& connection, kube::Client& client, const std::string& ns) {
  auto listed = connection.await(client.list<api::Migration>(ns));
  if (!listed) return fail(std::move(listed.error()));
  Migrations all;
  for (const auto& one : *listed) all.push_back(*one);
  std::ranges::sort(all, {}, [](const api::Migration& one) {
    return std::pair(one.metadata().creation_timestamp().seconds(), migration::key_of(one));
  });
  return all;
}

// Creates the request from the current state of the pod.
Result<migration::MoveRequest> move_request_of(Connection& connection,
                                               kube::Client& client,
                                               const MoveOptions& options) {
  const auto [ns, name] = split(options.pod, options.ns);
  auto pod = connection.await(client.get<api::Pod>(ns, name));
  if (!pod) return fail(Errc::Invalid, "{}", pod.error().message);
  migration::MoveRequest request;
  request.ns = ns;
  request.pod = name;
  request.uid = pod->metadata().uid();
  request.source = pod->spec().node_name();
  request.target = options.to;
  request.strategy = migration::kManual;
  request.reason = "requested with `rescheduler move`";
  request.mode = migration::mode_of(options.mode);
  request.deadline = std::chrono::seconds{options.deadline};
  if (request.source.empty()) return fail(Errc::Invalid, "pod {}/{} has no node yet", ns, name);
  if (request.source == request.target)
    return fail(Errc::Invalid, "pod {}/{} is already on {}", ns, name, request.target);
  return request;
}

Result<api::Migration> ended(Connection& connection, kube::Client& client, const api::Migration& begun) {
  constexpr std::chrono::milliseconds kBetween{500};
  std::string phase = "?";
  for (;;) {
    auto now = connection.await(client.get<api::Migration>(begun.metadata().namespace_(), begun.metadata().name()));
    if (!now) return fail(std::move(now.error()));
    if (now->status().phase() != phase) {
      phase = now->status().phase();
      fmt::print("{:<12} {}\n", phase.empty() ? "Pending" : phase, now->status().message());
      std::fflush(stdout);
    }
    if (migration::has_ended(*now)) return std::move(*now);
    auto slept = connection.await(connection.timers().sleep_for(kBetween));
    if (!slept) return fail(std::move(slept.error()));
  }
}

}  // namespace

std::string departures(const Migrations& migrations, WallTime now) {
  const auto row = [](const auto&... cells) {
    std::string line = fmt::format("{:<14} {:<34} {:<20} {:<20} {:<12} {:<20} {:<16} {:<14} {}", cells...);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line + "\n";
  };
  std::string text = row("NAMESPACE", "POD", "FROM", "TO", "PHASE", "LANDED", "MODE", "STRATEGY", "AGE");
  for (const api::Migration& one : migrations) {
    text +=
        row(one.metadata().namespace_(), one.spec().pod(), migration::source_of(one), one.spec().target(),
            one.status().phase().empty() ? std::string("Pending") : one.status().phase(), one.status().landed(),
            one.status().mode(), one.spec().strategy(), age(kube::wall_time(one.metadata().creation_timestamp()), now));
  }
  return text;
}

std::string travel_report(const api::Migration& one) {
  const api::MigrationStatus& status = one.status();
  std::string text = fmt::format(
      "{}\n  pod       {} ({})\n  from, to  {} -> {}\n  why       {}: {}\n", migration::key_of(one), one.spec().pod(),
      one.spec().pod_uid(), migration::source_of(one), one.spec().target(), one.spec().strategy(), one.spec().reason());
  if (status.has_mode()) text += fmt::format("  mode      {} ({})\n", status.mode(), status.mode_reason());
  text += fmt::format("  phase     {}\n", status.phase().empty() ? "Pending" : status.phase());
  if (!status.replacement().empty())
    text += fmt::format("  became    {} on {}\n", status.replacement(), status.landed());
  if (!status.message().empty()) text += fmt::format("  message   {}\n", status.message());
  if (one.spec().has_predicted()) text += fmt::format("  predicted {}\n", one.spec().predicted());
  if (status.has_measured()) text += fmt::format("  measured  {}\n", status.measured());
  for (const api::MigrationStep& step : status.steps()) {
    text += fmt::format("  {}  {:<12}{}{}\n", clock_text(kube::wall_time(step.at())), step.name(),
                        step.message().empty() ? "" : " ", step.message());
  }
  return text;
}

int run_migrations(const MigrationsOptions& options) {
  Connection connection;
  const auto api = connection.open(options.kubeconfig, options.context);
  if (!api) return complain("migrations", api.error());
  kube::Client client(**api);
  if (options.action == "list") {
    const auto all = read_all(connection, client, options.ns);
    if (!all) return complain("migrations", all.error());
    fmt::print("{}", departures(*all, connection.clock().wall_now()));
    return 0;
  }
  if (options.name.empty())
    return complain("migrations", {Errc::Invalid, "name the migration: NAME or NAMESPACE/NAME"});
  const auto [ns, name] = split(options.name, options.ns);
  auto found = options.action == "cancel"
                   ? connection.await(client.patch<api::Migration>(ns, name, R"({"spec":{"cancel":true}})"))
                   : connection.await(client.get<api::Migration>(ns, name));
  if (!found) return complain("migrations", found.error());
  if (options.action == "show") {
    fmt::print("{}", travel_report(*found));
  } else if (migration::has_ended(*found)) {
    fmt::print("{} has already ended: {}\n", migration::key_of(*found), found->status().phase());
  } else {
    fmt::print("{} is being cancelled; completed steps are rolled back where possible\n", migration::key_of(*found));
  }
  return 0;
}

int run_move(const MoveOptions& options) {
  Connection connection;
  const auto api = connection.open(options.kubeconfig, options.context);
  if (!api) return complain("move", api.error());
  kube::Client client(**api);
  const auto request = move_request_of(connection, client, options);
  if (!request) return complain("move", request.error());
  const auto millis =
      std::chrono::duration_cast<std::chrono::milliseconds>(connection.clock().wall_now().time_since_epoch()).count();
  const std::string name = migration::migration_name(request->pod, static_cast<std::uint64_t>(millis));
  auto made = connection.await(client.create(migration::to_migration(*request, name)));
  if (!made) return complain("move", made.error());
  fmt::print("migration {} written: {} from {} to {}\n", migration::key_of(*made), request->pod, request->source,
             request->target);
  if (!options.wait) return 0;
  const auto last = ended(connection, client, *made);
  if (!last) return complain("move", last.error());
  return migration::has_moved(migration::result_of(*last)) ? 0 : 1;
}

}  // namespace rescheduler::cli
