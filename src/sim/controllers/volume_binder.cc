#include "sim/controllers/volume_binder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kube/events/event_record.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_storage.pb.h"
#include "kube/proto/core_volume.pb.h"
#include "kube/proto/storage.pb.h"
#include "kube/value/quantity.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

WriteContext as_manager() { return {.manager = "kube-controller-manager"}; }

kube::Quantity storage_in(const google::protobuf::Map<std::string, api::Quantity>& amounts) {
  const auto found = amounts.find("storage");
  if (found == amounts.end()) return {};
  return kube::Quantity::parse(found->second.string()).value_or(kube::Quantity{});
}

std::string annotation(const api::ObjectMeta& metadata, std::string_view key) {
  const auto found = metadata.annotations().find(std::string(key));
  return found == metadata.annotations().end() ? std::string() : found->second;
}

void annotate(api::ObjectMeta& metadata, std::string_view key, std::string_view value) {
  (*metadata.mutable_annotations())[std::string(key)] = std::string(value);
}

// A reference without a uid was written by a user and matches any claim with the name.
bool refers_to(const api::ObjectReference& reference, const api::PersistentVolumeClaim& claim) {
  return reference.namespace_() == claim.metadata().namespace_() && reference.name() == claim.metadata().name()
         && (reference.uid().empty() || reference.uid() == claim.metadata().uid());
}

void refer_to(api::ObjectReference& reference, const api::PersistentVolumeClaim& claim) {
  reference.set_api_version("v1");
  reference.set_kind("PersistentVolumeClaim");
  reference.set_namespace_(claim.metadata().namespace_());
  reference.set_name(claim.metadata().name());
  reference.set_uid(claim.metadata().uid());
  reference.set_resource_version(claim.metadata().resource_version());
}

bool is_bound(const api::PersistentVolumeClaim& claim) { return claim.status().phase() == "Bound"; }

std::string key_of(const api::ObjectMeta& metadata) {
  return rescheduler::sim::key_of(metadata.namespace_(), metadata.name());
}

}  // namespace

bool volume_fits(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  const api::PersistentVolumeSpec& has = volume.spec();
  const api::PersistentVolumeClaimSpec& wants = claim.spec();
  if (has.storage_class_name() != wants.storage_class_name() || has.volume_mode() != wants.volume_mode()) return false;
  if (storage_in(has.capacity()) < storage_in(wants.resources().requests())) return false;
  if (wants.has_selector() && !selector_from(wants.selector()).matches(volume.metadata().labels())) return false;
  return std::ranges::all_of(wants.access_modes(), [&has](const std::string& mode) {
    return std::ranges::find(has.access_modes(), mode) != has.access_modes().end();
  });
}

VolumeBinder::VolumeBinder(const ControllerScope& scope, Rng rng, VolumeBinderSettings settings)
    : server_(scope.server),
      events_(scope.events),
      rng_(rng),
      settings_(settings),
      claims_(server_.agenda(), scope.lag, [this](const std::string& key) { reconcile_claim(key); }),
      volumes_(server_.agenda(), scope.lag, [this](const std::string& name) { reconcile_volume(name); }),
      provisions_(server_.agenda(), scope.lag, [this](const std::string& key) { provision(key); }) {
  const auto watch = [this](const Kind& kind, void (VolumeBinder::*listener)(const Change&)) {
    server_.store().for_each(kind, "", "", [this, listener](const VersionPtr& version) {
      (this->*listener)(Change{version->number(), Change::What::Added, nullptr, version});
      return true;
    });
    return server_.store().subscribe(&kind, [this, listener](const Change& change) { (this->*listener)(change); });
  };
  on_claims_ = watch(server_.kinds().of<api::PersistentVolumeClaim>(), &VolumeBinder::claim_changed);
  on_volumes_ = watch(server_.kinds().of<api::PersistentVolume>(), &VolumeBinder::volume_changed);
}

void VolumeBinder::claim_changed(const Change& change) {
  const auto claim = change.after->as<api::PersistentVolumeClaim>();
  const std::string key = key_of(claim->metadata());
  if (change.what != Change::What::Deleted && !is_bound(*claim)) {
    unbound_.insert(key);
    claims_.add(key);
    return;
  }
  unbound_.erase(key);
  if (change.what == Change::What::Deleted) provisioning_.erase(key);
  if (change.what == Change::What::Deleted && !claim->spec().volume_name().empty()) {
    volumes_.add(claim->spec().volume_name());
  }
}

