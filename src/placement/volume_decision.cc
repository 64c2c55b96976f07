#include "placement/volume_decision.h"

#include <algorithm>
#include <utility>

#include "kube/proto/core_pod.pb.h"
#include "placement/plugins/pod_claims.h"

namespace rescheduler::placement {
namespace {

using cluster::Claim;
using cluster::ClaimPtr;
using cluster::Node;
using cluster::NodeLabels;
using cluster::StorageClass;
using cluster::Volume;
using cluster::VolumePtr;
using cluster::Volumes;

constexpr std::string_view kElsewhere = "node(s) didn't match PersistentVolume's node affinity";
constexpr std::string_view kNothingToBind = "node(s) didn't find available persistent volumes to bind";
constexpr std::string_view kNoRoom = "node(s) did not have enough free storage";
constexpr std::string_view kVolumeGone = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

Status status(Code code, std::string reason) { return {code, {std::move(reason)}, {}}; }

kube::Quantity size_of(const Claim& claim) { return claim.request.value_or(kube::Quantity()); }

// What a claim requires of every volume, also of a prebound one.
bool suits(const Volume& volume, const Claim& claim) {
  return volume.capacity >= size_of(claim) && volume.block == claim.block
         && volume.attributes_class == claim.attributes_class && !volume.terminating;
}

bool is_free_for(const Volume& volume, const Claim& claim, const cluster::Interner& interner) {
  if (!volume.available || !volume.modes.include(claim.modes)) return false;
  if (!claim.selector) return true;
  const auto labels = interner.labels.labels(volume.labels);
  const auto ask = [&](std::string_view key) -> kube::LabelLookup::Answer {
    for (const auto& [name, value] : labels) {
      if (interner.symbols.text(name) == key) return interner.symbols.text(value);
    }
    return std::nullopt;
  };
  return claim.selector->matches(ask);
}

bool smaller(const VolumePtr& a, const VolumePtr& b) {
  const auto order = a->capacity <=> b->capacity;
  return order != 0 ? order < 0 : a->name < b->name;
}

VolumePlan::Waiting candidates(const Volumes& volumes, ClaimPtr claim) {
  VolumePlan::Waiting waiting;
  for (const VolumePtr& volume : volumes.volumes_of(claim->storage_class)) {
    const bool prebound = is_prebound_to(*volume, *claim);
    if ((volume->claim && !prebound) || !suits(*volume, *claim)) continue;
    if (prebound) {
      waiting.prebound = volume;
      break;
    }
    if (!is_free_for(*volume, *claim, volumes.interner())) continue;
    if (!volume->hosts) {
      waiting.anywhere.push_back(volume);
    } else {
      for (cluster::Symbol host : *volume->hosts) waiting.on_host[host].push_back(volume);
    }
  }
  std::ranges::sort(waiting.anywhere, smaller);
  for (auto& [host, list] : waiting.on_host) std::ranges::sort(list, smaller);
  waiting.claim = std::move(claim);
  return waiting;
}

// Nothing: the class has no binding mode.
std::optional<bool> waits_for_consumer(const Volumes& volumes, const Claim& claim) {
  const StorageClass* known = volumes.storage_class(claim.storage_class);
  if (claim.storage_class == cluster::Symbol::Empty || known == nullptr) return false;
  if (known->mode == cluster::BindingMode::Unset) return std::nullopt;
  return known->mode == cluster::BindingMode::WaitForFirstConsumer;
}

// Does the claim exist, and can this pod use it?
Status check(const PodContext& context, const cluster::ClaimUse& use, const ClaimPtr& claim) {
  const std::string name = use.claim(context.pod.metadata().name());
  constexpr Code kNo = Code::UnschedulableAndUnresolvable;
  if (!claim && use.ephemeral) {
    return status(
        kNo, fmt::format("waiting for ephemeral volume controller to create the persistentvolumeclaim \"{}\"", name));
  }
  if (!claim) return status(kNo, claim_not_found(name));
  if (claim->lost) {
    return status(kNo, fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"", name,
                                   claim->volume));
  }
  if (claim->terminating) return status(kNo, fmt::format("persistentvolumeclaim \"{}\" is being deleted", name));
  if (use.ephemeral && !belongs_to(*claim, context.pod)) return status(kNo, not_owner(context, name));
  return {};
}

struct Findings {
  bool reachable = true;      // the node can reach the bound volumes
  bool bindable = true;       // the waiting claims can be bound
  bool room = true;           // there is capacity for the volumes to provision
  bool volumes_exist = true;  // the bound volumes exist
  std::string error{};
};

void check_bound(const Volumes& volumes, const VolumePlan& plan, const Node& node, Findings& found) {
  for (const ClaimPtr& claim : plan.bound) {
    const VolumePtr volume = volumes.volume(claim->volume);
    if (!volume) {
      found.volumes_exist = false;
      return;
    }
    const auto here = reaches(volumes, *volume, node);
    if (!here) {
      found.error = here.error().message;
      return;
    }
    if (!*here) {
      found.reachable = false;
      return;
    }
  }
}

bool in_reach(const Volume& volume, const Node& node, const cluster::SymbolTable& symbols) {
  return !volume.reach || volume.reach->matches(NodeLabels(node, symbols), std::string_view());
}

// The first volume of the list that the node can reach and that is not chosen for another claim.
VolumePtr first_of(const std::vector<VolumePtr>& list,
                   const Node& node,
                   const cluster::SymbolTable& symbols,
                   const VolumeDecision& chosen) {
  for (const VolumePtr& volume : list) {
    const bool taken = std::ranges::any_of(chosen.bindings, [&](const auto& b) { return b.volume == volume; });
    if (!taken && in_reach(*volume, node, symbols)) return volume;
  }
  return nullptr;
}

VolumePtr match(const VolumePlan::Waiting& waiting,
                const Node& node,
                const cluster::SymbolTable& symbols,
                const VolumeDecision& chosen) {
  if (waiting.prebound) return in_reach(*waiting.prebound, node, symbols) ? waiting.prebound : nullptr;
  VolumePtr best = first_of(waiting.anywhere, node, symbols, chosen);
  const auto local = waiting.on_host.find(node.label(cluster::Symbol::Hostname));
  if (local == waiting.on_host.end()) return best;
  VolumePtr here = first_of(local->second, node, symbols, chosen);
  return here && (!best || smaller(here, best)) ? here : best;
}

bool allows(const StorageClass& storage_class, const Node& node) {
  const auto& terms = storage_class.allowed_topologies;
  return terms.empty() || std::ranges::any_of(terms, [&](const std::vector<StorageClass::Key>& term) {
           return !term.empty() && std::ranges::all_of(term, [&](const StorageClass::Key& key) {
             return node.has_label(key.key) && std::ranges::find(key.values, node.label(key.key)) != key.values.end();
           });
         });
}

void check_provisions(const Volumes& volumes, const std::vector<ClaimPtr>& claims, const Node& node, Findings& found) {
  found.bindable = true;
  for (const ClaimPtr& claim : claims) {
    const StorageClass* known = volumes.storage_class(claim->storage_class);
    if (known == nullptr || !known->can_provision || !allows(*known, node)) {
      found.bindable = false;
      return;
    }
    if (!claim->request || !volumes.tracks_capacity(known->provisioner)) continue;
    const NodeLabels labels(node, volumes.interner().symbols);
    if (!volumes.has_room(known->name, claim->request->value(), labels)) {
      found.room = false;
      return;
    }
  }
}

void check_unbound(const Volumes& volumes,
                   const VolumePlan& plan,
                   const Node& node,
                   Findings& found,
                   VolumeDecision& decision) {
  const bool elsewhere =
      std::ranges::any_of(plan.placed, [&](const ClaimPtr& c) { return *c->selected_node != node.name; });
  if (elsewhere) {
    found.bindable = false;
    return;
  }
  decision.provisions = plan.placed;
  for (const VolumePlan::Waiting& waiting : plan.waiting) {
    if (VolumePtr volume = match(waiting, node, volumes.interner().symbols, decision)) {
      decision.bindings.push_back({std::move(volume), waiting.claim});
    } else {
      decision.provisions.push_back(waiting.claim);
    }
  }
  check_provisions(volumes, decision.provisions, node, found);
}

}  // namespace

