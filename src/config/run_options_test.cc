#include "config/run_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::config {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

AppliedOptions applied(const RunOptions& options, Configuration configuration = {}) {
  auto result = apply(options, std::move(configuration));
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return {};
  }
  return std::move(*result);
}

std::string error_of(const RunOptions& options) {
  const auto result = apply(options, {});
  return result ? "" : result.error().message;
}

TEST(RunOptions, WithoutFlagsTheConfigurationIsUnchanged) {
  Configuration configuration;
  configuration.leader_election.leader_elect = false;
  configuration.client_connection.kubeconfig = "/file";
  const auto result = applied({}, configuration);
  EXPECT_EQ(result.configuration.leader_election, configuration.leader_election);
  EXPECT_EQ(result.configuration.client_connection, configuration.client_connection);
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(RunOptions, LeaderElectionFlagsOverrideTheFile) {
  RunOptions options;
  options.config = "f.yaml";
  options.leader_elect = true;
  options.leader_elect_lease_duration = "60s";
  options.leader_elect_renew_deadline = "40s";
  options.leader_elect_retry_period = "5s";
  options.leader_elect_resource_name = "n";
  options.leader_elect_resource_namespace = "ns";
  Configuration configuration;
  configuration.leader_election.leader_elect = false;
  const auto result = applied(options, configuration);
  EXPECT_EQ(result.configuration.leader_election,
            (LeaderElection{true, seconds{60}, seconds{40}, seconds{5}, "leases", "ns", "n"}));
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(RunOptions, ConnectionAndProfilingFlagsApplyOnlyWithoutAFile) {
  RunOptions options;
  options.kubeconfig = "/flag";
  options.kube_api_qps = 7;
  options.kube_api_burst = 9;
  options.kube_api_content_type = "application/json";
  options.profiling = false;
  const auto without = applied(options);
  EXPECT_EQ(without.configuration.client_connection, (ClientConnection{"/flag", "", "application/json", 7, 9}));
  EXPECT_FALSE(without.configuration.enable_profiling);
  EXPECT_THAT(without.notes, IsEmpty());
  options.config = "f.yaml";
  const auto with = applied(options);
  EXPECT_EQ(with.configuration.client_connection, ClientConnection{});
  EXPECT_TRUE(with.configuration.enable_profiling);
  EXPECT_THAT(with.notes, ElementsAre("--kubeconfig is ignored: with --config, the file sets the value",
                                      HasSubstr("--kube-api-qps"), HasSubstr("--kube-api-burst"),
                                      HasSubstr("--kube-api-content-type"), HasSubstr("--profiling")));
}

TEST(RunOptions, TheFlagsOfTheGuidesAreAccepted) {
  RunOptions options;
  options.config = "/etc/kubernetes/config.yaml";
  options.verbosity = 4;
  options.log_to_stderr = true;
  EXPECT_THAT(applied(options).notes, IsEmpty());
  options.log_to_stderr = false;
  EXPECT_THAT(applied(options).notes, ElementsAre(HasSubstr("--logtostderr=false has no effect")));
}

TEST(RunOptions, OneErrorNamesAllInvalidFlags) {
  RunOptions options;
  options.secure_port = 70000;
  options.tls_cert_file = "c";
  options.verbosity = -1;
  options.kube_api_burst = -1;
  options.kube_api_content_type = "text/html";
  options.leader_elect_lease_duration = "soon";
  const std::string message = error_of(options);
  for (const char* flag : {"--secure-port", "--tls-private-key-file", "--v ", "--kube-api-burst",
                           "--kube-api-content-type", "--leader-elect-lease-duration"}) {
    EXPECT_THAT(message, HasSubstr(flag));
  }
}

TEST(RunOptions, LeaderElectionIsCheckedAgainWithTheFlags) {
  RunOptions options;
  options.leader_elect_renew_deadline = "15s";
  EXPECT_EQ(error_of(options),
            "with the --leader-elect flags, leaderElection.leaseDuration must be greater than renewDeadline");
  options.leader_elect = false;
  EXPECT_EQ(error_of(options), "");
}

}  // namespace
}  // namespace rescheduler::config
