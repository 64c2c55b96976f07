// An HTTP extender that rejects nodes, prefers one, and binds.
#include <set>

#include <gtest/gtest.h>

#include "kube/extender/wire.h"
#include "support/objects.h"
#include "support/scheduler.h"
#include "support/tiny_service.h"

namespace rescheduler::test {
namespace {

class TinyExtender {
 public:
  explicit TinyExtender(TestCluster& cluster)
      : service_(cluster, [this](const net::HttpRequest& request, net::Responder& responder) {
          return answer(request, responder);
        }) {}

  void refuse(const std::string& node) {
    service_.on_loop([&] { refused_.insert(node); });
  }
  void prefer(const std::string& node) {
    service_.on_loop([&] { preferred_ = node; });
  }
  void set_broken(bool broken) {
    service_.on_loop([&] { broken_ = broken; });
  }
  std::vector<std::string> bound() {
    std::vector<std::string> all;
    service_.on_loop([&] { all = bound_; });
    return all;
  }
  config::Extender entry() const {
    config::Extender extender;
    extender.url_prefix = service_.url() + "/x";
    extender.filter_verb = "filter";
    extender.prioritize_verb = "prioritize";
    extender.bind_verb = "bind";
    extender.weight = 100;
    extender.node_cache_capable = true;
    return extender;
  }

 private:
  net::Task<void> answer(const net::HttpRequest& request, net::Responder& responder) {
    net::HttpResponse response;
    response.status = broken_ ? 500 : 200;
    response.headers.set("Content-Type", "application/json");
    if (broken_) {
      response.body = "broken";
    } else if (request.target == "/x/filter") {
      response.body = filter(request.body);
    } else if (request.target == "/x/prioritize") {
      response.body = prioritize(request.body);
    } else {
      std::string bind_result = co_await bind(request.body);
      response.body = std::move(bind_result);
    }
    [[maybe_unused]] const auto sent = co_await responder.send(std::move(response));
  }

  std::string filter(const std::string& body) {
    const auto args = kube::read_extender_args(body);
    kube::ExtenderFilterResult result;
    if (!args || !args->node_names) {
      result.error = "the request cannot be parsed";
      return kube::write_filter_result(result);
    }
    result.node_names.emplace();
    for (const std::string& name : *args->node_names) {
      if (refused_.contains(name)) {
        result.failed[name] = "the extender says no";
      } else {
        result.node_names->push_back(name);
      }
    }
    return kube::write_filter_result(result);
  }
  std::string prioritize(const std::string& body) {
    const auto args = kube::read_extender_args(body);
    std::vector<kube::HostPriority> scores;
    if (args && args->node_names) {
      for (const std::string& name : *args->node_names) scores.push_back({name, name == preferred_ ? 10 : 0});
    }
    return kube::write_priorities(scores);
  }
  net::Task<std::string> bind(std::string body) {
    const auto args = kube::read_binding_args(body);
    if (!args) co_return kube::write_binding_result("the request cannot be parsed");
    auto binding = binding_to(args->pod_namespace, args->pod_name, args->node);
    auto done = co_await service_.link().client().create_sub<api::Pod>(args->pod_namespace, args->pod_name, "binding",
                                                                       std::move(binding));
    if (!done) co_return kube::write_binding_result(done.error().message);
    bound_.push_back(args->pod_name + " to " + args->node);
    co_return kube::write_binding_result("");
  }

  std::set<std::string> refused_;
  std::string preferred_;
  bool broken_ = false;
  std::vector<std::string> bound_;
  TinyService service_;
};

class SchedulingWithExtender : public SchedulingTest {
 protected:
  void SetUp() override {
    ClusterTest::SetUp();
    if (!IsSkipped()) extender_ = std::make_unique<TinyExtender>(cluster());
  }
  void TearDown() override {
    SchedulingTest::TearDown();  // its client stops first
    extender_.reset();
  }
  std::unique_ptr<TinyExtender> extender_;
};
RESCHEDULER_ON_EVERY_CLUSTER(SchedulingWithExtender);

TEST_P(SchedulingWithExtender, AnExtenderFiltersPrioritizesAndBinds) {
  const std::string refused = add_node("a");
  add_node("b");
  const std::string preferred = add_node("c");
  extender_->refuse(refused);
  extender_->prefer(preferred);
  auto& scheduler = start_scheduler({.extenders = {extender_->entry()}});
  for (const char* name : {"one", "two", "three"}) {
    add_pod(name);
    EXPECT_EQ(lands_on(name), preferred);
  }
  EXPECT_TRUE(eventually([&] { return extender_->bound().size() == 3; }));
  EXPECT_EQ(extender_->bound(),
            (std::vector<std::string>{"one to " + preferred, "two to " + preferred, "three to " + preferred}));
  for (const std::string& write : scheduler.writes()) EXPECT_FALSE(write.ends_with(" binding")) << write;
  EXPECT_TRUE(has_event("one", "Scheduled", fmt::format("Successfully assigned {}/one to {}", ns(), preferred)));
  EXPECT_TRUE(eventually([&] { return scheduler.assumed() == 0; }));
}

TEST_P(SchedulingWithExtender, TheExtendersReasonIsInTheMessageOfAnUnschedulablePod) {
  extender_->refuse(add_node("a"));
  start_scheduler({.extenders = {extender_->entry()}});
  add_pod("p");
  EXPECT_NE(wait_unschedulable("p").find("1 the extender says no"), std::string::npos) << wait_unschedulable("p");
  const std::string other = add_node("b");
  EXPECT_EQ(lands_on("p"), other);
}

TEST_P(SchedulingWithExtender, AFailingExtenderBlocksPodsUntilItRecoversUnlessItIsIgnorable) {
  const std::string node = add_node("a");
  extender_->set_broken(true);
  start_scheduler({.extenders = {extender_->entry()}});
  auto ignorable = extender_->entry();
  ignorable.ignorable = true;
  ignorable.bind_verb.clear();
  start_scheduler({.name = ns() + "-lenient", .extenders = {ignorable}});
  add_pod("strict");
  wait_unschedulable("strict");
  add_pod("lenient", R"({"spec": {"schedulerName": ")" + ns() + R"(-lenient"}})");
  EXPECT_EQ(lands_on("lenient"), node);
  EXPECT_EQ(node_of_pod("strict"), "");
  extender_->set_broken(false);
  EXPECT_EQ(lands_on("strict"), node);
}

}  // namespace
}  // namespace rescheduler::test
