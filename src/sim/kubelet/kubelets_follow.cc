// How the kubelets follow changes of pods and nodes. These functions write nothing; they wake pods.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "sim/kubelet/kubelets.h"
#include "sim/kubelet/pod_step.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {
namespace {

// The pod is finished or not bound, or its object waits only for finalizers.
bool needs_no_kubelet(const api::Pod& pod) {
  const auto& meta = pod.metadata();
  return pod.spec().node_name().empty() || is_finished(pod)
         || (meta.has_deletion_timestamp() && meta.deletion_grace_period_seconds() == 0);
}

}  // namespace

void Kubelets::on_pod(const Change& change) {
  if (writing_ && change.what != Change::What::Deleted) return;
  const auto pod = change.after->as<api::Pod>();
  std::string key = fmt::format("{}/{}", pod->metadata().namespace_(), pod->metadata().name());
  const auto found = index_.find(key);
  if (change.what == Change::What::Deleted) {
    if (found != index_.end()) orphan(found->second);
  } else if (found != index_.end()) {
    observe_pod(found->second, *pod);
  } else if (!needs_no_kubelet(*pod)) {
    adopt(*pod, std::move(key));
  }
}

void Kubelets::adopt(const api::Pod& pod, std::string key) {
  Index index = static_cast<Index>(pods_.size());
  if (free_.empty()) {
    pods_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  PodRun& run = pods_[index];
  run.used = true;
  run.key = std::move(key);
  index_.emplace(run.key, index);
  KubeletNode& node = nodes_.get(pod.spec().node_name());
  run.node = node.number;
  run.ip = pod.spec().host_network() ? std::uint16_t{0} : node.take_ip();
  node.pods.push_back(index);
  PodStep::resume(run, pod);
  wake(index, settings_.sync_lag);
}

void Kubelets::observe_pod(Index index, const api::Pod& pod) {
  PodRun& run = pods_[index];
  if (run.load != LoadModel::kNoPod) load_.reshape(run.load, pod);
  // Another component has set a final phase: all its containers must stop.
  if (is_finished(pod) && run.stage != Stage::Finished) return orphan(index);
  wake(index, settings_.sync_lag);
}

// The containers end after stop_time. The name can be used again at once.
void Kubelets::orphan(Index index) {
  PodRun& run = pods_[index];
  index_.erase(run.key);
  run.orphan = true;
  agenda_.cancel(run.timer);
  run.timer = {};
  const bool runs = run.load != LoadModel::kNoPod;
  if (runs || run.admitted) return wake(index, runs ? settings_.stop_time : Agenda::Duration{0});
  release(index);
}

void Kubelets::on_node(const Change& change) {
  if (heartbeats_.writing()) return;
  const auto object = change.after->as<api::Node>();
  KubeletNode& node = nodes_.get(object->metadata().name());
  if (change.what == Change::What::Deleted) {
    node.present = false;
  } else {
    const bool resized = NodeTable::take_facts(node, *object);
    if (node.host_ip.empty()) node.host_ip = node_address(node.number);
    if (resized && node.powered()) load_.node_on(node.name, node.cpu_capacity, node.memory_capacity);
    node.present = true;
  }
  apply_fault(node);
}

void Kubelets::apply_fault(KubeletNode& node) {
  const NodeFault fault = node.present ? faults_.node(node.name).value_or(node.annotated) : NodeFault::Dead;
  const bool powered = node.powered();
  const bool acted = node.acts();
  node.fault = fault;
  if (powered && !node.powered()) power_off(node);
  if (!powered && node.powered()) load_.node_on(node.name, node.cpu_capacity, node.memory_capacity);
  load_.set_reporting(node.name, node.acts());
  if (!acted && node.acts()) resume_node(node, !powered);
}

void Kubelets::power_off(KubeletNode& node) {
  load_.node_off(node.name);
  for (const Index index : node.pods) {
    PodRun& run = pods_[index];
    run.load = LoadModel::kNoPod;
    run.power_lost = true;
    agenda_.cancel(run.timer);
    run.timer = {};
  }
}

void Kubelets::resume_node(KubeletNode& node, bool rebooted) {
  heartbeats_.report_soon(node);
  for (const Index index : std::vector<Index>(node.pods)) {
    if (pods_[index].orphan && rebooted) {
      release(index);
    } else {
      wake(index, pods_[index].orphan ? settings_.stop_time : settings_.sync_lag);
    }
  }
}

}  // namespace rescheduler::sim
