// Volumes, claims and storage classes.
#include <fmt/format.h>

#include "kube/proto/core_storage.pb.h"
#include "kube/proto/storage.pb.h"
#include "kube/value/quantity.h"
#include "sim/kinds/pods/pod_rules.h"
#include "sim/kinds/resources.h"
#include "sim/kinds/rules.h"
#include "sim/kinds/typed_rules.h"

namespace rescheduler::sim {
namespace {

const std::vector<std::string>& access_modes() {
  static const std::vector<std::string> modes = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"};
  return modes;
}

void check_access_modes(const google::protobuf::RepeatedPtrField<std::string>& modes, const At& at, Faults& faults) {
  bool alone = false;
  for (const std::string& mode : modes) {
    if (std::ranges::find(access_modes(), mode) == access_modes().end()) {
      faults.not_supported(at.str(), mode, access_modes());
    }
    alone = alone || mode == "ReadWriteOncePod";
  }
  if (alone && modes.size() > 1) faults.forbidden(at.str(), "may not use ReadWriteOncePod with other access modes");
}

void check_storage(const ResourceMap& amounts, const At& at, Faults& faults) {
  const auto storage = amounts.find("storage");
  if (storage == amounts.end()) return faults.required(at.str());
  const auto amount = kube::Quantity::parse(storage->second.string());
  if (!amount || amount->sign() <= 0) {
    faults.invalid(at.str(), kube::json_string(storage->second.string()), "must be greater than zero");
  }
}

// --- PersistentVolume ---

void default_volume(api::PersistentVolume& volume) {
  auto& spec = *volume.mutable_spec();
  if (volume.status().phase().empty()) volume.mutable_status()->set_phase("Pending");
  if (spec.persistent_volume_reclaim_policy().empty()) spec.set_persistent_volume_reclaim_policy("Retain");
  if (!spec.has_volume_mode()) spec.set_volume_mode("Filesystem");
  canonicalize(*spec.mutable_capacity());
}

void check_volume(const api::PersistentVolume& volume, Faults& faults) {
  const auto& spec = volume.spec();
  const At at("spec");
  if (spec.access_modes().empty()) faults.required("spec.accessModes");
  check_access_modes(spec.access_modes(), at.child("accessModes"), faults);
  if (spec.capacity().empty()) faults.required("spec.capacity");
  check_storage(spec.capacity(), at.child("capacity").key("storage"), faults);
  check_one_of(spec.persistent_volume_reclaim_policy(), {"Delete", "Recycle", "Retain"},
               at.child("persistentVolumeReclaimPolicy"), faults);
  check_one_of(spec.volume_mode(), {"Block", "Filesystem"}, at.child("volumeMode"), faults);
  if (spec.has_node_affinity()) {
    if (!spec.node_affinity().has_required()) {
      faults.required("spec.nodeAffinity.required", "must specify required node constraints");
    } else {
      check_node_selector(spec.node_affinity().required(), at.child("nodeAffinity.required"), faults);
    }
  }
  const auto& source = spec.persistent_volume_source();
  if (source.ByteSizeLong() == 0) faults.required("spec", "must specify a volume type");
  if (source.has_local() && !spec.has_node_affinity()) {
    faults.required("spec.nodeAffinity", "Local volume requires node affinity");
  }
  if (!spec.storage_class_name().empty()) {
    check_dns_subdomain(spec.storage_class_name(), at.child("storageClassName"), faults);
  }
}

void check_volume_update(const api::PersistentVolume& before, const api::PersistentVolume& after, Faults& faults) {
  if (!same(before.spec().persistent_volume_source(), after.spec().persistent_volume_source())) {
    faults.forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation");
  }
  check_immutable(before.spec().volume_mode(), after.spec().volume_mode(), At("volumeMode"), faults);
}

// --- PersistentVolumeClaim ---

void default_claim(api::PersistentVolumeClaim& claim) {
  if (claim.status().phase().empty()) claim.mutable_status()->set_phase("Pending");
  auto& spec = *claim.mutable_spec();
  if (!spec.has_volume_mode()) spec.set_volume_mode("Filesystem");
  canonicalize(*spec.mutable_resources()->mutable_requests());
}

// A claim without a class gets the default class of the cluster.
void admit_claim(api::PersistentVolumeClaim& claim, const RuleContext& context, Faults&) {
  if (claim.spec().has_storage_class_name() || !context.each) return;
  context.each("storage.k8s.io", "storageclasses", [&](const Message& message) {
    const auto& candidate = static_cast<const api::StorageClass&>(message);
    const auto& annotations = candidate.metadata().annotations();
    const auto mark = annotations.find("storageclass.kubernetes.io/is-default-class");
    if (mark != annotations.end() && mark->second == "true") {
      claim.mutable_spec()->set_storage_class_name(candidate.metadata().name());
    }
  });
}

void check_claim(const api::PersistentVolumeClaim& claim, Faults& faults) {
  const auto& spec = claim.spec();
  const At at("spec");
  if (spec.access_modes().empty()) faults.required("spec.accessModes", "at least 1 access mode is required");
  check_selector(spec.selector(), at.child("selector"), faults);
  check_access_modes(spec.access_modes(), at.child("accessModes"), faults);
  check_storage(spec.resources().requests(), at.child("resources").key("storage"), faults);
  if (!spec.storage_class_name().empty()) {
    check_dns_subdomain(spec.storage_class_name(), at.child("storageClassName"), faults);
  }
  if (spec.has_volume_mode()) check_one_of(spec.volume_mode(), {"Block", "Filesystem"}, at.child("volumeMode"), faults);
}

void check_claim_update(const api::PersistentVolumeClaim& before,
                        const api::PersistentVolumeClaim& after,
                        Faults& faults) {
  api::PersistentVolumeClaimSpec munged = after.spec();
  const auto& old = before.spec();
  if (old.volume_name().empty()) munged.clear_volume_name();
  if (before.status().phase() == "Bound") *munged.mutable_resources()->mutable_requests() = old.resources().requests();
  api::PersistentVolumeClaimSpec expected = old;
  if (old.volume_name().empty()) expected.clear_volume_name();
  if (!same(munged, expected)) {
    faults.forbidden("spec",
                     "spec is immutable after creation except resources.requests and volumeAttributesClassName for "
                     "bound claims");
  }
}

// --- StorageClass and the rest ---

void default_class(api::StorageClass& storage) {
  if (!storage.has_reclaim_policy()) storage.set_reclaim_policy("Delete");
  if (!storage.has_volume_binding_mode()) storage.set_volume_binding_mode("Immediate");
}

void check_class(const api::StorageClass& storage, Faults& faults) {
  if (storage.provisioner().empty()) {
    faults.required("provisioner");
  } else {
    std::string lower = storage.provisioner();
    std::ranges::transform(lower, lower.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    check_label_key(lower, At("provisioner"), faults);
  }
  check_one_of(storage.reclaim_policy(), {"Delete", "Retain"}, At("reclaimPolicy"), faults);
  check_one_of(storage.volume_binding_mode(), {"Immediate", "WaitForFirstConsumer"}, At("volumeBindingMode"), faults);
}

void check_class_update(const api::StorageClass& before, const api::StorageClass& after, Faults& faults) {
  if (!same_map(before.parameters(), after.parameters())) {
    faults.invalid("parameters", json_of(after.parameters()), "field is immutable");
  }
  check_immutable(before.provisioner(), after.provisioner(), At("provisioner"), faults);
  check_immutable(before.reclaim_policy(), after.reclaim_policy(), At("reclaimPolicy"), faults);
  check_immutable(before.volume_binding_mode(), after.volume_binding_mode(), At("volumeBindingMode"), faults);
}

void default_driver(api::CSIDriver& driver) {
  auto& spec = *driver.mutable_spec();
  if (!spec.has_attach_required()) spec.set_attach_required(true);
  if (!spec.has_pod_info_on_mount()) spec.set_pod_info_on_mount(false);
  if (!spec.has_storage_capacity()) spec.set_storage_capacity(false);
  if (!spec.has_fs_group_policy()) spec.set_fs_group_policy("ReadWriteOnceWithFSType");
  if (spec.volume_lifecycle_modes().empty()) spec.add_volume_lifecycle_modes("Persistent");
  if (!spec.has_requires_republish()) spec.set_requires_republish(false);
}

}  // namespace

KindRules volume_rules() {
  using Volume = api::PersistentVolume;
  KindRules rules;
  add_status_rules<Volume>(rules);
  rules.defaults = on<Volume>(default_volume);
  rules.on_create = on<Volume>([](Volume& volume, const RuleContext&, Faults&) {
    volume.mutable_status()->Clear();
    volume.mutable_status()->set_phase("Pending");
  });
  rules.validate = on<Volume>(check_volume);
  rules.validate_update = on_both<Volume>(check_volume_update);
  rules.name_fault = {};
  return rules;
}

KindRules claim_rules() {
  using Claim = api::PersistentVolumeClaim;
  KindRules rules;
  add_status_rules<Claim>(rules);
  rules.defaults = on<Claim>(default_claim);
  rules.admit = on<Claim>(admit_claim);
  rules.on_create = on<Claim>([](Claim& claim, const RuleContext&, Faults&) {
    claim.mutable_status()->Clear();
    claim.mutable_status()->set_phase("Pending");
  });
  rules.validate = on<Claim>(check_claim);
  rules.validate_update = on_both<Claim>(check_claim_update);
  return rules;
}

KindRules storage_class_rules() {
  KindRules rules;
  rules.defaults = on<api::StorageClass>(default_class);
  rules.validate = on<api::StorageClass>(check_class);
  rules.validate_update = on_both<api::StorageClass>(check_class_update);
  return rules;
}

KindRules csi_driver_rules() {
  KindRules rules;
  rules.defaults = on<api::CSIDriver>(default_driver);
  return rules;
}

KindRules volume_attachment_rules() {
  KindRules rules;
  add_status_rules<api::VolumeAttachment>(rules);
  rules.on_create = on<api::VolumeAttachment>([](api::VolumeAttachment& attachment, const RuleContext&, Faults&) {
    attachment.mutable_status()->Clear();
    attachment.mutable_status()->set_attached(false);
  });
  return rules;
}

}  // namespace rescheduler::sim
