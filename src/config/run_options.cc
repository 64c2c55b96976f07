#include "config/run_options.h"

#include <fmt/core.h>

#include "config/read.h"
#include "kube/value/duration.h"

namespace rescheduler::config {
namespace {

class Application {
 public:
  Application(const RunOptions& options, Configuration configuration) : options_(options) {
    applied_.configuration = std::move(configuration);
  }

  Result<AppliedOptions> run() && {
    apply_leader_election();
    apply_connection();
    check_serving();
    if (!options_.log_to_stderr) note("--logtostderr=false has no effect: the log always goes to standard error");
    if (!problems_.empty()) return fail(Errc::Invalid, "{}", problems_);
    return std::move(applied_);
  }

 private:
  void problem(std::string_view what) {
    if (!problems_.empty()) problems_ += "; ";
    problems_ += what;
  }
  void note(std::string what) { applied_.notes.push_back(std::move(what)); }

  template <class T>
  static void take(const std::optional<T>& flag, T& into) {
    if (flag) into = *flag;
  }

  void take_duration(const char* name, const std::optional<std::string>& flag, std::chrono::nanoseconds& into) {
    if (!flag) return;
    const auto duration = kube::parse_duration(*flag);
    if (!duration || duration->count() <= 0) {
      return problem(fmt::format("{} must be a duration above zero, such as 15s", name));
    }
    into = *duration;
  }

  void apply_leader_election() {
    LeaderElection& election = applied_.configuration.leader_election;
    const bool was_sound = problems_.empty();
    take(options_.leader_elect, election.leader_elect);
    take_duration("--leader-elect-lease-duration", options_.leader_elect_lease_duration, election.lease_duration);
    take_duration("--leader-elect-renew-deadline", options_.leader_elect_renew_deadline, election.renew_deadline);
    take_duration("--leader-elect-retry-period", options_.leader_elect_retry_period, election.retry_period);
    take(options_.leader_elect_resource_lock, election.resource_lock);
    take(options_.leader_elect_resource_name, election.resource_name);
    take(options_.leader_elect_resource_namespace, election.resource_namespace);
    if (was_sound && !problems_.empty()) return;  // a flag was invalid, so the durations are not the intended ones
    if (const auto fault = fault_of(election)) {
      problem(fmt::format("with the --leader-elect flags, leaderElection.{} {}", fault->field, fault->what));
    }
  }

  template <class T>
  void take_without_file(const char* name, const std::optional<T>& flag, T& into) {
    if (!flag) return;
    if (options_.config.empty()) {
      into = *flag;
    } else {
      note(fmt::format("{} is ignored: with --config, the file sets the value", name));
    }
  }

  void apply_connection() {
    ClientConnection& connection = applied_.configuration.client_connection;
    take_without_file("--kubeconfig", options_.kubeconfig, connection.kubeconfig);
    take_without_file("--kube-api-qps", options_.kube_api_qps, connection.qps);
    take_without_file("--kube-api-burst", options_.kube_api_burst, connection.burst);
    take_without_file("--kube-api-content-type", options_.kube_api_content_type, connection.content_type);
    take_without_file("--profiling", options_.profiling, applied_.configuration.enable_profiling);
    if (connection.burst < 0) problem("--kube-api-burst must not be negative");
    const std::string& type = connection.content_type;
    if (type != "application/vnd.kubernetes.protobuf" && type != "application/json") {
      problem("--kube-api-content-type must be application/vnd.kubernetes.protobuf or application/json");
    }
  }

  void check_serving() {
    if (options_.secure_port < 0 || options_.secure_port > 65535) {
      problem("--secure-port must be between 0 and 65535; 0 disables the port");
    }
    if (options_.tls_cert_file.empty() != options_.tls_private_key_file.empty()) {
      problem("--tls-cert-file and --tls-private-key-file must be given together");
    }
    if (options_.verbosity < 0) problem("--v must not be negative");
  }

  const RunOptions& options_;
  AppliedOptions applied_{};
  std::string problems_;
};

}  // namespace

Result<AppliedOptions> apply(const RunOptions& options, Configuration configuration) {
  return Application(options, std::move(configuration)).run();
}

}  // namespace rescheduler::config
