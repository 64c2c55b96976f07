// A scheduler with its rescheduling controller on a test's cluster, and a fixture for their tests.
//
// On a shared cluster they see only the nodes with the test's label and the test's namespace.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/composition/composition.h"
#include "config/rescheduler_settings.h"
#include "kube/leader/leader_elector.h"
#include "kube/proto/apps.pb.h"
#include "support/scheduler.h"
#include "support/tiny_service.h"

namespace rescheduler::test {

// Lists and watches only the nodes with the label `test: NAMESPACE`, and of namespaced objects only those in NAMESPACE.
// Use it on the loop's thread only.
class NarrowApi final : public kube::Api {
 public:
  NarrowApi(kube::Api& api, std::string ns) : api_(api), ns_(std::move(ns)) {}
  net::Task<Result<void>> call(kube::ApiCall call, kube::Message* answer) override;
  net::Task<Result<kube::ListPage>> list(kube::ApiCall call, kube::ItemSink sink) override;
  net::Task<Result<std::unique_ptr<kube::WatchStream>>> watch(kube::ApiCall call) override;
  net::Task<Result<std::string>> get_text(std::string path, std::string accept) override;

  int evictions() const { return evictions_; }  // without dry runs

 private:
  kube::ApiCall narrowed(kube::ApiCall call) const;
  kube::Api& api_;
  std::string ns_;
  int evictions_ = 0;
};

// A Prometheus that reports the load of nodes as the test sets it.
class Meter {
 public:
  explicit Meter(TestCluster& cluster);
  void set_load(const std::map<std::string, double>& percent);  // by node
  void set_failing(bool failing);
  cluster::LoadSettings settings() const;

 private:
  std::map<std::string, double> percent_;
  bool failing_ = false;
  TinyService service_;
};

class TestRescheduler {
 public:
  struct Settings {
    config::ReschedulerSettings args{};
    std::string ns{};  // namespace of the test
    std::optional<kube::LeaderSettings> lease{};
  };
  TestRescheduler(TestCluster& cluster, Settings settings);
  ~TestRescheduler();
  TestRescheduler(const TestRescheduler&) = delete;
  TestRescheduler& operator=(const TestRescheduler&) = delete;

  void stop();
  std::string metrics() { return link_->services().metrics->text(); }
  // The sum over the series of the metric whose labels contain `labels`.
  double metric(const std::string& name, const std::string& labels = "");
  rescheduling::ControllerStatus status();
  int evictions();
  bool leads();

 private:
  net::Task<Result<void>> begin();
  net::Task<Result<void>> end();
  void take_the_lead();

  std::unique_ptr<LiveApi> link_;
  std::unique_ptr<NarrowApi> api_;
  std::unique_ptr<net::EventLoop> planning_;
  std::unique_ptr<net::EventLoop> deciding_;
  std::unique_ptr<kube::LeaderElector> elector_;
  bool leads_ = false;
  bool stopped_ = false;
  std::unique_ptr<cli::Composition> composition_;
};

class ReschedulingTest : public SchedulingTest {
 protected:
  void SetUp() override;
  void TearDown() override;

  // A cycle every 200 ms. Two of three samples are enough, and pods of any age can be moved.
  config::ReschedulerSettings fast_settings() const;
  TestRescheduler& start(config::ReschedulerSettings args, std::optional<kube::LeaderSettings> lease = std::nullopt);
  TestRescheduler& rescheduler() { return *all_.back(); }

  // A Deployment whose pods use the test's scheduler and its nodes.
  api::Deployment deploy(const std::string& name, int replicas, std::string_view differs = "{}");
  // Ready pods of the workload by node, without terminating pods.
  std::map<std::string, int> spread(const std::string& app);
  std::vector<std::string> uids(const std::string& app);
  bool all_ready(const std::string& app, int replicas);
  // Sets the load of each node to `idle` plus `percent_per_pod` for each pod of the test on the node.
  // eventually_measured() repeats this while it waits.
  void measure(double percent_per_pod, double idle = 5);
  bool eventually_measured(const std::function<bool()>& condition,
                           std::chrono::seconds limit = std::chrono::seconds{120});
  void annotate_history(const std::string& json_value);
  bool has_event_about(const std::string& kind, const std::string& name, const std::string& reason);

  std::unique_ptr<Meter> meter_;
  std::vector<std::string> measured_;  // nodes
  double per_pod_ = 12;

 private:
  std::vector<std::unique_ptr<TestRescheduler>> all_;
};

}  // namespace rescheduler::test
