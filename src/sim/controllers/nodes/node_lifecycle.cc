#include "sim/controllers/nodes/node_lifecycle.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "cluster/objects/nodes.h"
#include "kube/events/event_record.h"
#include "kube/proto/coordination.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/repeated.h"
#include "kube/value/time.h"
#include "sim/controllers/nodes/taint_math.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kReporter = "node-controller";
constexpr std::string_view kLeaseNamespace = "kube-node-lease";
constexpr std::string_view kManager = "kube-controller-manager";

std::string zone_key(const api::Node& node) {
  const std::string region = cluster::region_of(node);
  const std::string zone = cluster::zone_of(node);
  return region.empty() && zone.empty() ? std::string() : region + ":" + zone;
}

void set_taint(api::Node& node, std::string_view key, std::string_view effect, WallTime now) {
  if (has_taint(node, key, effect)) return;
  api::Taint& taint = *node.mutable_spec()->add_taints();
  taint.set_key(std::string(key));
  taint.set_effect(std::string(effect));
  *taint.mutable_time_added() = stamp(now);
}

void drop_taint(api::Node& node, std::string_view key, std::string_view effect) {
  kube::erase_if(*node.mutable_spec()->mutable_taints(),
                 [&](const api::Taint& taint) { return taint.key() == key && taint.effect() == effect; });
}

WriteContext as_manager() { return {.manager = std::string(kManager)}; }

}  // namespace

NodeLifecycleController::NodeLifecycleController(const ControllerScope& scope, NodeLifecycleSettings settings)
    : server_(scope.server),
      pods_(scope.pods),
      events_(scope.events),
      settings_(settings),
      taint_queue_(server_.agenda(), scope.lag, [this](const std::string& key) { reconcile_no_schedule(key); }),
      monitor_(server_.agenda(), settings.monitor_period, [this] { monitor(); }) {
  const Kind& nodes = server_.kinds().of<api::Node>();
  server_.store().for_each(nodes, "", "", [this](const VersionPtr& version) {
    node_changed(Change{version->number(), Change::What::Added, nullptr, version});
    return true;
  });
  on_nodes_ = server_.store().subscribe(&nodes, [this](const Change& change) { node_changed(change); });
  on_leases_ = server_.store().subscribe(&server_.kinds().of<api::Lease>(),
                                         [this](const Change& change) { lease_changed(change); });
}

NodeLifecycleController::~NodeLifecycleController() {
  for (const auto& [name, zone] : zones_) server_.agenda().cancel(zone.next);
}

void NodeLifecycleController::observe(const api::Node& node, Watched& watched) {
  watched.zone = zone_key(node);
  watched.uid = node.metadata().uid();
  watched.created = kube::wall_time(node.metadata().creation_timestamp());
  watched.left_out = node.metadata().labels().contains("node.kubernetes.io/exclude-disruption");
  watched.not_ready_taint = has_taint(node, kNotReady, kNoExecute);
  watched.unreachable_taint = has_taint(node, kUnreachable, kNoExecute);
  watched.ready = Ready::Never;
  for (const api::NodeCondition& condition : node.status().conditions()) {
    if (condition.type() != "Ready") continue;
    const std::string& status = condition.status();
    watched.ready = status == "True" ? Ready::True : status == "False" ? Ready::False : Ready::Unknown;
    const std::int64_t heartbeat = condition.last_heartbeat_time().seconds();
    if (heartbeat != watched.heartbeat) watched.heartbeat_seen = true;
    watched.heartbeat = heartbeat;
  }
}

void NodeLifecycleController::node_changed(const Change& change) {
  const auto node = change.after->as<api::Node>();
  const std::string& name = node->metadata().name();
  if (change.what == Change::What::Deleted) {
    const auto found = nodes_.find(name);
    if (found == nodes_.end()) return;
    if (const auto zone = zones_.find(found->second.zone); zone != zones_.end()) zone->second.waiting.erase(name);
    note(name, found->second.uid, "RemovingNode",
         fmt::format("Node {} event: Removing Node {} from Controller", name, name));
    nodes_.erase(found);
    return;
  }
  Watched& watched = nodes_[name];
  const std::string zone_before = watched.zone;
  observe(*node, watched);
  if (zone_before != watched.zone) {
    if (const auto zone = zones_.find(zone_before); zone != zones_.end()) zone->second.waiting.erase(name);
  }
  if (wanted_no_schedule(*node) != present_no_schedule(*node)) taint_queue_.add(name);
}

void NodeLifecycleController::lease_changed(const Change& change) {
  if (change.what == Change::What::Deleted) return;
  const auto lease = change.after->as<api::Lease>();
  if (lease->metadata().namespace_() != kLeaseNamespace) return;
  if (const auto found = nodes_.find(lease->metadata().name()); found != nodes_.end()) {
    found->second.heartbeat_seen = true;
  }
}

