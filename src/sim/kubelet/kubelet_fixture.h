// A server with kubelets in virtual time, with exact delays, and pods for them.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/coordination.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/events.pb.h"
#include "kube/proto/meta.pb.h"
#include "sim/controllers/event_writer.h"
#include "sim/kubelet/kubelets.h"
#include "sim/load/load_model.h"
#include "sim/names.h"
#include "sim/server/conditions.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

using namespace std::chrono_literals;

struct KubeletRig {
  explicit KubeletRig(KubeletSettings settings = exact(), std::uint64_t seed = 1)
      : server(agenda, Rng(seed)), kubelets(server, load, Rng(seed + 1), std::move(settings), &events) {
    api::Namespace ns;
    ns.mutable_metadata()->set_name("web");
    EXPECT_TRUE(server.create(ns));
  }
  static KubeletSettings exact() {
    KubeletSettings settings;
    settings.jitter = 0;
    settings.sync_lag = 0ms;
    settings.start_delay = 2s;
    return settings;
  }
  void add_node(const std::string& name, const NodeShape& shape = {}) {
    const auto created = server.create(make_node(name, shape, 0, agenda.wall_now()));
    EXPECT_TRUE(created) << created.error().message;
  }
  void annotate_node(const std::string& name, std::string_view key, const std::string& value) {
    EXPECT_TRUE(server.modify<api::Node>({}, name, [&](api::Node& node) {
      auto& annotations = *node.mutable_metadata()->mutable_annotations();
      if (value.empty()) {
        annotations.erase(std::string(key));
      } else {
        annotations[std::string(key)] = value;
      }
    }));
  }
  static api::Pod pod(const std::string& name, const std::string& node = "n1") {
    api::Pod pod;
    pod.mutable_metadata()->set_namespace_("web");
    pod.mutable_metadata()->set_name(name);
    pod.mutable_spec()->set_node_name(node);
    pod.mutable_spec()->set_restart_policy("Always");
    pod.mutable_spec()->set_termination_grace_period_seconds(30);
    add_container(pod, "main");
    return pod;
  }
  static api::Container& add_container(api::Pod& pod, const std::string& name) {
    auto& container = *pod.mutable_spec()->add_containers();
    container.set_name(name);
    container.set_image("app:1");
    return container;
  }
  static api::Container& add_init(api::Pod& pod, const std::string& name, bool sidecar = false) {
    auto& container = *pod.mutable_spec()->add_init_containers();
    container.set_name(name);
    container.set_image("init:1");
    if (sidecar) container.set_restart_policy("Always");
    return container;
  }
  static void annotate(api::Pod& pod, std::string_view key, const std::string& value) {
    (*pod.mutable_metadata()->mutable_annotations())[std::string(key)] = value;
  }
  static void request(api::Pod& pod, const std::string& resource, const std::string& amount) {
    (*pod.mutable_spec()->mutable_containers(0)->mutable_resources()->mutable_requests())[resource].set_string(amount);
  }
  void create(const api::Pod& pod) {
    const auto created = server.create(pod);
    ASSERT_TRUE(created) << created.error().message;
  }
  std::shared_ptr<const api::Pod> get(const std::string& name) { return server.find<api::Pod>("web", name); }
  std::string phase(const std::string& name) { return get(name) ? get(name)->status().phase() : "gone"; }
  const api::ContainerStatus main(const std::string& name) { return get(name)->status().container_statuses(0); }
  std::string condition(const std::string& name, std::string_view type) {
    const auto object = get(name);
    const auto* found = find_condition(object->status(), type);
    if (found == nullptr) return "absent";
    return found->reason().empty() ? found->status() : found->status() + " " + found->reason();
  }
  void remove(const std::string& name, std::int64_t grace = 30) {
    api::DeleteOptions options;
    options.set_grace_period_seconds(grace);
    EXPECT_TRUE(server.remove(server.kinds().of<api::Pod>(), "web", name, options));
  }
  std::vector<std::string> event_reasons() {
    std::vector<std::string> reasons;
    server.store().for_each(server.kinds().of<api::Event>(), "web", {}, [&reasons](const VersionPtr& version) {
      reasons.push_back(version->as<api::Event>()->reason());
      return true;
    });
    return reasons;
  }

  Agenda agenda;
  Server server;
  LoadModel load{agenda, SeriesLibrary("/nowhere")};
  EventWriter events{server};
  Kubelets kubelets;
};

class KubeletFixture : public testing::Test, public KubeletRig {};

}  // namespace rescheduler::sim
