#include "kube/leader/lease_record.h"

#include "kube/proto/coordination.pb.h"

namespace rescheduler::kube {
namespace {

WallTime time_in(const api::MicroTime& time) {
  return whole_micros(WallTime{std::chrono::seconds{time.seconds()} + std::chrono::nanoseconds{time.nanos()}});
}

void put_time(WallTime time, api::MicroTime& into) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  into.set_seconds(seconds.time_since_epoch().count());
  into.set_nanos(static_cast<std::int32_t>((time - seconds).count()));
}

}  // namespace

WallTime whole_micros(WallTime time) { return std::chrono::floor<std::chrono::microseconds>(time); }

LeaseRecord record_in(const api::Lease& lease) {
  const api::LeaseSpec& spec = lease.spec();
  LeaseRecord record;
  record.holder = spec.holder_identity();
  record.duration = std::chrono::seconds{spec.lease_duration_seconds()};
  record.transitions = spec.lease_transitions();
  record.acquired = time_in(spec.acquire_time());
  record.renewed = time_in(spec.renew_time());
  return record;
}

void put_record(const LeaseRecord& record, api::Lease& lease) {
  api::LeaseSpec& spec = *lease.mutable_spec();
  spec.set_holder_identity(record.holder);
  spec.set_lease_duration_seconds(static_cast<std::int32_t>(record.duration.count()));
  spec.set_lease_transitions(record.transitions);
  put_time(record.acquired, *spec.mutable_acquire_time());
  put_time(record.renewed, *spec.mutable_renew_time());
}

}  // namespace rescheduler::kube
