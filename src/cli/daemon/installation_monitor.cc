#include "cli/daemon/installation_monitor.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "cli/messages.h"

namespace rescheduler::cli {
namespace {

constexpr std::chrono::seconds kBetweenReports{1};
// A missing permission is usually granted within minutes. All permissions are checked again rarely: each one is a
// request.
constexpr std::chrono::seconds kUntilGranted{15};
constexpr std::chrono::minutes kBetweenChecks{10};
constexpr std::size_t kReviewsAtOnce = 2;  // the check must not delay Events, which use the same client

kube::EventRecorderSettings recorder_settings(const InstallationMonitorSettings& settings) {
  kube::EventRecorderSettings made;
  made.reporter = {settings.lease.name, settings.lease.name + "-" + settings.host};
  return made;
}

std::string text_of(const InstallationProblem& problem) {
  return fmt::format("{}; run: {}", problem.sentence, problem.fix);
}

}  // namespace

InstallationMonitor::InstallationMonitor(kube::Api& api,
                                         InstallationMonitorSettings settings,
                                         kube::LoopServices services)
    : api_(api),
      settings_(std::move(settings)),
      services_(services),
      recorder_(api, recorder_settings(settings_), services) {
  for (const std::string_view part : kInstallationParts) show(part, false);
}

InstallationMonitor::~InstallationMonitor() {
  for (net::Job& job : jobs_) job.cancel();
}

void InstallationMonitor::follow() {
  jobs_ = {net::spawn(services_.executor, "permission check", watch_permissions()),
           net::spawn(services_.executor, "installation", watch_problems()),
           net::spawn(services_.executor, "installation events", record_events())};
}

net::Task<bool> InstallationMonitor::stop(std::chrono::nanoseconds /*grace*/) {
  (void)co_await net::end_all(jobs_);
  [[maybe_unused]] const auto flushed = co_await recorder_.flush();
  co_return true;
}

net::Task<void> InstallationMonitor::record_events() { co_await recorder_.run(); }

net::Task<void> InstallationMonitor::watch_permissions() {
  std::vector<kube::Permission> wanted = settings_.permissions;
  bool unknown = false;
  for (;;) {
    auto missing = co_await kube::find_missing(api_, wanted, services_, kReviewsAtOnce);
    if (!missing && missing.error().code == Errc::Cancelled) co_return;
    std::chrono::nanoseconds pause = kUntilGranted;
    if (!missing) {
      if (!std::exchange(unknown, true)) log_warning(messages::kPermissionsUnknown, {{"err", missing.error().message}});
    } else {
      unknown = false;
      log_new(*missing);
      permissions_ = permissions_missing(*missing);
      if (missing->empty()) pause = kBetweenChecks;
      wanted = missing->empty() ? settings_.permissions : std::move(*missing);
    }
    const auto slept = co_await services_.timers->sleep_for(pause);
    if (!slept) co_return;
  }
}

void InstallationMonitor::log_new(const std::vector<kube::Permission>& missing) {
  std::set<std::string> now;
  for (const kube::Permission& one : missing) {
    const std::string what = kube::describe(one);
    if (!now.insert(what).second || logged_.contains(what)) continue;
    log_error(messages::kPermissionMissing,
              {{"permission", what}, {"needed", one.why}, {"fix", std::string(kApplyRbac)}});
  }
  logged_ = std::move(now);
}

net::Task<void> InstallationMonitor::watch_problems() {
  for (;;) {
    report();
    const auto slept = co_await services_.timers->sleep_for(kBetweenReports);
    if (!slept) co_return;
  }
}

std::vector<InstallationProblem> InstallationMonitor::current() const {
  std::vector<InstallationProblem> now = settings_.problems();
  if (permissions_) now.push_back(*permissions_);
  return now;
}

void InstallationMonitor::report() {
  const std::vector<InstallationProblem> now = current();
  for (const InstallationProblem& one : now) {
    const auto [known, is_new] = reported_.try_emplace(one.part);
    known->second.problem = one;
    if (!is_new) continue;
    show(one.part, true);
    log_warning(messages::kInstallationProblem, {{"part", one.part}, {"problem", one.sentence}, {"fix", one.fix}});
  }
  std::erase_if(reported_, [&](const auto& entry) {
    if (std::ranges::find(now, entry.first, &InstallationProblem::part) != now.end()) return false;
    show(entry.first, false);
    log_info(messages::kInstallationFixed, {{"part", entry.first}});
    return true;
  });
  if (!settings_.leads()) return;
  for (auto& [part, one] : reported_) {
    if (!std::exchange(one.recorded, true)) recorder_.record(event_of(one.problem));
  }
}

kube::EventRecord InstallationMonitor::event_of(const InstallationProblem& problem) const {
  kube::EventRecord record;
  record.regarding = settings_.lease;
  record.type = kube::EventType::Warning;
  record.reason = "InstallationIncomplete";
  record.action = "Checking";
  record.note = text_of(problem);
  return record;
}

void InstallationMonitor::show(std::string_view part, bool missing) const {
  services_.metrics
      ->gauge("rescheduler_installation_problem", "1 while a part of the installation is missing or does not work.",
              {{"part", std::string(part)}})
      .set(missing ? 1 : 0);
}

std::optional<std::string> InstallationMonitor::text(std::string_view part) const {
  for (const InstallationProblem& one : current()) {
    if (one.part == part) return text_of(one);
  }
  return std::nullopt;
}

}  // namespace rescheduler::cli
