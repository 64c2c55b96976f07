// The annotations of a pod that control the kubelet (names.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/kubelet/fault_board.h"
#include "sim/time/agenda.h"

namespace rescheduler::api {
class Pod;
}

namespace rescheduler::sim {

struct PodOrders {
  std::optional<Agenda::Duration> run_for{};
  std::optional<Agenda::Duration> start_delay{};
  std::optional<Agenda::Duration> ready_delay{};
  int exit_code = 0;
  PodFaults faults{};
  std::string mistake{};  // the first annotation that is invalid; it is ignored
};

PodOrders orders_of(const api::Pod& pod, std::string_view node);

// "a, b" or "*".
bool names_node(std::string_view list, std::string_view node);

}  // namespace rescheduler::sim
