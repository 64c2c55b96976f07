#include "sim/kubelet/kubelets.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "kube/events/event_record.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "sim/controllers/event_writer.h"
#include "sim/kubelet/admission.h"
#include "sim/kubelet/pod_step.h"

namespace rescheduler::sim {

Kubelets::Kubelets(Server& server, LoadModel& load, Rng rng, KubeletSettings settings, EventWriter* events)
    : server_(server),
      agenda_(server.agenda()),
      load_(load),
      rng_(rng),
      settings_(std::move(settings)),
      events_(events),
      heartbeats_(server, load, nodes_, settings_, [this](KubeletNode& node) { relieve(node); }) {
  faults_.on_node([this](std::string_view name) {
    if (KubeletNode* node = nodes_.find(name)) apply_fault(*node);
  });
  faults_.on_pod([this](std::string_view key) {
    if (const auto found = index_.find(key); found != index_.end()) wake(found->second, settings_.sync_lag);
  });
  const auto existing = [this](const Kind& kind, void (Kubelets::*hear)(const Change&)) {
    server_.store().for_each(kind, {}, {}, [this, hear](const VersionPtr& version) {
      (this->*hear)({version->number(), Change::What::Added, nullptr, version});
      return true;
    });
  };
  const Kind& nodes = server_.kinds().of<api::Node>();
  const Kind& pods = server_.kinds().of<api::Pod>();
  existing(nodes, &Kubelets::on_node);
  existing(pods, &Kubelets::on_pod);
  on_nodes_ = server_.store().subscribe(&nodes, [this](const Change& change) { on_node(change); });
  on_pods_ = server_.store().subscribe(&pods, [this](const Change& change) { on_pod(change); });
}

Kubelets::~Kubelets() {
  for (const PodRun& run : pods_) agenda_.cancel(run.timer);
}

void Kubelets::wake(Index index, Agenda::Duration delay) {
  PodRun& run = pods_[index];
  if (run.timer && run.timer.at <= agenda_.steady_now() + delay) return;
  agenda_.cancel(run.timer);
  run.timer = agenda_.after(delay, [this, index] {
    pods_[index].timer = {};
    sync_pod(index);
  });
}

void Kubelets::sync_pod(Index index, std::string_view out_of_memory) {
  PodRun& run = pods_[index];
  KubeletNode& node = nodes_.at(run.node);
  if (!node.acts()) {
    if (node.powered()) let_exit(run);
    return;
  }
  if (run.orphan) return release(index);
  Outcome outcome;
  const std::string key = run.key;
  writing_ = true;
  const auto written = server_.modify_status<api::Pod>(
      namespace_in(key), name_in(key), [&](api::Pod& pod) { step(index, node, pod, out_of_memory, outcome); },
      {"kubelet"});
  writing_ = false;
  if (!written) log_warning("the status of pod {} cannot be written: {}", key, written.error().message);
  if (run.stage == Stage::Finished) {
    release(index);
  } else if (outcome.next != kNever) {
    wake(index, outcome.next - agenda_.steady_now());
  }
  if (outcome.removable) remove_object(key, outcome.uid);
}

// One step of a pod, on a copy that is then written.
void Kubelets::step(Index index, KubeletNode& node, api::Pod& pod, std::string_view out_of_memory, Outcome& outcome) {
  PodRun& run = pods_[index];
  const std::string ip = node.pod_ip(run.ip);
  const PodStep::Scene scene{settings_,    rng_, agenda_.steady_now(), agenda_.wall_now(),           node.name,
                             node.host_ip, ip,   faults_.pod(run.key), node.fault == NodeFault::Slow};
  PodStep step(scene, run, pod);
  if (std::exchange(run.power_lost, false)) step.restart_after_power_loss();
  if (!run.admitted && !pod.metadata().has_deletion_timestamp()) enter(index, node, pod, step);
  if (!out_of_memory.empty()) step.kill_for_memory(out_of_memory);
  step.run_due();
  follow_load(index, node, pod, step);
  record_events(pod, node, step);
  outcome.next = step.next_due();
  outcome.removable = step.removable();
  outcome.uid = pod.metadata().uid();
}

// The kubelet sees the pod for the first time.
void Kubelets::enter(Index index, KubeletNode& node, const api::Pod& pod, PodStep& step) {
  PodRun& run = pods_[index];
  const PodResources requests = requests_of(pod);
  if (run.stage == Stage::Bound) {
    if (const auto refused = rejection(pod, requests, node.room)) return step.reject(refused->reason, refused->message);
    step.admit();
  }
  run.admitted = true;
  run.cpu = requests.cpu;
  run.memory = requests.memory;
  if (!requests.others.empty())
    run.other_resources = std::make_unique<std::map<std::string, std::int64_t>>(requests.others);
  node.room.used += requests;
}

// Reports the running containers to the load model.
void Kubelets::follow_load(Index index, const KubeletNode& node, const api::Pod& pod, PodStep& step) {
  PodRun& run = pods_[index];
  const std::uint64_t running = step.running();
  if (run.load == LoadModel::kNoPod) {
    if (running == 0) return;
    run.load = load_.start(pod, node.name);
    if (by_load_.size() <= run.load) by_load_.resize(run.load + std::size_t{1});
    by_load_[run.load] = index;
    const std::string& fault = load_.shape(run.load).fault;
    if (!fault.empty()) step.notes().push_back({true, "InvalidLoadProfile", fault});
  }
  load_.set_running(run.load, running);
}

void Kubelets::record_events(const api::Pod& pod, const KubeletNode& node, PodStep& step) {
  if (events_ == nullptr || step.notes().empty()) return;
  const kube::ObjectRef about = kube::ref_to(pod);
  for (PodNote& note : step.notes()) {
    kube::EventRecord record;
    record.regarding = about;
    record.regarding.field_path = std::move(note.field_path);
    record.type = note.warning ? kube::EventType::Warning : kube::EventType::Normal;
    record.reason = std::move(note.reason);
    record.note = std::move(note.text);
    events_->note(std::move(record), {"kubelet", node.name});
  }
}

// The kubelet does not act, but containers end without it.
void Kubelets::let_exit(PodRun& run) const {
  if (run.load == LoadModel::kNoPod) return;
  const SteadyTime now = agenda_.steady_now();
  const bool all = std::ranges::all_of(run.containers, [now](const ContainerRun& container) {
    return container.state != RunState::Running || container.exit_at <= now;
  });
  if (all) load_.set_running(run.load, 0);
}

void Kubelets::remove_object(const std::string& key, const std::string& uid) {
  api::DeleteOptions options;
  options.set_grace_period_seconds(0);
  options.mutable_preconditions()->set_uid(uid);
  const auto removed = server_.remove(server_.kinds().of<api::Pod>(), namespace_in(key), name_in(key), options);
  if (!removed && removed.error().code != 404)
    log_warning("pod {} cannot be removed: {}", key, removed.error().message);
}

void Kubelets::release(Index index) {
  PodRun& run = pods_[index];
  RESCHEDULER_CHECK(run.used, "a pod is let go of twice");
  KubeletNode& node = nodes_.at(run.node);
  if (run.load != LoadModel::kNoPod) load_.stop(run.load);
  if (run.ip != 0) node.give_back_ip(run.ip);
  if (run.admitted) {
    PodResources freed;
    freed.cpu = run.cpu;
    freed.memory = run.memory;
    freed.pods = 1;
    if (run.other_resources) freed.others = *run.other_resources;
    node.room.used -= freed;
  }
  std::erase(node.pods, index);
  agenda_.cancel(run.timer);
  if (const auto found = index_.find(run.key); found != index_.end() && found->second == index) index_.erase(found);
  run = PodRun{};
  free_.push_back(index);
}

// Kills containers above their own limit, then containers until the rest fits the node's memory.
void Kubelets::relieve(KubeletNode& node) {
  for (std::size_t tries = node.pods.size(); tries > 0; --tries) {
    const auto victim = load_.memory_victim(node.name);
    if (!victim) return;
    const std::string container = load_.shape(victim->pod).containers[victim->container].name;
    sync_pod(by_load_[victim->pod], container);
  }
}

}  // namespace rescheduler::sim
