#include "kube/leader/lease_record.h"

#include "kube/proto/coordination.pb.h"

namespace rescheduler::kube {
namespace {

UnixTime time_in(const api::MicroTime& time) { return UnixTime{time.seconds(), time.nanos() - time.nanos() % 1000}; }

void put_time(UnixTime time, api::MicroTime& into) {
  into.set_seconds(time.seconds);
  into.set_nanos(time.nanoseconds);
}

}  // namespace

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
