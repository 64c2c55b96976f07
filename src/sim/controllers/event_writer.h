// Writes the Events of the controllers and kubelets of the embedded cluster directly to its server.
//
// Repeated events become a series, and one object cannot flood the cluster, as in client-go's recorder. Every Event,
// also those of clients, is deleted one hour after its last occurrence, like the lease in a real API server.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/events/event_correlator.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

struct EventWriterSettings {
  bool enabled = true;  // false: no Events are written (benchmarks); Events of clients still expire
  Agenda::Duration time_to_live = std::chrono::hours{1};
  kube::CorrelatorSettings correlator{};
};

class EventWriter {
 public:
  explicit EventWriter(Server& server, EventWriterSettings settings = {});
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  bool enabled() const { return settings_.enabled; }

  // Can be called from a listener of the store. The Event is written at the same virtual time, but by a separate agenda
  // event. The action is not written; Events with different actions are different series. Empty: the reason.
  void note(kube::EventRecord record, kube::EventReporter reporter);
  void note(kube::ObjectRef regarding,
            kube::EventType type,
            std::string_view reason,
            std::string_view action,
            std::string text,
            std::string_view reporting_controller) {
    note(kube::EventRecord{std::move(regarding), {}, type, std::string(reason), std::string(action), std::move(text)},
         kube::EventReporter{std::string(reporting_controller), {}});
  }

 private:
  struct Pending {
    kube::EventWrite write;
    kube::EventReporter reporter;
  };
  void queue(kube::EventWrite write, kube::EventReporter reporter);
  void flush();
  bool perform(const Pending& pending);
  void refresh();
  void keep(const Version& event);
  void schedule_expiry();
  void expire();

  Server& server_;
  EventWriterSettings settings_;
  kube::EventCorrelator correlator_;
  std::vector<Pending> pending_;
  std::multimap<WallTime, std::pair<std::string, std::string>> expiries_;  // namespace and name
  Agenda::Ticket flush_at_{};
  Agenda::Ticket refresh_at_{};
  Agenda::Ticket expire_at_{};
  std::unique_ptr<Store::Subscription> subscription_;
};

}  // namespace rescheduler::sim