void NodeLifecycleController::reconcile_no_schedule(const std::string& key) {
  const WallTime now = server_.agenda().wall_now();
  const auto tainted = server_.modify<api::Node>(
      "", key,
      [now](api::Node& node) {
        const auto wanted = wanted_no_schedule(node);
        for (const std::string& present : present_no_schedule(node)) {
          if (std::ranges::find(wanted, present) == wanted.end()) drop_taint(node, present, kNoSchedule);
        }
        for (const std::string& taint : wanted) set_taint(node, taint, kNoSchedule, now);
      },
      {}, as_manager());
  if (!tainted && tainted.error().code != 404) taint_queue_.add_after_failure(key);
}

NodeLifecycleController::Zone& NodeLifecycleController::zone_of(const std::string& name) {
  return zones_.try_emplace(name, Zone{.rate = NodeRate(settings_.nodes_per_second)}).first->second;
}

void NodeLifecycleController::monitor() {
  for (auto& [name, zone] : zones_) zone.ready = zone.not_ready = 0;
  // The writes in this loop change entries of nodes_, but add or remove none.
  for (auto& [name, node] : nodes_) {
    if (!node.registered) register_node(name, node);
    check_health(name, node);
    if (!node.left_out) {
      Zone& zone = zone_of(node.zone);
      ++(node.ready == Ready::True ? zone.ready : zone.not_ready);
    }
    follow_readiness(name, node);
  }
  handle_disruption();
}

void NodeLifecycleController::register_node(const std::string& name, Watched& node) {
  node.registered = true;
  // A node that never reported counts from its creation. Any other node counts as alive now.
  node.alive = node.ready == Ready::Never ? node.created : server_.agenda().wall_now();
  note(name, node.uid, "RegisteredNode", fmt::format("Node {} event: Registered Node {} in Controller", name, name));
  make_reachable(name, node);
}

void NodeLifecycleController::check_health(const std::string& name, Watched& node) {
  const WallTime now = server_.agenda().wall_now();
  if (node.heartbeat_seen) node.alive = now;
  node.heartbeat_seen = false;
  const auto grace = node.ready == Ready::Never ? settings_.startup_grace_period : settings_.grace_period;
  if (now <= node.alive + grace || node.ready == Ready::Unknown) return;
  const bool was_ready = node.ready == Ready::True;
  declare_unknown(name, node);
  node.heartbeat_seen = false;  // the controller's own write is not a heartbeat
  if (!was_ready) return;
  note(name, node.uid, "NodeNotReady", fmt::format("Node {} status is now: NodeNotReady", name));
  mark_pods_not_ready(name);
}

void NodeLifecycleController::declare_unknown(const std::string& name, const Watched& node) {
  const WallTime now = server_.agenda().wall_now();
  const WallTime created = node.created;
  const auto written = server_.modify_status<api::Node>(
      "", name,
      [now, created](api::Node& changed) {
        for (const char* type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
          auto& conditions = *changed.mutable_status()->mutable_conditions();
          auto found = std::ranges::find_if(conditions, [type](const auto& one) { return one.type() == type; });
          api::NodeCondition* condition = found == conditions.end() ? nullptr : &*found;
          const bool never = condition == nullptr;
          if (condition && condition->status() == "Unknown") continue;
          if (!condition) {
            condition = conditions.Add();
            condition->set_type(type);
            *condition->mutable_last_heartbeat_time() = stamp(created);
          }
          condition->set_status("Unknown");
          condition->set_reason(never ? "NodeStatusNeverUpdated" : "NodeStatusUnknown");
          condition->set_message(never ? "Kubelet never posted node status." : "Kubelet stopped posting node status.");
          *condition->mutable_last_transition_time() = stamp(now);
        }
      },
      as_manager());
  (void)written;  // a deleted node needs no status; other errors are retried in the next pass
}

void NodeLifecycleController::mark_pods_not_ready(const std::string& node) {
  std::vector<std::pair<std::string, std::string>> ready;
  for (const PodView* pod : pods_.on_node(node)) {
    if (pod->ready()) ready.emplace_back(pod->ns(), pod->name());
  }
  const WallTime now = server_.agenda().wall_now();
  for (const auto& [ns, name] : ready) {
    const auto marked = server_.modify_status<api::Pod>(
        ns, name,
        [now](api::Pod& pod) {
          for (api::PodCondition& condition : *pod.mutable_status()->mutable_conditions()) {
            if (condition.type() != "Ready" || condition.status() == "False") continue;
            condition.set_status("False");
            *condition.mutable_last_transition_time() = stamp(now);
          }
        },
        as_manager());
    if (!marked) continue;
    events_.note(kube::ref_to(**marked), kube::EventType::Warning, "NodeNotReady", "", "Node is not ready", kReporter);
  }
}