void VolumeBinder::volume_changed(const Change& change) {
  if (change.what == Change::What::Deleted) return;
  volumes_.add(change.after->as<api::PersistentVolume>()->metadata().name());
  for (const std::string& key : unbound_) claims_.add(key);
}

VolumeBinder::VolumePtr VolumeBinder::find_volume(const api::PersistentVolumeClaim& claim, bool any) const {
  if (!claim.spec().volume_name().empty()) {
    auto named = server_.find<api::PersistentVolume>("", claim.spec().volume_name());
    const bool free = named && (!named->spec().has_claim_ref() || refers_to(named->spec().claim_ref(), claim));
    return free ? named : nullptr;
  }
  VolumePtr best;
  const Kind& kind = server_.kinds().of<api::PersistentVolume>();
  server_.store().for_each(kind, "", "", [&](const VersionPtr& version) {
    auto volume = version->as<api::PersistentVolume>();
    if (volume->metadata().has_deletion_timestamp()) return true;
    if (volume->spec().has_claim_ref()) {
      if (!refers_to(volume->spec().claim_ref(), claim)) return true;
      best = std::move(volume);
      return false;  // reserved for this claim
    }
    if (!any || !volume_fits(*volume, claim)) return true;
    if (!best || storage_in(volume->spec().capacity()) < storage_in(best->spec().capacity())) best = std::move(volume);
    return true;
  });
  return best;
}

