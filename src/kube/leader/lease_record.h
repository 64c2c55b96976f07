// The leader election fields of a Lease, as a value.
//
// Times have microsecond precision, as on the wire, so that a record that is read back equals the written one.
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
  std::string holder{};              // empty: the lease is free
  std::chrono::seconds duration{0};  // others may take the lease after this time without a renewal
  std::int32_t transitions = 0;      // number of changes of the holder
  UnixTime acquired{};               // UnixTime can hold any value that a user or a wrong clock wrote
  UnixTime renewed{};

  bool operator==(const LeaseRecord&) const = default;
};

LeaseRecord record_in(const api::Lease& lease);
// Leaves all other fields of the lease unchanged: labels, and fields that the wire types do not have.
void put_record(const LeaseRecord& record, api::Lease& lease);

}  // namespace rescheduler::kube