void NodeLifecycleController::follow_readiness(const std::string& name, Watched& node) {
  Zone& zone = zone_of(node.zone);
  switch (node.ready) {
    case Ready::Never: return;
    case Ready::True:
      zone.waiting.erase(name);
      make_reachable(name, node);
      return;
    // The two taints exclude each other. A node with the wrong one gets the right one without waiting.
    case Ready::False:
      if (node.unreachable_taint) return swap_no_execute(name, kNotReady, kUnreachable);
      if (node.not_ready_taint) return;
      break;
    case Ready::Unknown:
      if (node.not_ready_taint) return swap_no_execute(name, kUnreachable, kNotReady);
      if (node.unreachable_taint) return;
      break;
  }
  zone.waiting.insert(name);
  schedule(zone);
}

void NodeLifecycleController::make_reachable(const std::string& name, const Watched& node) {
  if (node.not_ready_taint || node.unreachable_taint) swap_no_execute(name, {}, {});
}

// Adds one taint and removes the other. With an empty `add`, removes both.
void NodeLifecycleController::swap_no_execute(const std::string& name, std::string_view add, std::string_view remove) {
  const WallTime now = server_.agenda().wall_now();
  const auto swapped = server_.modify<api::Node>(
      "", name,
      [&](api::Node& node) {
        for (const std::string_view key : {kNotReady, kUnreachable}) {
          if (add.empty() || key == remove) drop_taint(node, key, kNoExecute);
        }
        if (!add.empty()) set_taint(node, add, kNoExecute, now);
      },
      {}, as_manager());
  (void)swapped;  // the next pass tries again
}

void NodeLifecycleController::schedule(Zone& zone) {
  if (zone.waiting.empty() || zone.next || zone.rate.never()) return;
  const SteadyTime now = server_.agenda().steady_now();
  zone.next = server_.agenda().after(zone.rate.next() - now, [this, &zone] {
    zone.next = {};
    taint_next(zone);
    schedule(zone);
  });
}

void NodeLifecycleController::taint_next(Zone& zone) {
  if (zone.waiting.empty() || zone.rate.never()) return;
  const std::string name = *zone.waiting.begin();
  zone.waiting.erase(zone.waiting.begin());
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return;
  const Ready ready = found->second.ready;
  zone.rate.take(server_.agenda().steady_now());
  if (ready == Ready::False) swap_no_execute(name, kNotReady, kUnreachable);
  if (ready == Ready::Unknown) swap_no_execute(name, kUnreachable, kNotReady);
}

void NodeLifecycleController::handle_disruption() {
  const SteadyTime now = server_.agenda().steady_now();
  std::map<std::string_view, ZoneState> fresh;
  bool all_down = true;
  bool all_were_down = true;
  for (auto& [name, zone] : zones_) {
    if (zone.ready + zone.not_ready == 0) continue;  // no nodes, or none that count
    fresh[name] = zone_state(zone.ready, zone.not_ready, settings_);
    all_down = all_down && fresh[name] == ZoneState::FullDisruption;
    all_were_down = all_were_down && zone.state == ZoneState::FullDisruption;
  }
  if (fresh.empty() || (all_down && all_were_down)) return;
  if (all_down) return enter_full_disruption();
  if (all_were_down) {
    // At least one node reports again: reset the time of all nodes.
    for (auto& [name, node] : nodes_) node.alive = server_.agenda().wall_now();
  }
  for (auto& [name, zone] : zones_) {
    const auto state = fresh.find(name);
    if (state == fresh.end() || (zone.state == state->second && !all_were_down)) continue;
    zone.state = state->second;
    zone.rate.change(eviction_rate(zone.state, zone.ready + zone.not_ready, settings_), now);
    server_.agenda().cancel(zone.next);
    zone.next = {};
    schedule(zone);
  }
}

// No node reports: the network of the control plane has probably failed. Taint no node.
void NodeLifecycleController::enter_full_disruption() {
  const SteadyTime now = server_.agenda().steady_now();
  for (const auto& [name, node] : nodes_) make_reachable(name, node);
  for (auto& [name, zone] : zones_) {
    zone.state = ZoneState::FullDisruption;
    zone.rate.change(0, now);
    server_.agenda().cancel(zone.next);
    zone.next = {};
  }
}

void NodeLifecycleController::note(const std::string& name,
                                   const std::string& uid,
                                   std::string_view reason,
                                   std::string text) {
  events_.note(kube::ObjectRef{.api_version = "v1", .kind = "Node", .name = name, .uid = uid}, kube::EventType::Normal,
               reason, "", std::move(text), kReporter);
}

}  // namespace rescheduler::sim
