// A small cluster with storage, and one plugin to test on it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/testing/storage_objects.h"
#include "kube/proto/core_node.pb.h"
#include "placement/plugin.h"

namespace rescheduler::placement::testing {

using namespace cluster::testing;

struct PluginResult {
  Code code = Code::Success;
  Reasons reasons{};
  friend bool operator==(const PluginResult&, const PluginResult&) = default;
  friend std::ostream& operator<<(std::ostream& out, const PluginResult& answer) {
    out << to_string(answer.code);
    for (const std::string& reason : answer.reasons) out << ", " << reason;
    return out;
  }
};

inline const PluginResult kFits{};
inline PluginResult refused(std::string reason) { return {Code::Unschedulable, {std::move(reason)}}; }
inline PluginResult unresolvable(std::string reason) {
  return {Code::UnschedulableAndUnresolvable, {std::move(reason)}};
}
inline PluginResult error(std::string reason) { return {Code::Error, {std::move(reason)}}; }

class StorageLab {
 public:
  explicit StorageLab(std::unique_ptr<Plugin> plugin) : plugin_(std::move(plugin)) {}

  void node(const std::string& name, Pairs labels = {}) {
    api::Node object;
    object.mutable_metadata()->set_name(name);
    (*object.mutable_metadata()->mutable_labels())["kubernetes.io/hostname"] = name;
    put(labels, *object.mutable_metadata()->mutable_labels());
    cluster.upsert_node(object);
  }
  template <class... Objects>
  void have(const Objects&... objects) {
    (cluster.volumes().upsert(objects), ...);
  }
  cluster::ClusterEventPtr place(PodObject pod, const std::string& node) {
    return cluster.upsert_pod(pod.on(node).wire);
  }

  PluginResult pre_filter(const PodObject& pod) {
    const auto compiled_spec = cluster.compiled_spec_of(pod);
    CycleState state(1);
    const Status status = plugin_->pre_filter(make_pod_context(cluster, pod.wire, *compiled_spec), state).status;
    return {status.code, status.reasons};
  }

  using WhatIf = std::function<void(const PodContext& context, CycleState& state, cluster::NodeInfo& node)>;
  // The plugin's result for the node; the PreFilter result if PreFilter rejects or skips.
  PluginResult ask(const PodObject& pod, const std::string& node, const WhatIf& what_if = {}) {
    const auto compiled_spec = cluster.compiled_spec_of(pod);
    const PodContext context = make_pod_context(cluster, pod.wire, *compiled_spec);
    CycleState state(1);
    const Status status = plugin_->pre_filter(context, state).status;
    if (!status.ok()) return {status.code, status.reasons};
    cluster::NodeInfo copy = cluster.node(*cluster.find_node(node));
    if (what_if) what_if(context, state, copy);
    PluginResult answer;
    answer.code = plugin_->filter(context, state, copy, &answer.reasons);
    EXPECT_EQ(plugin_->filter(context, state, copy, nullptr), answer.code)
        << "asking for reasons must not change the result";
    return answer;
  }

  // The hint of the plugin; Skip if the plugin is not registered for the event.
  QueueingHint hint(const PodObject& pod, const cluster::ClusterEventPtr& what) {
    if (!what) return QueueingHint::Skip;
    const auto compiled_spec = cluster.compiled_spec_of(pod);
    const PodContext context = make_pod_context(cluster, pod.wire, *compiled_spec);
    for (const ClusterEventWithHint& interest : plugin_->events_to_register()) {
      if (interest.resource != what->resource || !interest.actions.meets(what->actions)) continue;
      if (!interest.hint || interest.hint(context, *what) == QueueingHint::Queue) return QueueingHint::Queue;
    }
    return QueueingHint::Skip;
  }

  const Plugin& plugin() const { return *plugin_; }
  cluster::Cluster cluster;

 private:
  std::unique_ptr<Plugin> plugin_;
};

}  // namespace rescheduler::placement::testing