Result<bool> reaches(const Volume& volume,
                     const Node& node,
                     const cluster::CsiNode* csi,
                     const cluster::SymbolTable& symbols) {
  const bool migrated = volume.migration && csi != nullptr && csi->migrated(volume.migration->plugin);
  if (migrated && !volume.migration->error.empty()) {
    return fail(Errc::Invalid, "could not translate pv: {}", volume.migration->error);
  }
  const cluster::Reach& reach = migrated ? volume.migration->reach : volume.reach;
  return !reach || reach->matches(NodeLabels(node, symbols), std::string_view());
}

Result<bool> reaches(const Volumes& volumes, const Volume& volume, const Node& node) {
  const cluster::CsiNode* csi = volume.migration ? volumes.csi_node(node.name) : nullptr;
  return reaches(volume, node, csi, volumes.interner().symbols);
}

PlannedVolumes plan_volumes(const PodContext& context) {
  if (context.compiled_spec.claims.empty()) return {{Code::Skip, {}, {}}, {}};
  const Volumes& volumes = context.cluster.volumes();
  std::vector<ClaimPtr> claims;
  for (const cluster::ClaimUse& use : context.compiled_spec.claims) {
    ClaimPtr claim = volumes.claim(context.ns, use.claim(context.pod.metadata().name()));
    Status problem = check(context, use, claim);
    if (!problem.ok()) return {std::move(problem), {}};
    // Several volumes of a pod can use the same claim.
    if (std::ranges::find(claims, claim) == claims.end()) claims.push_back(std::move(claim));
  }
  PlannedVolumes planned;
  bool immediate = false;
  for (ClaimPtr& claim : claims) {
    if (claim->bound()) {
      planned.plan.bound.push_back(std::move(claim));
      continue;
    }
    const auto waits = waits_for_consumer(volumes, *claim);
    if (!waits) {
      return {status(Code::Error, fmt::format("VolumeBindingMode not set for StorageClass \"{}\"",
                                              context.cluster.text(claim->storage_class))),
              {}};
    }
    if (!*waits || !claim->volume.empty()) {
      immediate = true;
    } else if (claim->selected_node) {
      planned.plan.placed.push_back(std::move(claim));
    } else {
      planned.plan.waiting.push_back(candidates(volumes, std::move(claim)));
    }
  }
  if (immediate) {
    return {status(Code::UnschedulableAndUnresolvable, "pod has unbound immediate PersistentVolumeClaims"), {}};
  }
  std::ranges::sort(planned.plan.waiting, [](const VolumePlan::Waiting& a, const VolumePlan::Waiting& b) {
    const auto order = size_of(*a.claim) <=> size_of(*b.claim);
    return order != 0 ? order < 0 : a.claim->name < b.claim->name;
  });
  return planned;
}

