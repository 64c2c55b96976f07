// Host ports that a pod requests.
#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "cluster/symbol_table.h"

namespace rescheduler::cluster {

struct HostPort {
  Symbol ip = Symbol::Empty;  // empty: 0.0.0.0, all addresses
  Symbol protocol = Symbol::Empty;
  std::int32_t port = 0;

  // 0.0.0.0 collides with any address; another address collides only with itself and 0.0.0.0. "::" is treated like any
  // other address.
  bool collides(const HostPort& other) const {
    return port == other.port && protocol == other.protocol
           && (ip == Symbol::Empty || other.ip == Symbol::Empty || ip == other.ip);
  }
  friend auto operator<=>(const HostPort&, const HostPort&) = default;
};

inline bool any_collides(std::span<const HostPort> wanted, std::span<const HostPort> used) {
  for (const HostPort& want : wanted) {
    for (const HostPort& use : used) {
      if (want.collides(use)) return true;
    }
  }
  return false;
}

}  // namespace rescheduler::cluster
