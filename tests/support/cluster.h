// The cluster that end-to-end tests run against. The same test runs on each tier. Where the tiers differ, the real one
// is right.
//
//   class Evictions : public ClusterTest {};
//   TEST_P(Evictions, ...) { ... client() ... ns() ... }
//   RESCHEDULER_ON_EVERY_CLUSTER(Evictions);
//
// In CMake such a program is a rescheduler_cluster_test(). ctest labels its cases on the real cluster `real`, and those
// on the embedded cluster `embedded`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/live_api.h"

namespace rescheduler::api {
class Node;
}  // namespace rescheduler::api

namespace rescheduler::test {

enum class Tier {
  InProcess,  // the embedded cluster, called in process
  Embedded,   // the embedded cluster over HTTPS on loopback
  Real,       // kube-apiserver, etcd, controller manager and KWOK nodes
};
std::string to_string(Tier tier);
void PrintTo(Tier tier, std::ostream* out);  // for GoogleTest

class TestCluster {
 public:
  // Real: the shared cluster, or a new one if there are arguments for `rig up`. Fails (NotFound) if it is not
  // available. Embedded: always a new cluster.
  static Result<std::unique_ptr<TestCluster>> open(Tier tier, std::vector<std::string> own_rig = {});
  virtual ~TestCluster() = default;

  virtual std::unique_ptr<LiveApi> connect() = 0;
  // Connects as the product does: on the real cluster with the token of its ServiceAccount, and so only with the
  // permissions of manifests/rescheduler/rbac.yaml.
  virtual std::unique_ptr<LiveApi> connect_as_product() { return connect(); }
  virtual const std::string& kubeconfig() const = 0;  // a file
  // Runs kubectl on the cluster. NotFound if there is no kubectl.
  virtual Result<std::string> kubectl(std::vector<std::string> arguments) = 0;
};

class ClusterTest : public testing::TestWithParam<Tier> {
 protected:
  void SetUp() override;
  void TearDown() override;
  // Arguments of `rig up`, for a real cluster of this test alone; empty: the shared one.
  virtual std::vector<std::string> own_rig() const { return {}; }

  LiveApi& live() { return *live_; }
  kube::Client client() { return live_->client(); }
  const std::string& ns() const { return ns_->name(); }
  TestCluster& cluster() { return *cluster_; }
  // Adds a node for this test alone. The node is Ready and runs the pods that are bound to it. TearDown removes it.
  std::string add_node(const std::string& suffix, const std::function<void(api::Node&)>& change = {});

  template <class T>
  Result<T> await(net::Task<Result<T>> task) {
    return live_->await(std::move(task));
  }

 private:
  std::unique_ptr<TestCluster> cluster_;
  std::unique_ptr<LiveApi> live_;
  std::optional<TestNamespace> ns_;
  std::vector<std::string> nodes_;
};

#define RESCHEDULER_ON_EVERY_CLUSTER(Suite)                                           \
  INSTANTIATE_TEST_SUITE_P(InProcess, Suite, testing::Values(test::Tier::InProcess)); \
  INSTANTIATE_TEST_SUITE_P(Embedded, Suite, testing::Values(test::Tier::Embedded));   \
  INSTANTIATE_TEST_SUITE_P(Real, Suite, testing::Values(test::Tier::Real))

}  // namespace rescheduler::test
