#include "chaos/history_checker.h"

#include <algorithm>
#include <cmath>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "kube/proto/apps.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/value/quantity.h"
#include "sim/proto/custom.pb.h"

namespace rescheduler::test {
namespace {

constexpr std::chrono::minutes kQuiet{3};  // since somebody else has disturbed a workload: a node's death takes long

std::string app_of(const api::Pod& pod) {
  const auto found = pod.metadata().labels().find("app");
  return found == pod.metadata().labels().end() ? std::string() : found->second;
}

bool ready(const api::Pod& pod) {
  return std::ranges::any_of(pod.status().conditions(),
                             [](const auto& one) { return one.type() == "Ready" && one.status() == "True"; });
}

// In thousandths.
std::int64_t amount_of(const api::Quantity& quantity) {
  const auto parsed = kube::Quantity::parse(quantity.string());
  return parsed ? static_cast<std::int64_t>(std::llround(parsed->to_double() * 1000)) : 0;
}

// By resource, pods among them; what has run to its end needs nothing any more.
void add_requests(const api::Pod& pod, std::map<std::string, std::int64_t>& to) {
  if (pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed") return;
  to["pods"] += 1000;
  for (const auto& container : pod.spec().containers()) {
    for (const auto& [resource, amount] : container.resources().requests()) to[resource] += amount_of(amount);
  }
}

bool was_evicted(const api::Pod& pod) {
  return std::ranges::any_of(pod.status().conditions(), [](const auto& one) {
    return one.type() == "DisruptionTarget" && one.reason() == "EvictionByEvictionAPI" && one.status() == "True";
  });
}

}  // namespace

HistoryChecker::HistoryChecker(sim::Server& server) : server_(server) {
  changes_ = server.store().subscribe(nullptr, [this](const sim::Change& change) { on_change(change); });
}

bool HistoryChecker::quiet(const std::string& app) const {
  const auto found = disturbed_.find(app);
  return (found == disturbed_.end() || now() - found->second > kQuiet) && now() - all_disturbed_ > kQuiet;
}

void HistoryChecker::on_change(const sim::Change& change) {
  const sim::Kind& kind = change.kind();
  if (&kind == &server_.kinds().of<api::Pod>()) {
    const auto before = change.before ? change.before->as<api::Pod>() : nullptr;
    pod_changed(before.get(), *change.after->as<api::Pod>(), change.what == sim::Change::What::Deleted);
  }
  if (&kind == &server_.kinds().of<api::Deployment>() && change.what == sim::Change::What::Modified) {
    deployment_changed(*change.before->as<api::Deployment>(), *change.after->as<api::Deployment>());
  }
}

void HistoryChecker::pod_changed(const api::Pod* before, const api::Pod& after, bool gone) {
  const std::string app = app_of(after);
  if (before == nullptr && single_.contains(app)) {
    int live = 0;
    server_.store().for_each(server_.kinds().of<api::Pod>(), after.metadata().namespace_(), "",
                             [&](const sim::VersionPtr& version) {
                               if (app_of(*version->as<api::Pod>()) == app) ++live;
                               return true;
                             });
    if (live > 1) breach("{} has {} copies at once: {} is new", app, live, after.metadata().name());
  }
  // Room is taken when a pod gets its node, and at no other time.
  const std::string& node = after.spec().node_name();
  if (!gone && !node.empty() && (before == nullptr || before->spec().node_name() != node)) check_room(node);
  if (gone || before == nullptr) return;
  const bool leaves = !before->metadata().has_deletion_timestamp() && after.metadata().has_deletion_timestamp();
  if (leaves && was_evicted(after)) check_eviction(after);
}

void HistoryChecker::check_room(const std::string& name) {
  ++bindings_;
  const auto node = server_.find<api::Node>("", name);
  if (!node) return;
  std::map<std::string, std::int64_t> requested;
  server_.store().for_each(server_.kinds().of<api::Pod>(), "", "", [&](const sim::VersionPtr& version) {
    const auto one = version->as<api::Pod>();
    if (one->spec().node_name() == name) add_requests(*one, requested);
    return true;
  });
  for (const auto& [resource, amount] : requested) {
    const auto has = node->status().allocatable().find(resource);
    const std::int64_t most = has == node->status().allocatable().end() ? 0 : amount_of(has->second);
    if (amount > most) breach("{} has {} of {} and pods that ask for {}", name, most, resource, amount);
  }
}

// A pod goes by our doing: it has a record that says so, it may go, and its workload can do without it.
void HistoryChecker::check_eviction(const api::Pod& pod) {
  const std::string app = app_of(pod);
  if (!evicted_.insert(pod.metadata().uid()).second) breach("{} was evicted twice", pod.metadata().name());
  if (forbidden_.contains(app)) breach("{} is protected and was evicted", pod.metadata().name());
  const sim::Kind* migrations = server_.kinds().find("rescheduler.io", "v1alpha1", "migrations");
  int announced = 0;
  server_.store().for_each(*migrations, pod.metadata().namespace_(), "", [&](const sim::VersionPtr& version) {
    const auto object = std::static_pointer_cast<const sim::CustomObject>(version->object());
    const auto content = boost::json::parse(object->content());
    const auto* status = content.as_object().if_contains("status");
    if (status == nullptr) return true;
    const bool its = content.at("spec").at("podUID").as_string() == pod.metadata().uid();
    const auto& phase = status->at("phase").as_string();
    if (its && (phase == "Evicting" || phase == "Retiring")) ++announced;
    return true;
  });
  if (announced != 1) breach("{} migrations announce the eviction of {}", announced, pod.metadata().name());

  const auto workload = server_.find<api::Deployment>(pod.metadata().namespace_(), app);
  if (!workload || !quiet(app) || !ready(pod)) return;
  int others = 0;
  server_.store().for_each(server_.kinds().of<api::Pod>(), pod.metadata().namespace_(), "",
                           [&](const sim::VersionPtr& version) {
                             const auto one = version->as<api::Pod>();
                             const bool counts = app_of(*one) == app && one->metadata().uid() != pod.metadata().uid()
                                                 && !one->metadata().has_deletion_timestamp() && ready(*one);
                             if (counts) ++others;
                             return true;
                           });
  if (others < workload->spec().replicas() - 1) {
    breach("{} was evicted while only {} of {} others were ready", pod.metadata().name(), others,
           workload->spec().replicas() - 1);
  }
}

void HistoryChecker::deployment_changed(const api::Deployment& before, const api::Deployment& after) {
  if (before.spec().template_().SerializeAsString() == after.spec().template_().SerializeAsString()) return;
  const std::string& app = after.metadata().name();
  if (++templates_[app] > rollouts_[app]) breach("the template of {} was touched", app);
}

void HistoryChecker::check_nothing_left() {
  const auto look = [this](const api::ObjectMeta& meta, std::string_view kind) {
    if (meta.has_deletion_timestamp()) return;
    for (const auto& [key, value] : meta.labels()) {
      if (key == "rescheduler.io/migration") breach("{} {} still has label {}", kind, meta.name(), key);
    }
    for (const auto& [key, value] : meta.annotations()) {
      const bool ours = key.starts_with("scheduler.alpha.kubernetes.io/")
                        || key == "rescheduler.io/deletion-cost-before" || key == "rescheduler.io/copy-of"
                        || (key.ends_with("pod-deletion-cost") && value.size() > 3);
      if (ours && value != "disabled") breach("{} {} still has annotation {}", kind, meta.name(), key);
    }
  };
  const auto all = [&]<class T>(std::string_view kind, const T*) {
    server_.store().for_each(server_.kinds().of<T>(), "", "", [&](const sim::VersionPtr& version) {
      look(version->as<T>()->metadata(), kind);
      return true;
    });
  };
  all("pod", static_cast<const api::Pod*>(nullptr));
  all("deployment", static_cast<const api::Deployment*>(nullptr));
  all("replicaset", static_cast<const api::ReplicaSet*>(nullptr));
  all("statefulset", static_cast<const api::StatefulSet*>(nullptr));
  server_.store().for_each(server_.kinds().of<api::PodDisruptionBudget>(), "", "", [&](const sim::VersionPtr& version) {
    const std::string name = version->as<api::PodDisruptionBudget>()->metadata().name();
    if (name.ends_with("-rescheduler-pdb")) breach("budget {} is still there", name);
    return true;
  });
}

}  // namespace rescheduler::test
