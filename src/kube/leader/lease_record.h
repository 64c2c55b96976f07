// What a Lease says about who leads, as a value.
//
// Times are kept in whole microseconds, as the wire has them, so that a record read back equals the one written.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "kube/value/time.h"

namespace rescheduler::api {
class Lease;
}  // namespace rescheduler::api

namespace rescheduler::kube {

struct LeaseRecord {
  std::string holder{};              // empty: nobody, free to be taken
  std::chrono::seconds duration{0};  // how long the holder may be silent before others take over
  std::int32_t transitions = 0;      // how often the lease went to another holder
  UnixTime acquired{};               // whatever a person or a broken clock put there can be held
  UnixTime renewed{};

  bool operator==(const LeaseRecord&) const = default;
};

LeaseRecord record_in(const api::Lease& lease);
// Leaves everything else of the lease alone: labels, and fields we know nothing about.
void put_record(const LeaseRecord& record, api::Lease& lease);

}  // namespace rescheduler::kube
