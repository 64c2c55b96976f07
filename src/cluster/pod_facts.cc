#include "cluster/pod_facts.h"

#include <algorithm>
#include <vector>

#include <boost/container_hash/hash.hpp>
#include <fmt/format.h>

#include "cluster/objects/pods.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/time.h"

namespace rescheduler::cluster {
namespace {

PodPhase phase_of(const api::Pod& pod) {
  if (is_finished(pod)) return PodPhase::Over;
  const std::string& phase = pod.status().phase();
  if (phase == "Running") return PodPhase::Running;
  if (phase == "Pending" || phase.empty()) return PodPhase::Pending;
  return PodPhase::Unknown;
}

PodQos qos_of(const std::string& qos) {
  if (qos == "Guaranteed") return PodQos::Guaranteed;
  return qos == "Burstable" ? PodQos::Burstable : PodQos::BestEffort;
}

bool keeps_local_files(const api::Pod& pod) {
  return std::ranges::any_of(pod.spec().volumes(), [](const api::Volume& volume) {
    return volume.volume_source().has_empty_dir() || volume.volume_source().has_host_path();
  });
}

bool uses_claims(const api::Pod& pod) {
  return std::ranges::any_of(pod.spec().volumes(), [](const api::Volume& volume) {
    return volume.volume_source().has_persistent_volume_claim() || volume.volume_source().has_ephemeral();
  });
}

std::uint64_t images_of(const api::Pod& pod) {
  std::vector<std::string_view> images;
  for (const api::Container& container : pod.spec().containers()) images.emplace_back(container.image());
  std::ranges::sort(images);
  return boost::hash_range(images.begin(), images.end());
}

}  // namespace

std::string key_of(const OwnerRef& owner) {
  return owner.uid.empty() ? fmt::format("{}/{}/{}", owner.kind, owner.ns, owner.name) : owner.uid;
}

OwnerRef owner_of(const api::ObjectMeta& meta) {
  const api::OwnerReference* owner = controller_of(meta);
  if (owner == nullptr) return {};
  return {owner->api_version(), owner->kind(), meta.namespace_(), owner->name(), owner->uid()};
}

PodFacts facts_of(const api::Pod& pod, SymbolTable& symbols) {
  PodFacts facts;
  facts.phase = phase_of(pod);
  facts.qos = qos_of(pod.status().qos_class());
  facts.opt_out = opt_out_of(pod.metadata());
  facts.marks = eviction_marks_of(pod.metadata());
  facts.ready = is_ready(pod);
  facts.terminating = is_terminating(pod.metadata());
  facts.mirror = is_mirror(pod);
  facts.local_storage = keeps_local_files(pod);
  facts.claims = uses_claims(pod);
  facts.deletion_cost = deletion_cost_of(pod.metadata());
  facts.scheduler = symbols.intern(pod.spec().scheduler_name());
  facts.images = images_of(pod);
  if (pod.metadata().has_creation_timestamp()) facts.created = kube::wall_time(pod.metadata().creation_timestamp());
  return facts;
}

}  // namespace rescheduler::cluster
