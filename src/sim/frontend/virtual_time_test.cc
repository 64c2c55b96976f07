// The product's coroutines on a LocalApi in virtual time: every run has the same result.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/metrics.h"
#include "kube/informer/informer.h"
#include "kube/leader/leader_elector.h"
#include "kube/proto/coordination.pb.h"
#include "sim/frontend/frontend_objects.h"
#include "sim/frontend/frontend_rig.h"
#include "sim/proto/custom.pb.h"

namespace rescheduler::sim {
namespace {

using namespace std::chrono_literals;

class VirtualRun {
 public:
  VirtualRun() {
    api::Namespace ns;
    ns.mutable_metadata()->set_name("web");
    EXPECT_TRUE(rig_.server.create(ns));
  }

  std::vector<std::string> trace() {
    watch_pods();
    start_elector("first", 1);
    rig_.loop.run_for(1s);
    start_elector("second", 2);
    for (int i = 0; i < 40; ++i) change_pods(i);
    // The requests of the leader are lost for longer than its lease duration.
    rig_.faults.add(
        {.verbs = {kube::Verb::Update}, .resource = "leases", .times = 60, .fault = {.lose_request = Loss::Silence}});
    rig_.loop.run_for(10min);
    EXPECT_TRUE(pods_->synced());
    EXPECT_EQ(pods_->size(), rig_.server.store().count(rig_.server.kinds().of<api::Pod>()));
    note("events {} end {}", rig_.agenda.events_run(), rig_.server.store().version());
    for (net::Job& job : jobs_) job.cancel();
    rig_.loop.run_for(1min);
    for (const net::Job& job : jobs_) EXPECT_TRUE(job.done());
    return std::move(log_);
  }

 private:
  template <class... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    log_.push_back(fmt::format("{} {}", (rig_.agenda.steady_now() - begun_).count(),
                               fmt::format(text, std::forward<Args>(args)...)));
  }
  kube::LoopServices services() { return {rig_.loop.executor(), &rig_.loop.timers(), &rig_.agenda, &rng_, &metrics_}; }
  void watch_pods() {
    pods_ = std::make_unique<kube::Informer<api::Pod>>(rig_.api(), kube::InformerSettings{}, services());
    using Pod = std::shared_ptr<const api::Pod>;
    pods_->add_handler({.added = [this](const Pod& pod) { note("added {}", pod->metadata().name()); },
                        .updated =
                            [this](const Pod&, const Pod& pod) {
                              note("updated {} {}", pod->metadata().name(), pod->metadata().resource_version());
                            },
                        .removed = [this](const Pod& pod) { note("removed {}", pod->metadata().name()); },
                        .synced = [this] { note("synced"); }});
    jobs_.push_back(net::spawn(rig_.loop.executor(), "pods", pods_->run()));
  }
  void start_elector(const std::string& name, std::uint64_t) {
    kube::LeaderSettings settings;
    settings.ns = "web";
    settings.name = "leader";
    settings.election.identity = name;
    settings.after_loss = kube::AfterLoss::RunAgain;
    kube::LeaderCallbacks callbacks;
    callbacks.on_started_leading = [this, name] { note("{} started leading", name); };
    callbacks.on_stopped_leading = [this, name] { note("{} stopped leading", name); };
    auto elector = kube::LeaderElector::create(rig_.api(), settings, callbacks, services());
    ASSERT_TRUE(elector) << elector.error().message;
    electors_.push_back(std::move(*elector));
    jobs_.push_back(net::spawn(rig_.loop.executor(), name, electors_.back()->run()));
  }
  // Writes of another client, on a connection that sometimes loses watches and answers.
  void change_pods(int i) {
    if (i == 5) {
      rig_.faults.add({.verbs = {kube::Verb::Watch}, .probability = 0.5, .fault = {.drop_watch_after = 3}});
      rig_.faults.add({.verbs = {kube::Verb::Get, kube::Verb::Update, kube::Verb::Watch},
                       .probability = 0.2,
                       .fault = {.latency = 100ms, .spread = 2s}});
    }
    if (i == 30) rig_.faults.clear();
    const std::string name = "p" + std::to_string(i % 12);
    if (rig_.server.find<api::Pod>("web", name)) {
      api::DeleteOptions now;
      now.set_grace_period_seconds(0);
      EXPECT_TRUE(rig_.server.remove(rig_.server.kinds().of<api::Pod>(), "web", name, now));
    } else {
      EXPECT_TRUE(rig_.server.create(pod_of(name)));
    }
    rig_.loop.run_for(7s);
  }

