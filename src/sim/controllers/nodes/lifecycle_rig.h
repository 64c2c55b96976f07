// For tests: a server in virtual time with chosen controllers, nodes that renew their leases, and kubelets that remove
// deleted pods, each after a delay.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/proto/batch.pb.h"
#include "kube/proto/coordination.pb.h"
#include "sim/controllers/controller_scope.h"
#include "sim/controllers/event_writer.h"
#include "sim/controllers/periodic.h"
#include "sim/controllers/pods/pod_index.h"
#include "sim/server/test_objects.h"

namespace rescheduler::sim::testing {

struct LifecycleRig : TestServer {
  PodIndex pods{server};
  EventWriter events{server};
  ControllerScope scope{server, pods, events, std::chrono::milliseconds{5}};

  LifecycleRig() { (void)server.create(make_namespace("kube-node-lease")).value(); }

  template <class C, class... Args>
  C& run(Args&&... args) {
    auto made = std::make_shared<C>(scope, std::forward<Args>(args)...);
    C& controller = *made;
    controllers_.push_back(std::move(made));
    return controller;
  }

  void pass(Agenda::Duration time) { agenda.run_for(time); }
  bool eventually(const std::function<bool()>& condition, Agenda::Duration limit = std::chrono::minutes{30}) {
    return agenda.run_until(condition, limit);
  }

  // A ready node that renews its lease every 10 s until kill_node().
  void add_node(const std::string& name, const std::string& zone = {}) {
    api::Node node = make_node(name);
    if (!zone.empty()) (*node.mutable_metadata()->mutable_labels())["topology.kubernetes.io/zone"] = zone;
    add_ready_node(node);
    api::Lease lease;
    lease.mutable_metadata()->set_name(name);
    lease.mutable_metadata()->set_namespace_("kube-node-lease");
    lease.mutable_spec()->set_holder_identity(name);
    lease.mutable_spec()->set_lease_duration_seconds(40);
    (void)server.create(lease).value();
    alive_.insert(name);
    if (!renewals_) renewals_ = std::make_unique<Periodic>(agenda, std::chrono::seconds{10}, [this] { renew(); });
  }
  void kill_node(const std::string& name) { alive_.erase(name); }
  void revive_node(const std::string& name) {
    alive_.insert(name);
    const auto ready = server.modify_status<api::Node>("", name, [this](api::Node& node) {
      for (api::NodeCondition& condition : *node.mutable_status()->mutable_conditions()) {
        if (condition.type() != "Ready") continue;
        condition.set_status("True");
        *condition.mutable_last_heartbeat_time() = stamp(agenda.wall_now());
      }
    });
    (void)ready.value();
  }

  // From now on, deleted pods on nodes that are alive are removed after one second. With `schedule`, pending pods are
  // bound and start.
  void run_kubelets(bool schedule = false) {
    kubelets_ = pods.subscribe([this, schedule](const PodView*, const PodView* after) {
      if (!after) return;
      const std::string ns(after->ns()), name(after->name()), node(after->node());
      if (after->terminating() && after->bound()) {
        agenda.after(std::chrono::seconds{1}, [this, ns, name, node] { end(ns, name, node); });
      } else if (schedule && !after->bound() && !after->terminating()) {
        agenda.after(std::chrono::seconds{1}, [this, ns, name] { start(ns, name); });
      }
    });
  }
  std::function<void(const std::string& pod)> on_start;  // called when a scheduled pod runs

  std::shared_ptr<const api::Node> node(std::string_view name) { return server.find<api::Node>("", name); }
  std::vector<std::string> taints(std::string_view name) {
    std::vector<std::string> texts;
    const auto found = node(name);
    for (const api::Taint& taint : found->spec().taints()) texts.push_back(taint.key() + ":" + taint.effect());
    std::ranges::sort(texts);
    return texts;
  }
  template <class T>
  bool there(const std::string& name) {
    return server.find<T>("shop", name) != nullptr;
  }

 private:
  void renew() {
    for (const std::string& name : alive_) {
      const auto renewed = server.modify<api::Lease>("kube-node-lease", name, [this](api::Lease& lease) {
        lease.mutable_spec()->mutable_renew_time()->set_seconds(stamp(agenda.wall_now()).seconds());
      });
      (void)renewed;
    }
  }
  void end(const std::string& ns, const std::string& name, const std::string& node) {
    if (!alive_.empty() && !alive_.contains(node)) return;
    const PodView* pod = pods.find(ns, name);
    if (!pod || !pod->terminating()) return;
    if (!pod->finished()) {
      const auto failed = server.modify_status<api::Pod>(
          ns, name, [](api::Pod& changed) { changed.mutable_status()->set_phase("Failed"); });
      (void)failed;
    }
    api::DeleteOptions at_once;
    at_once.set_grace_period_seconds(0);
    const auto removed = server.remove(server.kinds().of<api::Pod>(), ns, name, at_once);
    (void)removed;
  }
  void start(const std::string& ns, const std::string& name) {
    const PodView* pod = pods.find(ns, name);
    if (!pod || pod->bound() || ns != "shop") return;
    must(server.bind(ns, name, binding_of(name, "n1")));
    report(name, "Running", true);
    if (on_start) on_start(name);
  }

  std::set<std::string> alive_;
  std::unique_ptr<Periodic> renewals_;
  PodIndex::Subscription kubelets_;
  std::vector<std::shared_ptr<void>> controllers_;
};

}  // namespace rescheduler::sim::testing
