#include "scheduler/volume_binding_protocol.h"

#include <algorithm>

namespace rescheduler::scheduler {

using namespace volume_binding;
using cluster::ClaimPtr;
using cluster::VolumePtr;

namespace {

// A check costs a few lookups in memory; a delay of a second in the pod's start is noticeable.
constexpr std::chrono::milliseconds kLookEvery{100};

}  // namespace

bool is_older(std::string_view version, std::string_view than) {
  return version.size() != than.size() ? version.size() < than.size() : version < than;
}

Action VolumeBindingProtocol::next(const Input& on_event, SteadyTime now, const StorageView& view) {
  if (const auto* failed = std::get_if<WriteFailed>(&on_event)) return Failed{failed->error};
  if (const auto* written = std::get_if<Written>(&on_event)) {
    versions_.push_back(written->version);
    return write_next(now, view);
  }
  if (std::holds_alternative<Started>(on_event)) return write_next(now, view);
  return look(now, view);
}

// An object that already has exactly the intended content is not written again.
bool VolumeBindingProtocol::is_written(std::size_t index, const StorageView& view) const {
  if (index < reserved_.bindings.size()) {
    const auto& [chosen, claim] = reserved_.bindings[index];
    const VolumePtr volume = view.volume(chosen->name);
    return volume && volume->version == chosen->version && volume->claim && volume->claim->uid == claim->uid
           && is_prebound_to(*volume, *claim);
  }
  const cluster::Claim& asked = *reserved_.provisions[index - reserved_.bindings.size()];
  const ClaimPtr claim = view.claim(asked.ns, asked.name);
  return claim && claim->version == asked.version && claim->selected_node == reserved_.node;
}

Action VolumeBindingProtocol::write_next(SteadyTime now, const StorageView& view) {
  const std::size_t volumes = reserved_.bindings.size();
  const std::size_t end = volumes + reserved_.provisions.size();
  while (versions_.size() < end && is_written(versions_.size(), view)) {
    const std::size_t index = versions_.size();
    versions_.push_back(index < volumes ? reserved_.bindings[index].volume->version
                                        : reserved_.provisions[index - volumes]->version);
  }
  const std::size_t next = versions_.size();
  if (next < volumes) return WriteVolume{reserved_.bindings[next].volume, reserved_.bindings[next].claim};
  if (next < end) return WriteClaim{reserved_.provisions[next - volumes], reserved_.node};
  deadline_ = now + timeout_;
  return look(now, view);
}

Action VolumeBindingProtocol::look(SteadyTime now, const StorageView& view) const {
  const auto progress = check(view);
  if (!progress) return Failed{Error(progress.error()).within("binding volumes")};
  if (*progress == Progress::Bound) return Done{};
  if (now >= deadline_) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout_).count();
    return Failed{Error{Errc::Timeout, fmt::format("binding volumes: the claims of pod {}/{} are not bound after {} s",
                                                   pod_.ns, pod_.name, seconds)}};
  }
  return Sleep{std::min<std::chrono::nanoseconds>(kLookEvery, deadline_ - now)};
}

Result<VolumeBindingProtocol::Progress> VolumeBindingProtocol::check(const StorageView& view) const {
  if (!view.pod_exists(pod_.uid)) {
    return fail(Errc::NotFound, "pod {}/{} does not exist any more", pod_.ns, pod_.name);
  }
  for (std::size_t i = 0; i < reserved_.bindings.size(); ++i) {
    const auto progress = check_binding(i, view);
    if (!progress || *progress == Progress::Wait) return progress;
  }
  for (std::size_t i = 0; i < reserved_.provisions.size(); ++i) {
    const auto progress = check_provision(i, view);
    if (!progress || *progress == Progress::Wait) return progress;
  }
  return Progress::Bound;
}

Result<void> VolumeBindingProtocol::check_place(const cluster::Volume& volume, const StorageView& view) const {
  const auto here = view.reaches(volume, reserved_.node);
  if (!here) return fail(here.error());
  if (*here) return {};
  return fail(Errc::Conflict, "pv \"{}\" node affinity doesn't match node \"{}\"", volume.name, reserved_.node);
}

Result<VolumeBindingProtocol::Progress> VolumeBindingProtocol::check_binding(std::size_t index,
                                                                             const StorageView& view) const {
  const auto& chosen = reserved_.bindings[index];
  const VolumePtr volume = view.volume(chosen.volume->name);
  if (!volume) return fail(Errc::NotFound, "PersistentVolume {} is gone", chosen.volume->name);
  const ClaimPtr claim = view.claim(chosen.claim->ns, chosen.claim->name);
  if (!claim) return fail(Errc::NotFound, "claim {}/{} is gone", chosen.claim->ns, chosen.claim->name);
  if (is_older(volume->version, versions_[index])) return Progress::Wait;  // our own write has not arrived yet
  auto place = check_place(*volume, view);
  if (!place) return fail(std::move(place.error()));
  if (!volume->claim || volume->claim->uid.empty()) {
    return fail(Errc::Conflict, "ClaimRef got reset for pv \"{}\"", volume->name);
  }
  return claim->bound() ? Progress::Bound : Progress::Wait;
}

Result<VolumeBindingProtocol::Progress> VolumeBindingProtocol::check_provision(std::size_t index,
                                                                               const StorageView& view) const {
  const cluster::Claim& asked = *reserved_.provisions[index];
  const ClaimPtr claim = view.claim(asked.ns, asked.name);
  if (!claim) return fail(Errc::NotFound, "claim {}/{} is gone", asked.ns, asked.name);
  if (is_older(claim->version, versions_[reserved_.bindings.size() + index])) return Progress::Wait;
  // A provisioner removes the annotation if provisioning failed.
  if (claim->selected_node != reserved_.node) {
    return fail(Errc::Conflict, "provisioning failed for PVC \"{}\"", claim->name);
  }
  if (!claim->volume.empty()) {
    const VolumePtr volume = view.volume(claim->volume);
    if (!volume) return Progress::Wait;  // the claim may arrive before its volume
    auto place = check_place(*volume, view);
    if (!place) return fail(std::move(place.error()));
  }
  return claim->bound() ? Progress::Bound : Progress::Wait;
}

ReservedVolumes VolumeBindingProtocol::unwritten() const {
  ReservedVolumes left;
  left.node = reserved_.node;
  for (std::size_t i = versions_.size(); i < reserved_.bindings.size(); ++i) {
    left.bindings.push_back(reserved_.bindings[i]);
  }
  const std::size_t volumes = reserved_.bindings.size();
  const std::size_t claims = versions_.size() > volumes ? versions_.size() - volumes : 0;
  for (std::size_t i = claims; i < reserved_.provisions.size(); ++i) left.provisions.push_back(reserved_.provisions[i]);
  return left;
}

}  // namespace rescheduler::scheduler
