#include "sim/kubelet/heartbeats.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "kube/proto/coordination.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/value/time.h"
#include "sim/load/load_model.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kLeaseNamespace = "kube-node-lease";

Millis millis(WallTime time) { return std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count(); }

}  // namespace

Heartbeats::Heartbeats(Server& server,
                       LoadModel& load,
                       NodeTable& nodes,
                       const KubeletSettings& settings,
                       Relieve relieve)
    : server_(server),
      load_(load),
      nodes_(nodes),
      settings_(settings),
      relieve_(std::move(relieve)),
      origin_(server.agenda().steady_now()) {}

Heartbeats::~Heartbeats() {
  for (const auto& ticket : timers_) server_.agenda().cancel(ticket);
  server_.agenda().cancel(report_);
}

void Heartbeats::report_soon(KubeletNode& node) {
  reporting_.push_back(node.number);
  if (report_) return;
  report_ = server_.agenda().after(Agenda::Duration{0}, [this] {
    report_ = {};
    for (const std::uint32_t number : std::exchange(reporting_, {})) {
      if (nodes_.at(number).acts()) report(nodes_.at(number));
    }
  });
}

void Heartbeats::report(KubeletNode& node) {
  const auto labelled = server_.modify<api::Node>(
      {}, node.name, [this](api::Node& object) { complete_labels(object, settings_.unspecified); }, {}, {"kubelet"});
  if (!labelled) return;  // the object was deleted at the same time
  write_status(node);
  renew(node);
  if (!node.beating) join(node);
}

void Heartbeats::write_status(KubeletNode& node) {
  node.memory_pressure = load_.memory_pressure(node.name);
  node.status_due = server_.agenda().steady_now() + settings_.status_every;
  const auto written =
      server_.modify_status<api::Node>({}, node.name,
                                       [&](api::Node& object) {
                                         complete_status(object, settings_.unspecified, node.number);
                                         report_conditions(object, node.memory_pressure, server_.agenda().wall_now());
                                       },
                                       {"kubelet"});
  if (!written) log_warning("node {} cannot report its status: {}", node.name, written.error().message);
}

void Heartbeats::join(KubeletNode& node) {
  node.beating = true;
  const std::size_t slot = node.number * std::size_t{37} % kSlots;  // spreads consecutive nodes over the slots
  slots_[slot].push_back(node.number);
  if (!timers_[slot]) schedule(slot);
}

void Heartbeats::schedule(std::size_t slot) {
  const Agenda::Duration period = settings_.lease_every;
  const Agenda::Duration phase = period / kSlots * slot;
  const Agenda::Duration passed = (server_.agenda().steady_now() - origin_) % period;
  Agenda::Duration wait = phase - passed;
  if (wait <= Agenda::Duration{0}) wait += period;
  timers_[slot] = server_.agenda().after(wait, [this, slot] { beat(slot); });
}

void Heartbeats::beat(std::size_t slot) {
  timers_[slot] = {};
  auto& members = slots_[slot];
  std::erase_if(members, [this](std::uint32_t number) {
    KubeletNode& node = nodes_.at(number);
    if (!node.present) node.beating = false;
    return !node.present;
  });
  for (const std::uint32_t number : members)
    if (nodes_.at(number).acts()) beat(nodes_.at(number));
  if (!members.empty()) schedule(slot);
}

void Heartbeats::beat(KubeletNode& node) {
  const Agenda& agenda = server_.agenda();
  bool pressure = node.memory_pressure;
  if (load_.memory_steady_until(node.name) <= millis(agenda.wall_now())) {
    relieve_(node);
    pressure = load_.memory_pressure(node.name);
  }
  renew(node);
  if (agenda.steady_now() < node.status_due && pressure == node.memory_pressure) return;
  writing_ = true;
  write_status(node);
  writing_ = false;
}

void Heartbeats::renew(KubeletNode& node) {
  const auto renewed = server_.modify<api::Lease>(kLeaseNamespace, node.name,
                                                  [this](api::Lease& lease) {
                                                    kube::set_time(*lease.mutable_spec()->mutable_renew_time(),
                                                                   server_.agenda().wall_now());
                                                  },
                                                  {}, {"kubelet"});
  if (renewed) {
    node.lease = *renewed;
  } else if (renewed.error().code == 404) {
    create_lease(node);
  }
}

void Heartbeats::create_lease(const KubeletNode& node) {
  if (!server_.find<api::Namespace>({}, kLeaseNamespace)) {
    api::Namespace ns;
    ns.mutable_metadata()->set_name(std::string(kLeaseNamespace));
    (void)server_.create(std::move(ns));
  }
  api::Lease lease;
  lease.mutable_metadata()->set_namespace_(std::string(kLeaseNamespace));
  lease.mutable_metadata()->set_name(node.name);
  auto& owner = *lease.mutable_metadata()->add_owner_references();
  owner.set_api_version("v1");
  owner.set_kind("Node");
  owner.set_name(node.name);
  owner.set_uid(node.uid);
  lease.mutable_spec()->set_holder_identity(node.name);
  lease.mutable_spec()->set_lease_duration_seconds(settings_.lease_duration_seconds);
  kube::set_time(*lease.mutable_spec()->mutable_renew_time(), server_.agenda().wall_now());
  const auto created = server_.create(std::move(lease), {"kubelet"});
  if (!created) log_warning("node {} cannot take its lease: {}", node.name, created.error().message);
}

}  // namespace rescheduler::sim
