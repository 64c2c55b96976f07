#include "cli/demo/demo_actions.h"

#include <algorithm>

#include <fmt/format.h>

#include "kube/codec/json_words.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cli {
namespace {

constexpr int kFirstLoad = 180;  // percent of its requests: visible at once
constexpr int kMoreLoad = 60;    // added with every further action
constexpr int kMostLoad = 420;

// Splits "ns/name". Names come from a browser, so only existing names are used.
std::pair<std::string, std::string> split(const std::string& key) {
  const auto slash = key.find('/');
  return {key.substr(0, slash), key.substr(slash + 1)};
}

bool belongs_to(const api::Pod& pod, const std::string& key) {
  const auto app = pod.metadata().labels().find("app");
  return app != pod.metadata().labels().end() && pod.metadata().namespace_() + "/" + app->second == key;
}

}  // namespace

DemoActionRunner::DemoActionRunner(sim::EmbeddedCluster& cluster,
                                   sim::ScenarioRunner& runner,
                                   rescheduling::Controller* controller)
    : cluster_(cluster), runner_(runner), controller_(controller) {
  on_pods_ = cluster.server().store().subscribe(&cluster.server().kinds().of<api::Pod>(),
                                                [this](const sim::Change& change) { on_pod(change); });
}

DemoActionRunner::~DemoActionRunner() = default;

Result<std::string> DemoActionRunner::perform(const dashboard::DemoAction& demo_action) {
  if (demo_action.what == "addLoad") return add_load(demo_action);
  if (demo_action.what == "setStrategy") return set_strategy(demo_action);
  if (!has_node(demo_action.node)) return fail(Errc::NotFound, "there is no node {}", demo_action.node);
  if (demo_action.what == "killNode") {
    dead_.insert(demo_action.node);
    return fault(demo_action.node, "dead", fmt::format("{} has lost power", demo_action.node));
  }
  if (demo_action.what == "reviveNode") {
    dead_.erase(demo_action.node);
    return fault(demo_action.node, "", fmt::format("power is back at {}", demo_action.node));
  }
  if (demo_action.what == "crashOnNode") return crash(demo_action);
  return heal(demo_action.node);
}

bool DemoActionRunner::has_node(const std::string& name) const {
  const auto& server = cluster_.server();
  return !name.empty() && server.store().find(server.kinds().of<api::Node>(), "", name) != nullptr;
}

std::string DemoActionRunner::chosen_workload(const dashboard::DemoAction& demo_action) const {
  for (const sim::Workload& one : runner_.scenario().workloads) {
    const bool asked = demo_action.workload.empty()
                           ? one.kind == sim::WorkloadKind::Deployment
                           : one.name == demo_action.workload && (demo_action.ns.empty() || one.ns == demo_action.ns);
    if (asked) return one.key();
  }
  return {};
}

Result<std::string> DemoActionRunner::add_load(const dashboard::DemoAction& demo_action) {
  const std::string key = chosen_workload(demo_action);
  if (key.empty()) return fail(Errc::NotFound, "there is no workload {}/{}", demo_action.ns, demo_action.workload);
  int& percent = load_[key];
  percent = percent == 0 ? kFirstLoad : std::min(percent + kMoreLoad, kMostLoad);
  sim::TimedEvent happens;
  happens.action = sim::event::ChangeLoad{key, fmt::format("noisy mean={}% deviation={}%", percent, percent / 8), {}};
  happens.say = fmt::format("{} gets more load", key);
  runner_.perform(happens);
  return fmt::format("{} uses {} % of the CPU it requests", key, percent);
}

Result<std::string> DemoActionRunner::fault(const std::string& node,
                                            const std::string& fault,
                                            const std::string& sentence) {
  sim::TimedEvent happens;
  happens.action = sim::event::Fault{node, fault};
  happens.say = sentence;
  runner_.perform(happens);
  return sentence;
}

