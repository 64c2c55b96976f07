// Reports what is missing in the installation: once in the log, in an Event on the lease, in a metric, and as text for
// /readyz?verbose. The program works without the missing part as far as possible, and reports when the part is there.
//
// Members belong to the loop's thread. Apis and services must outlive the object and the jobs of the loop.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/composition/installation.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/events/event_recorder.h"
#include "kube/leader/component.h"
#include "net/event_loop.h"

namespace rescheduler::cli {

struct InstallationMonitorSettings {
  std::vector<kube::Permission> permissions{};                   // checked now and then
  std::function<std::vector<InstallationProblem>()> problems{};  // other problems, at most one for each part
  std::function<bool()> leads{};                                 // only the leader writes Events
  kube::ObjectRef lease{};                                       // the object of the Events
  std::string host{};
};

class InstallationMonitor final : public kube::Component {
 public:
  InstallationMonitor(kube::Api& api, InstallationMonitorSettings settings, kube::LoopServices services);
  ~InstallationMonitor() override;

  void follow() override;
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;
  // The problem of this part now, with the command that fixes it; nullopt: no problem.
  std::optional<std::string> text(std::string_view part) const;

 private:
  struct Reported {
    InstallationProblem problem;
    bool recorded = false;  // as an Event
  };
  net::Task<void> watch_permissions();
  net::Task<void> watch_problems();
  net::Task<void> record_events();
  void log_new(const std::vector<kube::Permission>& missing);
  std::vector<InstallationProblem> current() const;
  void report();
  void show(std::string_view part, bool missing) const;
  kube::EventRecord event_of(const InstallationProblem& problem) const;

  kube::Api& api_;
  InstallationMonitorSettings settings_;
  kube::LoopServices services_;
  kube::EventRecorder recorder_;
  std::optional<InstallationProblem> permissions_{};
  std::set<std::string> logged_{};              // missing permissions
  std::map<std::string, Reported> reported_{};  // by part
  std::vector<net::Job> jobs_{};
};

}  // namespace rescheduler::cli
