// Valid objects for tests, and a server that stores them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"
#include "kube/proto/policy.pb.h"
#include "sim/server/conditions.h"
#include "sim/server/server.h"

namespace rescheduler::sim::testing {

using Labels = std::map<std::string, std::string>;

inline void fill_pod_spec(api::PodSpec& spec) {
  api::Container& container = *spec.add_containers();
  container.set_name("main");
  container.set_image("registry.example/app:1");
}

inline api::Namespace make_namespace(const std::string& name) {
  api::Namespace ns;
  ns.mutable_metadata()->set_name(name);
  ns.mutable_spec()->add_finalizers("kubernetes");
  return ns;
}

inline api::Pod make_pod(const std::string& name, const Labels& labels = {{"app", "web"}}) {
  api::Pod pod;
  pod.mutable_metadata()->set_name(name);
  pod.mutable_metadata()->set_namespace_("shop");
  for (const auto& [key, value] : labels) (*pod.mutable_metadata()->mutable_labels())[key] = value;
  fill_pod_spec(*pod.mutable_spec());
  return pod;
}

inline api::Node make_node(const std::string& name) {
  api::Node node;
  node.mutable_metadata()->set_name(name);
  (*node.mutable_metadata()->mutable_labels())["kubernetes.io/hostname"] = name;
  return node;
}

inline api::PodDisruptionBudget make_budget(const std::string& name, const Labels& labels = {{"app", "web"}}) {
  api::PodDisruptionBudget budget;
  budget.mutable_metadata()->set_name(name);
  budget.mutable_metadata()->set_namespace_("shop");
  for (const auto& [key, value] : labels) {
    (*budget.mutable_spec()->mutable_selector()->mutable_match_labels())[key] = value;
  }
  return budget;
}

inline void set_count(api::IntOrString& into, int number) {
  into.set_type(0);
  into.set_int_val(number);
}
inline void set_share(api::IntOrString& into, const std::string& share) {
  into.set_type(1);
  into.set_str_val(share);
}

inline api::Eviction eviction_of(const std::string& pod) {
  api::Eviction eviction;
  eviction.mutable_metadata()->set_name(pod);
  eviction.mutable_metadata()->set_namespace_("shop");
  return eviction;
}

inline api::Binding binding_of(const std::string& pod, const std::string& node) {
  api::Binding binding;
  binding.mutable_metadata()->set_name(pod);
  binding.mutable_metadata()->set_namespace_("shop");
  binding.mutable_target()->set_kind("Node");
  binding.mutable_target()->set_name(node);
  return binding;
}

inline void must(const ApiResult<void>& answer) { RESCHEDULER_CHECK(answer.has_value(), "{}", answer.error().message); }

// With the namespace "shop".
struct TestServer {
  Agenda agenda;
  Server server{agenda, Rng{7}};

  TestServer() { (void)server.create(make_namespace("shop")).value(); }

  std::shared_ptr<const api::Pod> pod(std::string_view name) { return server.find<api::Pod>("shop", name); }

  // Sets the status as a kubelet does.
  void report(const std::string& name, const std::string& phase, bool ready) {
    const auto reported = server.modify_status<api::Pod>("shop", name, [&](api::Pod& pod) {
      pod.mutable_status()->set_phase(phase);
      set_condition(*pod.mutable_status(), {"Ready", ready ? "True" : "False"}, agenda.wall_now());
    });
    (void)reported.value();
  }

  // The pod is bound to the node and has the given phase.
  std::shared_ptr<const api::Pod> add_pod(api::Pod pod,
                                          const std::string& node = "n1",
                                          const std::string& phase = "Running",
                                          bool ready = true) {
    const std::string name = pod.metadata().name();
    (void)server.create(std::move(pod)).value();
    if (!node.empty()) must(server.bind("shop", name, binding_of(name, node)));
    report(name, phase, ready);
    return this->pod(name);
  }

  void add_ready_node(const api::Node& node) {
    (void)server.create(node).value();
    const auto ready = server.modify_status<api::Node>("", node.metadata().name(), [&](api::Node& changed) {
      changed.mutable_status()->clear_conditions();
      api::NodeCondition& condition = *changed.mutable_status()->add_conditions();
      condition.set_type("Ready");
      condition.set_status("True");
      condition.set_reason("KubeletReady");
      *condition.mutable_last_heartbeat_time() = stamp(agenda.wall_now());
      *condition.mutable_last_transition_time() = stamp(agenda.wall_now());
    });
    (void)ready.value();
  }
};

}  // namespace rescheduler::sim::testing
