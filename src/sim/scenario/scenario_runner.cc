#include "sim/scenario/scenario_runner.h"

#include <algorithm>

#include <fmt/core.h>

#include "cluster/objects/nodes.h"
#include "kube/codec/metadata.h"
#include "kube/codec/resource.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "sim/scenario/scenario_objects.h"

namespace rescheduler::sim {
namespace {

constexpr std::chrono::milliseconds kNodeLook{100};

std::string title(const Kind& kind, const Message& object) {
  const api::ObjectMeta& metadata = kube::metadata_of(object);
  return fmt::format("{} {}{}{}", kind.kind, metadata.namespace_(), metadata.namespace_().empty() ? "" : "/",
                     metadata.name());
}

}  // namespace

ScenarioRunner::ScenarioRunner(Server& server, Scenario scenario) : server_(server), scenario_(std::move(scenario)) {}

ScenarioRunner::~ScenarioRunner() { *alive_ = false; }

void ScenarioRunner::start() {
  started_ = server_.agenda().steady_now();
  for_each_cluster_object(scenario_, [this](MessagePtr object) { create(std::move(object)); });
  look_at_nodes();
}

void ScenarioRunner::look_at_nodes() {
  bool ready = true;
  server_.store().for_each(server_.kinds().of<api::Node>(), "", "", [&ready](const VersionPtr& version) {
    ready = cluster::is_ready(*version->as<api::Node>());
    return ready;
  });
  if (ready || server_.agenda().steady_now() - started_ >= kNodeTimeout) return begin();
  at(kNodeLook, [this] { look_at_nodes(); });
}

void ScenarioRunner::begin() {
  began_ = server_.agenda().steady_now();
  placer_.emplace(server_, scenario_);
  on_pods_ =
      server_.store().subscribe(&server_.kinds().of<api::Pod>(), [this](const Change& change) { on_pod(change); });
  for (const Manifest& manifest : scenario_.manifests) apply(manifest);
  std::map<std::chrono::nanoseconds, std::vector<const Workload*>> starts;
  for (const Workload& workload : scenario_.workloads) starts[workload.starts_at].push_back(&workload);
  for (auto& [when, workloads] : starts) {
    ++waiting_;
    at(when, [this, batch = std::move(workloads)] {
      --waiting_;
      create_workloads(batch);
    });
  }
  for (const TimedEvent& event : scenario_.events) {
    ++waiting_;
    at(event.at, [this, &event] {
      --waiting_;
      perform(event);
    });
  }
}

void ScenarioRunner::at(std::chrono::nanoseconds time, std::function<void()> what) {
  server_.agenda().after(time, [alive = alive_, what = std::move(what)] {
    if (*alive) what();
  });
}

void ScenarioRunner::create(MessagePtr object) {
  const Kind& kind = server_.kinds().of(kube::resource_of(*object->GetDescriptor()));
  const std::string what = "create " + title(kind, *object);
  const std::string ns = kube::metadata_of(*object).namespace_();
  server_.submit_create(kind, ns, std::move(object), {.manager = "scenario"},
                        [this, alive = alive_, what](ApiResult<VersionPtr> answer) {
                          if (!answer && *alive) report_refusal(what, answer.error());
                        });
}

void ScenarioRunner::create_workloads(const std::vector<const Workload*>& workloads) {
  for (const Workload* workload : workloads) {
    for_each_workload_object(*workload, [this](MessagePtr object) { create(std::move(object)); });
  }
}

void ScenarioRunner::perform(const TimedEvent& event) {
  if (!std::holds_alternative<event::Nothing>(event.action)) {
    report(event.say.empty() ? describe(event) : fmt::format("{} ({})", event.say, describe(event)));
  } else {
    report(event.say);
  }
  std::visit([this](const auto& action) { act(action); }, event.action);
}

void ScenarioRunner::report(std::string text, bool warning) {
  activities_.push_back({server_.agenda().wall_now(), std::move(text), warning});
  if (listener_) listener_(activities_.back());
}

void ScenarioRunner::report_refusal(const std::string& what, const StatusError& refusal) {
  report(fmt::format("{}: refused: {}", what, refusal.message), true);
}

}  // namespace rescheduler::sim