// The pods of the workload on this node crash, also pods that start there later. The workload gets three retries.
Result<std::string> DemoActionRunner::crash(const dashboard::DemoAction& demo_action) {
  std::string key = chosen_workload(demo_action);
  const auto& pods = cluster_.server().kinds().of<api::Pod>();
  std::vector<std::shared_ptr<const api::Pod>> there;
  cluster_.server().store().for_each(pods, "", "", [&](const sim::VersionPtr& version) {
    const auto pod = version->as<api::Pod>();
    if (pod->spec().node_name() == demo_action.node && !pod->metadata().has_deletion_timestamp()) there.push_back(pod);
    return true;
  });
  if (demo_action.workload.empty()) {
    // A Deployment with a pod on this node, because its pods can run elsewhere.
    for (const sim::Workload& one : runner_.scenario().workloads) {
      const bool runs = std::ranges::any_of(there, [&](const auto& pod) { return belongs_to(*pod, one.key()); });
      if (runs && one.kind == sim::WorkloadKind::Deployment) key = one.key();
    }
  }
  if (key.empty()) return fail(Errc::NotFound, "there is no workload {}/{}", demo_action.ns, demo_action.workload);
  const sim::Workload* workload = runner_.scenario().find_workload(key);
  crashing_[demo_action.node] = key;
  sim::TimedEvent happens;
  happens.action = sim::event::Mark{.kind = std::string(to_string(workload->kind)),
                                    .ns = workload->ns,
                                    .name = workload->name,
                                    .annotations = true,
                                    .set = {{"scheduling-retries", "3"}}};
  happens.say = fmt::format("{} crashes on {}", key, demo_action.node);
  runner_.perform(happens);
  std::size_t count = 0;
  for (const auto& pod : there) {
    if (!belongs_to(*pod, key)) continue;
    broken_[demo_action.node].insert(pod->metadata().namespace_() + "/" + pod->metadata().name());
    cluster_.kubelets().faults().set_pod(pod->metadata().namespace_(), pod->metadata().name(), {.crash = true});
    ++count;
  }
  return fmt::format("{} crashes on {} from now on ({} of its pods run on this node)", key, demo_action.node, count);
}

void DemoActionRunner::on_pod(const sim::Change& change) {
  if (crashing_.empty() || change.what == sim::Change::What::Deleted) return;
  const auto pod = change.after->as<api::Pod>();
  const auto found = crashing_.find(pod->spec().node_name());
  if (found == crashing_.end() || !belongs_to(*pod, found->second)) return;
  const bool added = broken_[found->first].insert(pod->metadata().namespace_() + "/" + pod->metadata().name()).second;
  if (added)
    cluster_.kubelets().faults().set_pod(pod->metadata().namespace_(), pod->metadata().name(), {.crash = true});
}

Result<std::string> DemoActionRunner::heal(const std::string& node) {
  crashing_.erase(node);
  for (const std::string& key : broken_[node]) {
    const auto [ns, name] = split(key);
    cluster_.kubelets().faults().set_pod(ns, name, {});
  }
  broken_.erase(node);
  dead_.erase(node);
  return fault(node, "", fmt::format("pods on {} no longer crash", node));
}

Result<std::string> DemoActionRunner::set_strategy(const dashboard::DemoAction& demo_action) {
  using config::StrategyMode;
  if (controller_ == nullptr) return fail(Errc::Conflict, "this demo moves no pods (--no-rescheduling)");
  const auto strategy = config::strategy_named(demo_action.strategy);
  if (!strategy) return fail(Errc::Invalid, "there is no strategy {}", demo_action.strategy);
  if (demo_action.mode.empty()) return fail(Errc::Invalid, "mode must be off, observe or act");
  const StrategyMode mode = demo_action.mode == "act"       ? StrategyMode::Act
                            : demo_action.mode == "observe" ? StrategyMode::Observe
                                                            : StrategyMode::Off;
  controller_->set_mode(*strategy, mode);
  return fmt::format("{}: {}", demo_action.strategy, demo_action.mode);
}

std::string DemoActionRunner::choices() const {
  std::vector<std::string> nodes;
  const auto& server = cluster_.server();
  server.store().for_each(server.kinds().of<api::Node>(), "", "", [&](const sim::VersionPtr& version) {
    nodes.push_back(version->as<api::Node>()->metadata().name());
    return true;
  });
  std::vector<const sim::Workload*> workloads;
  for (const sim::Workload& one : runner_.scenario().workloads) {
    if (one.ns != "kube-system") workloads.push_back(&one);
  }
  return fmt::format(
      R"({{"nodes":{},"workloads":{}}})",
      kube::json_array(nodes,
                       [this](const std::string& name) {
                         return fmt::format(R"({{"name":{},"alive":{},"crashing":{}}})", kube::json_string(name),
                                            !dead_.contains(name), crashing_.contains(name));
                       }),
      kube::json_array(workloads, [](const sim::Workload* one) {
        return fmt::format(R"({{"namespace":{},"name":{}}})", kube::json_string(one->ns), kube::json_string(one->name));
      }));
}

}  // namespace rescheduler::cli