void VolumeBinder::reconcile_claim(const std::string& key) {
  const auto [ns, name] = split_key(key);
  const auto claim = server_.find<api::PersistentVolumeClaim>(ns, name);
  if (!claim || is_bound(*claim) || claim->metadata().has_deletion_timestamp()) return;
  const auto storage = server_.find<api::StorageClass>("", claim->spec().storage_class_name());
  const bool waits = storage && storage->volume_binding_mode() == "WaitForFirstConsumer";
  // With WaitForFirstConsumer, the scheduler chooses among existing volumes.
  if (const VolumePtr volume = find_volume(*claim, !waits)) {
    if (!bind(*claim, *volume)) claims_.add_after_failure(key);
    return;
  }
  if (!claim->spec().volume_name().empty()) return;  // the named volume can still be created
  if (waits && annotation(claim->metadata(), kSelectedNode).empty()) {
    return note(*claim, "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
  }
  if (!storage || storage->provisioner() == kNoProvisioner) {
    return note(*claim, "FailedBinding", "no persistent volumes available for this claim and no storage class is set");
  }
  provision_soon(*claim);
}

bool VolumeBinder::bind(const api::PersistentVolumeClaim& claim, const api::PersistentVolume& volume) {
  const std::string volume_name = volume.metadata().name();
  const std::string ns = claim.metadata().namespace_();
  const std::string name = claim.metadata().name();
  const bool ours = !volume.spec().has_claim_ref();
  const auto taken = server_.modify<api::PersistentVolume>(
      "", volume_name,
      [&](api::PersistentVolume& changed) {
        refer_to(*changed.mutable_spec()->mutable_claim_ref(), claim);
        if (ours) annotate(*changed.mutable_metadata(), "pv.kubernetes.io/bound-by-controller", "yes");
      },
      {}, as_manager());
  if (!taken) return false;
  const auto named = server_.modify<api::PersistentVolumeClaim>(
      ns, name,
      [&](api::PersistentVolumeClaim& changed) {
        if (changed.spec().volume_name().empty()) {
          annotate(*changed.mutable_metadata(), "pv.kubernetes.io/bound-by-controller", "yes");
        }
        changed.mutable_spec()->set_volume_name(volume_name);
        annotate(*changed.mutable_metadata(), "pv.kubernetes.io/bind-completed", "yes");
      },
      {}, as_manager());
  if (!named) return false;
  const auto shown = server_.modify_status<api::PersistentVolumeClaim>(
      ns, name,
      [&volume](api::PersistentVolumeClaim& changed) {
        changed.mutable_status()->set_phase("Bound");
        *changed.mutable_status()->mutable_capacity() = volume.spec().capacity();
        *changed.mutable_status()->mutable_access_modes() = volume.spec().access_modes();
      },
      as_manager());
  return shown.has_value();
}

void VolumeBinder::reconcile_volume(const std::string& name) {
  const auto volume = server_.find<api::PersistentVolume>("", name);
  if (!volume || volume->metadata().has_deletion_timestamp()) return;
  std::string phase = "Available";
  if (volume->spec().has_claim_ref() && !volume->spec().claim_ref().uid().empty()) {
    const api::ObjectReference& reference = volume->spec().claim_ref();
    const auto claim = server_.find<api::PersistentVolumeClaim>(reference.namespace_(), reference.name());
    phase = claim && claim->metadata().uid() == reference.uid() ? "Bound" : "Released";
  }
  if (phase == "Released" && volume->spec().persistent_volume_reclaim_policy() == "Delete") {
    const auto removed = server_.remove(server_.kinds().of<api::PersistentVolume>(), "", name, {});
    if (!removed && removed.error().code != 404) volumes_.add_after_failure(name);
    return;
  }
  if (volume->status().phase() == phase) return;
  const WallTime now = server_.agenda().wall_now();
  const auto written = server_.modify_status<api::PersistentVolume>(
      "", name,
      [&](api::PersistentVolume& changed) {
        changed.mutable_status()->set_phase(phase);
        *changed.mutable_status()->mutable_last_phase_transition_time() = stamp(now);
      },
      as_manager());
  if (!written && written.error().code != 404) volumes_.add_after_failure(name);
}

void VolumeBinder::provision_soon(const api::PersistentVolumeClaim& claim) {
  const std::string key = key_of(claim.metadata());
  if (!provisioning_.insert(key).second) return;
  note(claim, "ExternalProvisioning", "Waiting for a volume to be created by the external provisioner");
  const double share = 0.5 + rng_.unit();
  provisions_.add_after(
      key, Agenda::Duration(static_cast<std::int64_t>(static_cast<double>(settings_.provisioning.count()) * share)));
}

void VolumeBinder::provision(const std::string& key) {
  if (provisioning_.erase(key) == 0) return;
  const auto [ns, name] = split_key(key);
  const auto claim = server_.find<api::PersistentVolumeClaim>(ns, name);
  if (!claim || is_bound(*claim)) return;
  const auto storage = server_.find<api::StorageClass>("", claim->spec().storage_class_name());
  if (!storage) return;
  api::PersistentVolume volume;
  volume.mutable_metadata()->set_name("pvc-" + claim->metadata().uid());
  annotate(*volume.mutable_metadata(), "pv.kubernetes.io/provisioned-by", storage->provisioner());
  api::PersistentVolumeSpec& spec = *volume.mutable_spec();
  *spec.mutable_capacity() = claim->spec().resources().requests();
  *spec.mutable_access_modes() = claim->spec().access_modes();
  spec.set_volume_mode(claim->spec().volume_mode());
  spec.set_storage_class_name(storage->metadata().name());
  spec.set_persistent_volume_reclaim_policy(storage->has_reclaim_policy() ? storage->reclaim_policy() : "Delete");
  refer_to(*spec.mutable_claim_ref(), *claim);
  api::CSIPersistentVolumeSource& source = *spec.mutable_persistent_volume_source()->mutable_csi();
  source.set_driver(storage->provisioner());
  source.set_volume_handle(volume.metadata().name());
  const auto node = server_.find<api::Node>("", annotation(claim->metadata(), kSelectedNode));
  if (node && node->metadata().labels().contains(std::string(kZone))) {
    auto& where = *spec.mutable_node_affinity()->mutable_required()->add_node_selector_terms()->add_match_expressions();
    where.set_key(std::string(kZone));
    where.set_operator_("In");
    where.add_values(node->metadata().labels().at(std::string(kZone)));
  }
  const auto made = server_.create(std::move(volume), as_manager());
  if (made || made.error().reason == "AlreadyExists") {
    note(*claim, "ProvisioningSucceeded",
         fmt::format("Successfully provisioned volume pvc-{}", claim->metadata().uid()));
    return;
  }
  note(*claim, "ProvisioningFailed", made.error().message);
  claims_.add_after_failure(key);
}

void VolumeBinder::note(const api::PersistentVolumeClaim& claim, std::string_view reason, std::string text) {
  events_.note(kube::ref_to(claim), kube::EventType::Normal, reason, "", std::move(text),
               "persistentvolume-controller");
}

}  // namespace rescheduler::sim