Code decide_volumes(const Volumes& volumes,
                    const VolumePlan& plan,
                    const Node& node,
                    VolumeDecision* decision,
                    Reasons* why) {
  Findings found;
  VolumeDecision made;
  check_bound(volumes, plan, node, found);
  if (!found.error.empty()) {
    if (why != nullptr) why->push_back(std::move(found.error));
    return Code::Error;
  }
  check_unbound(volumes, plan, node, found, made);
  if (found.reachable && found.bindable && found.room && found.volumes_exist) {
    if (decision != nullptr) *decision = std::move(made);
    return Code::Success;
  }
  if (why != nullptr) {
    if (!found.reachable) why->emplace_back(kElsewhere);
    if (!found.bindable) why->emplace_back(kNothingToBind);
    if (!found.room) why->emplace_back(kNoRoom);
    if (!found.volumes_exist) why->emplace_back(kVolumeGone);
  }
  return Code::UnschedulableAndUnresolvable;
}

std::optional<VolumeDecision> decide_volumes(const PodContext& context, const Node& node) {
  PlannedVolumes planned = plan_volumes(context);
  VolumeDecision decision;
  if (planned.status.code == Code::Skip) return decision;
  if (!planned.status.ok()) return std::nullopt;
  const Code code = decide_volumes(context.cluster.volumes(), planned.plan, node, &decision, nullptr);
  return code == Code::Success ? std::optional(std::move(decision)) : std::nullopt;
}

}  // namespace rescheduler::placement
