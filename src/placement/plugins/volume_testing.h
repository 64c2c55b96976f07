// A small cluster with storage, and one plugin that is asked about it.
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

struct Answer {
  Code code = Code::Success;
  Reasons reasons{};
  friend bool operator==(const Answer&, const Answer&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Answer& answer) {
    out << to_string(answer.code);
    for (const std::string& reason : answer.reasons) out << ", " << reason;
    return out;
  }
};

inline const Answer kFits{};
inline Answer refused(std::string reason) { return {Code::Unschedulable, {std::move(reason)}}; }
inline Answer hopeless(std::string reason) { return {Code::UnschedulableAndUnresolvable, {std::move(reason)}}; }
inline Answer error(std::string reason) { return {Code::Error, {std::move(reason)}}; }

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
  cluster::HappeningPtr place(PodObject pod, const std::string& node) { return cluster.upsert_pod(pod.on(node).wire); }

  Answer pre_filter(const PodObject& pod) {
    const auto form = cluster.form_of(pod);
    CycleState state(1);
    const Status status = plugin_->pre_filter(question_about(cluster, pod.wire, *form), state).status;
    return {status.code, status.reasons};
  }

  using WhatIf = std::function<void(const Question& asked, CycleState& state, cluster::NodeState& node)>;
  // What the node's answer is; what PreFilter says, if it already refuses or skips.
  Answer ask(const PodObject& pod, const std::string& node, const WhatIf& what_if = {}) {
    const auto form = cluster.form_of(pod);
    const Question asked = question_about(cluster, pod.wire, *form);
    CycleState state(1);
    const Status status = plugin_->pre_filter(asked, state).status;
    if (!status.ok()) return {status.code, status.reasons};
    cluster::NodeState copy = cluster.node(*cluster.find_node(node));
    if (what_if) what_if(asked, state, copy);
    Answer answer;
    answer.code = plugin_->filter(asked, state, copy, &answer.reasons);
    EXPECT_EQ(plugin_->filter(asked, state, copy, nullptr), answer.code) << "reasons must not change the answer";
    return answer;
  }

  // Would the pod be tried again? Nobody interested: no.
  Hint hint(const PodObject& pod, const cluster::HappeningPtr& what) {
    if (!what) return Hint::Skip;
    const auto form = cluster.form_of(pod);
    const Question asked = question_about(cluster, pod.wire, *form);
    for (const Interest& interest : plugin_->interests()) {
      if (interest.subject != what->subject || !interest.changes.meets(what->changes)) continue;
      if (!interest.hint || interest.hint(asked, *what) == Hint::Queue) return Hint::Queue;
    }
    return Hint::Skip;
  }

  const Plugin& plugin() const { return *plugin_; }
  cluster::Cluster cluster;

 private:
  std::unique_ptr<Plugin> plugin_;
};

}  // namespace rescheduler::placement::testing
