// For tests: nodes and pods as an API server would show them.
#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::dashboard {

inline constexpr WallTime kNow{std::chrono::seconds{1'700'000'000}};

inline api::Node node(const std::string& name, const std::string& cpu, const std::string& memory) {
  api::Node made;
  made.mutable_metadata()->set_name(name);
  made.mutable_metadata()->set_uid("uid-of-" + name);
  (*made.mutable_metadata()->mutable_labels())["topology.kubernetes.io/zone"] = "zone-1";
  auto& allocatable = *made.mutable_status()->mutable_allocatable();
  allocatable["cpu"].set_string(cpu);
  allocatable["memory"].set_string(memory);
  allocatable["pods"].set_string("110");
  auto& ready = *made.mutable_status()->add_conditions();
  ready.set_type("Ready");
  ready.set_status("True");
  return made;
}

inline api::Pod pod(const std::string& ns,
                    const std::string& name,
                    const std::string& node,
                    const std::string& cpu,
                    const std::string& memory) {
  api::Pod made;
  made.mutable_metadata()->set_namespace_(ns);
  made.mutable_metadata()->set_name(name);
  made.mutable_metadata()->set_uid("uid-of-" + name);
  made.mutable_spec()->set_node_name(node);
  made.mutable_status()->set_phase(node.empty() ? "Pending" : "Running");
  auto& requests = *made.mutable_spec()->add_containers()->mutable_resources()->mutable_requests();
  requests["cpu"].set_string(cpu);
  requests["memory"].set_string(memory);
  return made;
}

}  // namespace rescheduler::dashboard