  Rng rng_{17};
  MetricRegistry metrics_;
  std::vector<std::string> log_;
  std::unique_ptr<kube::Informer<api::Pod>> pods_;
  std::vector<std::unique_ptr<kube::LeaderElector>> electors_;
  std::vector<net::Job> jobs_;
  LocalRig rig_;  // last member: its loop's coroutines use the others
  SteadyTime begun_ = rig_.agenda.steady_now();
};

TEST(VirtualTime, InformersAndLeaderElectionsGiveTheSameTraceInEveryRun) {
  const auto first = VirtualRun().trace();
  EXPECT_EQ(VirtualRun().trace(), first);
  EXPECT_EQ(VirtualRun().trace(), first);
  const auto has = [&first](std::string_view what) {
    return std::ranges::any_of(first, [&](const std::string& line) { return line.ends_with(what); });
  };
  EXPECT_TRUE(has(" synced"));
  EXPECT_TRUE(has(" added p11"));
  EXPECT_TRUE(has(" removed p3"));
  EXPECT_TRUE(has(" first started leading"));
  EXPECT_TRUE(has(" first stopped leading"));
  EXPECT_TRUE(has(" second started leading"));
}

net::Task<void> wait_for_event(kube::Api& api, std::string& ended) {
  kube::ApiCall call;
  call.verb = kube::Verb::Watch;
  call.resource = &kube::resource_of<api::Pod>();
  auto stream = co_await api.watch(call);
  auto events = co_await (*stream)->next();
  ended = events ? "events" : to_string(events.error().code);
}

TEST(VirtualTime, ACancelledWatchReturnsCancelledAndLeavesNoEventOnTheAgenda) {
  std::string ended;
  LocalRig rig;
  net::Job job = net::spawn(rig.loop.executor(), "watch", wait_for_event(rig.api(), ended));
  rig.loop.run_for(1s);
  EXPECT_FALSE(job.done());
  job.cancel();
  rig.loop.run_for(0s);
  EXPECT_EQ(ended, "cancelled");
  EXPECT_FALSE(rig.agenda.next_due().has_value());
}

// The product uses its custom kind in this way: typed messages in the client, JSON in the store.
TEST(LocalApi, TypedMessagesOfCustomKindsAreConvertedInBothDirections) {
  LocalRig rig;
  CustomObject definition;
  definition.mutable_metadata()->set_name("gadgets.example.io");
  definition.set_content(
      R"({"spec":{"group":"example.io","scope":"Cluster","names":{"plural":"gadgets","kind":"Gadget"},
    "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
    "x-kubernetes-preserve-unknown-fields":true}}}]}})");
  const Kind& definitions = *rig.server.kinds().find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  const auto defined = rig.server.create(definitions, "", std::make_unique<CustomObject>(definition));
  ASSERT_TRUE(defined) << defined.error().message;
  // PodTemplateSpec has metadata and is not a kind itself.
  kube::ResourceType gadgets;
  gadgets.message = api::PodTemplateSpec::descriptor();
  gadgets.group = "example.io";
  gadgets.version = "v1";
  gadgets.kind = "Gadget";
  gadgets.plural = "gadgets";
  gadgets.json_only = true;
  api::PodTemplateSpec gadget;
  gadget.mutable_metadata()->set_name("g");
  gadget.mutable_spec()->set_host_network(true);
  kube::ApiCall call;
  call.verb = kube::Verb::Create;
  call.resource = &gadgets;
  call.body = &gadget;
  api::PodTemplateSpec answer;
  const auto made = rig.await(rig.api().call(call, &answer));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_FALSE(answer.metadata().uid().empty());
  EXPECT_TRUE(answer.spec().host_network());
  const Kind& kind = *rig.server.kinds().find("example.io", "v1", "gadgets");
  EXPECT_THAT(object_to_json(kind, *rig.server.get(kind, "", "g").value()->object()),
              testing::HasSubstr(R"("spec":{"hostNetwork":true})"));
  call.verb = kube::Verb::List;
  std::vector<ObjectPtr> listed;
  ASSERT_TRUE(rig.await(rig.api().list(call, [&listed](ObjectPtr object) { listed.push_back(std::move(object)); })));
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_TRUE(static_cast<const api::PodTemplateSpec&>(*listed[0]).spec().host_network());
}

}  // namespace
}  // namespace rescheduler::sim
