// The heartbeats of nodes: a Lease renewed every 10 s, and the node status every 5 minutes or when it changes.
//
// The nodes are spread over 100 slots of the period. Each slot is one event on the agenda, for any number of nodes.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "sim/kubelet/node_table.h"
#include "sim/kubelet/settings.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

class LoadModel;

class Heartbeats {
 public:
  // `relieve` is called with a node whose memory can be exhausted.
  using Relieve = std::function<void(KubeletNode&)>;
  Heartbeats(Server& server, LoadModel& load, NodeTable& nodes, const KubeletSettings& settings, Relieve relieve);
  ~Heartbeats();
  Heartbeats(const Heartbeats&) = delete;
  Heartbeats& operator=(const Heartbeats&) = delete;

  // The kubelet starts or returns. In a separate event it completes the Node object, sets Ready and renews the lease.
  // Heartbeats start then.
  void report_soon(KubeletNode& node);
  // Whether the current write to a Node object is only a heartbeat.
  bool writing() const { return writing_; }

 private:
  static constexpr std::size_t kSlots = 100;
  void report(KubeletNode& node);
  void join(KubeletNode& node);
  void schedule(std::size_t slot);
  void beat(std::size_t slot);
  void beat(KubeletNode& node);
  void renew(KubeletNode& node);
  void create_lease(const KubeletNode& node);
  void write_status(KubeletNode& node);

  Server& server_;
  LoadModel& load_;
  NodeTable& nodes_;
  const KubeletSettings& settings_;
  Relieve relieve_;
  SteadyTime origin_;
  std::array<std::vector<std::uint32_t>, kSlots> slots_;
  std::array<Agenda::Ticket, kSlots> timers_{};
  Agenda::Ticket report_{};
  std::vector<std::uint32_t> reporting_;
  bool writing_ = false;
};

}  // namespace rescheduler::sim
