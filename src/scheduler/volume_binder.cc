#include "scheduler/volume_binder.h"

#include <utility>

#include "kube/client/client.h"
#include "kube/proto/core_storage.pb.h"

namespace rescheduler::scheduler {

using namespace volume_binding;
using kube::Client;

namespace {

bool is_prebound_to(const api::PersistentVolume& object, const cluster::Claim& claim) {
  const api::ObjectReference& reference = object.spec().claim_ref();
  return reference.name() == claim.name && reference.namespace_() == claim.ns
         && (reference.uid().empty() || reference.uid() == claim.uid);
}

// Writes the claimRef as the volume controller does, so that the controller continues from there.
void prebind(api::PersistentVolume& object, const cluster::Claim& claim) {
  // A claimRef that the user set is not marked as bound by the controller; the volume controller behaves the same.
  if (!is_prebound_to(object, claim)) {
    object.mutable_metadata()->mutable_annotations()->insert({std::string(cluster::kBoundByController), "yes"});
  }
  api::ObjectReference& reference = *object.mutable_spec()->mutable_claim_ref();
  reference.Clear();
  reference.set_kind("PersistentVolumeClaim");
  reference.set_api_version("v1");
  reference.set_namespace_(claim.ns);
  reference.set_name(claim.name);
  reference.set_uid(claim.uid);
  reference.set_resource_version(claim.version);
}

Result<Input> input_from(Error error) {
  if (error.code == Errc::Cancelled) return fail(std::move(error));
  return Input{WriteFailed{std::move(error)}};
}

Result<Input> written_as(const api::ObjectMeta& meta) { return Input{Written{meta.resource_version()}}; }

}  // namespace

Result<ReservedVolumes> reserve_volumes(cluster::Volumes& volumes,
                                        const placement::VolumeDecision& decision,
                                        std::string_view node) {
  ReservedVolumes reserved;
  reserved.node = node;
  for (const auto& [volume, claim] : decision.bindings) {
    auto assumed = volumes.assume_binding(*volume, *claim);
    if (!assumed) {
      unreserve_volumes(volumes, reserved);
      return fail(std::move(assumed.error()));
    }
    reserved.bindings.push_back({volume, claim});
  }
  for (const cluster::ClaimPtr& claim : decision.provisions) {
    auto placed = volumes.assume_node(*claim, node);
    if (!placed) {
      unreserve_volumes(volumes, reserved);
      return fail(std::move(placed.error()));
    }
    reserved.provisions.push_back(claim);
  }
  return reserved;
}

void unreserve_volumes(cluster::Volumes& volumes, const ReservedVolumes& reserved) {
  for (const auto& binding : reserved.bindings) volumes.revert(*binding.volume);
  for (const cluster::ClaimPtr& claim : reserved.provisions) volumes.revert(*claim);
}

cluster::VolumePtr ClusterStorageView::volume(std::string_view name) const {
  return cluster_.volumes().api_volume(name);
}

cluster::ClaimPtr ClusterStorageView::claim(std::string_view ns, std::string_view name) const {
  return cluster_.volumes().api_claim(ns, name);
}

Result<bool> ClusterStorageView::reaches(const cluster::Volume& volume, std::string_view node) const {
  const auto index = cluster_.find_node(node);
  if (!index) return fail(Errc::NotFound, "node {} is gone", node);
  return placement::reaches(cluster_.volumes(), volume, *cluster_.node(*index).node);
}

net::Task<VolumeBinder::Outcome> VolumeBinder::bind(ReservedVolumes reserved,
                                                    PodToBind pod,
                                                    std::chrono::nanoseconds timeout) {
  VolumeBindingProtocol protocol(std::move(reserved), std::move(pod), timeout);
  Action action = protocol.next(Started{}, services_.clock->steady_now(), view_);
  for (;;) {
    Outcome ended;
    ended.unwritten = protocol.unwritten();
    if (std::holds_alternative<Done>(action)) co_return ended;
    if (auto* failed = std::get_if<Failed>(&action)) {
      ended.bound = fail(std::move(failed->error));
      co_return ended;
    }
    auto on_event = co_await perform(action);
    if (!on_event) {
      ended.bound = fail(std::move(on_event.error()));
      co_return ended;
    }
    action = protocol.next(*on_event, services_.clock->steady_now(), view_);
  }
}

net::Task<Result<Input>> VolumeBinder::perform(const Action& action) {
  if (const auto* volume = std::get_if<WriteVolume>(&action)) {
    auto on_event = co_await write_volume(*volume);
    co_return on_event;
  }
  if (const auto* claim = std::get_if<WriteClaim>(&action)) {
    auto on_event = co_await write_claim(*claim);
    co_return on_event;
  }
  auto slept = co_await services_.timers->sleep_for(std::get<Sleep>(action).duration);
  if (!slept) co_return fail(std::move(slept.error()));
  co_return Input{Woke{}};
}

// Writes back the whole object with only the changes of prebind(), and only if its resourceVersion is that of the
// decision.
net::Task<Result<Input>> VolumeBinder::write_volume(WriteVolume write) {
  Client client(api_);
  auto read = co_await client.get<api::PersistentVolume>(std::string(), write.volume->name);
  if (!read) co_return input_from(std::move(read.error()));
  api::PersistentVolume object = std::move(*read);
  if (object.metadata().resource_version() != write.volume->version) {
    Error changed{Errc::Conflict,
                  fmt::format("PersistentVolume {} has changed since it was chosen", write.volume->name)};
    co_return input_from(std::move(changed));
  }
  prebind(object, *write.claim);
  auto written = co_await client.update<api::PersistentVolume>(std::move(object));
  if (!written) co_return input_from(std::move(written.error()));
  co_return written_as(written->metadata());
}

net::Task<Result<Input>> VolumeBinder::write_claim(WriteClaim write) {
  Client client(api_);
  auto read = co_await client.get<api::PersistentVolumeClaim>(write.claim->ns, write.claim->name);
  if (!read) co_return input_from(std::move(read.error()));
  api::PersistentVolumeClaim object = std::move(*read);
  if (object.metadata().resource_version() != write.claim->version) {
    Error changed{Errc::Conflict,
                  fmt::format("claim {}/{} has changed since its node was chosen", write.claim->ns, write.claim->name)};
    co_return input_from(std::move(changed));
  }
  (*object.mutable_metadata()->mutable_annotations())[std::string(cluster::kSelectedNode)] = write.node;
  auto written = co_await client.update<api::PersistentVolumeClaim>(std::move(object));
  if (!written) co_return input_from(std::move(written.error()));
  co_return written_as(written->metadata());
}

}  // namespace rescheduler::scheduler
