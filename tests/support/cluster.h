// "A cluster": what end-to-end tests are written against. The same test runs on each of them, and where they differ,
// the real one is right.
//
//   class Evictions : public ClusterTest {};
//   TEST_P(Evictions, ...) { ... client() ... ns() ... }
//   RESCHEDULER_ON_EVERY_CLUSTER(Evictions);
//
// In CMake such a program is a rescheduler_cluster_test(); ctest then knows its cases on the real cluster by the label
// `real`, and on the embedded one by `embedded`.
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
  InProcess,  // the embedded cluster through its in-process door
  Embedded,   // the embedded cluster over HTTPS on loopback
  Real,       // kube-apiserver, etcd, controller manager and KWOK nodes
};
std::string to_string(Tier tier);
void PrintTo(Tier tier, std::ostream* out);  // for GoogleTest

class TestCluster {
 public:
  // Real: the shared one, or one of this object's own if there are arguments for `rig up`; fails (NotFound) where it
  // cannot be had. Embedded: always one of its own.
  static Result<std::unique_ptr<TestCluster>> open(Tier tier, std::vector<std::string> own_rig = {});
  virtual ~TestCluster() = default;

  virtual std::unique_ptr<LiveApi> connect() = 0;
  // As the product itself is connected: on the real cluster with its ServiceAccount's token, and so with no more than
  // manifests/rescheduler/rbac.yaml grants.
  virtual std::unique_ptr<LiveApi> connect_as_product() { return connect(); }
  virtual const std::string& kubeconfig() const = 0;  // a file
  // Runs kubectl on it. NotFound where there is no kubectl.
  virtual Result<std::string> kubectl(std::vector<std::string> arguments) = 0;
};

class ClusterTest : public testing::TestWithParam<Tier> {
 protected:
  void SetUp() override;
  void TearDown() override;
  // Arguments of `rig up`, for a real cluster of the test's own; none: the shared one.
  virtual std::vector<std::string> own_rig() const { return {}; }

  LiveApi& live() { return *live_; }
  kube::Client client() { return live_->client(); }
  const std::string& ns() const { return ns_->name(); }
  TestCluster& cluster() { return *cluster_; }
  // A node of the test's own that is Ready and runs what is bound to it; removed at the end.
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
