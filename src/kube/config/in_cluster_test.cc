#include "kube/config/in_cluster.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/config/temp_directory.h"

namespace rescheduler::kube {
namespace {

constexpr const char* kCa = "-----BEGIN CERTIFICATE-----\nca\n-----END CERTIFICATE-----\n";

// The directory of a service account as the kubelet mounts it.
void mount_service_account(const TempDirectory& directory) {
  directory.write("sa/token", "in-cluster-token\n");
  directory.write("sa/ca.crt", kCa);
  directory.write("sa/namespace", "ops\n");
}

Environment pod_environment(std::vector<std::string> more = {}) {
  more.insert(more.end(), {"KUBERNETES_SERVICE_HOST=fd00::10", "KUBERNETES_SERVICE_PORT=6443"});
  return Environment(more);
}

std::string kubeconfig_for(const std::string& host) {
  return "current-context: m\ncontexts: [{name: m, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: "
         "'https://"
         + host + "'}}]\n";
}

TEST(InCluster, ReadsServiceAccountAndAddress) {
  const TempDirectory directory;
  mount_service_account(directory);
  const auto config = in_cluster_config(pod_environment(), directory.at("sa"));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->origin.host, "fd00::10");
  EXPECT_EQ(config->origin.port, 6443);
  EXPECT_TRUE(config->origin.tls);
  EXPECT_EQ(config->tls.ca_pem, kCa);
  EXPECT_EQ(config->default_namespace, "ops");
  EXPECT_EQ(std::get<TokenFile>(config->credentials.method).path, directory.at("sa/token"));
  EXPECT_EQ(config->description, "in-cluster, service account of namespace ops");
}

TEST(InCluster, SaysWhatIsMissing) {
  const TempDirectory directory;
  const auto outside = in_cluster_config(Environment(), directory.at("sa"));
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().code, Errc::NotFound);
  EXPECT_EQ(outside.error().message,
            "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; use a kubeconfig");

  const auto no_token = in_cluster_config(pod_environment(), directory.at("sa"));
  ASSERT_FALSE(no_token);
  EXPECT_EQ(no_token.error().code, Errc::Invalid);
  EXPECT_EQ(no_token.error().message, "in-cluster: cannot open " + directory.at("sa/token")
                                          + ": No such file or directory; is automountServiceAccountToken off?");
  directory.write("sa/token", " \n");
  EXPECT_EQ(in_cluster_config(pod_environment(), directory.at("sa")).error().message,
            "in-cluster: " + directory.at("sa/token") + " is empty");
  directory.write("sa/token", "t");
  directory.write("sa/ca.crt", "garbage");
  EXPECT_EQ(in_cluster_config(pod_environment(), directory.at("sa")).error().message,
            "in-cluster: " + directory.at("sa") + "/ca.crt is not a PEM file");
  const Environment odd_port({"KUBERNETES_SERVICE_HOST=h", "KUBERNETES_SERVICE_PORT=https"});
  EXPECT_EQ(in_cluster_config(odd_port, directory.at("sa")).error().message,
            "in-cluster: KUBERNETES_SERVICE_PORT is not a port number");
}

TEST(InCluster, AnEmptyOrMissingNamespaceFileMeansTheDefaultNamespace) {
  const TempDirectory directory;
  mount_service_account(directory);
  directory.write("sa/namespace", "");
  EXPECT_EQ(in_cluster_config(pod_environment(), directory.at("sa"))->default_namespace, "default");
  std::filesystem::remove(directory.at("sa/namespace"));
  EXPECT_EQ(in_cluster_config(pod_environment(), directory.at("sa"))->default_namespace, "default");
}

TEST(DefaultConfig, PrefersTheExplicitPathThenKubeconfigThenThePodThenHome) {
  const TempDirectory directory;
  mount_service_account(directory);
  directory.write(".kube/config", kubeconfig_for("home"));
  const std::string home = "HOME=" + directory.path();
  const std::string variable = "KUBECONFIG=" + directory.write("variable", kubeconfig_for("variable"));
  KubeconfigSource source;
  const auto chosen = [&] { return default_config(source, directory.at("sa"))->origin.host; };

  source.environment = Environment({home});
  EXPECT_EQ(chosen(), "home");
  source.environment = pod_environment({home});
  EXPECT_EQ(chosen(), "fd00::10");
  source.context = "m";
  EXPECT_EQ(chosen(), "home") << "a pod has no contexts to choose from";
  source.context = "";
  source.environment = pod_environment({home, variable});
  EXPECT_EQ(chosen(), "variable");
  source.explicit_path = directory.write("explicit", kubeconfig_for("explicit"));
  EXPECT_EQ(chosen(), "explicit");
}

TEST(DefaultConfig, DoesNotFallBackToAnotherClusterWhenTheChosenConfigIsBroken) {
  const TempDirectory directory;
  directory.write(".kube/config", kubeconfig_for("home"));
  KubeconfigSource source;
  source.environment = pod_environment({"HOME=" + directory.path()});  // in a pod, but without a mounted token
  const auto broken_pod = default_config(source, directory.at("sa"));
  ASSERT_FALSE(broken_pod);
  EXPECT_THAT(broken_pod.error().message, testing::HasSubstr("automountServiceAccountToken"));
  source.environment = Environment({"HOME=" + directory.path(), "KUBECONFIG=" + directory.at("missing")});
  EXPECT_FALSE(default_config(source, directory.at("sa")));
}

TEST(DefaultConfig, TheErrorNamesEverySourceThatWasTried) {
  const TempDirectory directory;
  KubeconfigSource source;
  source.environment = Environment({"HOME=" + directory.path()});
  const auto config = default_config(source, directory.at("sa"));
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, Errc::NotFound);
  EXPECT_THAT(config.error().message, testing::StartsWith("no cluster to talk to: kubeconfig "));
  EXPECT_THAT(config.error().message, testing::HasSubstr("KUBERNETES_SERVICE_HOST"));
}

}  // namespace
}  // namespace rescheduler::kube
