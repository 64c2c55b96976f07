#include "placement/plugins/volume_zone.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "placement/plugins/pod_claims.h"

namespace rescheduler::placement {
namespace {

using cluster::ActionType;
using cluster::ClusterEvent;
using cluster::EventResource;
using cluster::Symbol;

constexpr std::string_view kWrongZone = "node(s) had no available volume zone";
constexpr std::array kTopologyLabels = {Symbol::BetaZone, Symbol::BetaRegion, Symbol::Zone, Symbol::Region};

// A label that the node must have, and its allowed values.
struct Place {
  Symbol key = Symbol::Empty;
  std::vector<Symbol> values{};
};

struct Places final : StateData {
  std::vector<Place> places{};
  std::unique_ptr<StateData> clone() const override { return std::make_unique<Places>(*this); }
};

Symbol stable_name(Symbol key) {
  if (key == Symbol::BetaZone) return Symbol::Zone;
  return key == Symbol::BetaRegion ? Symbol::Region : key;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// "a__b": either value. A list with an empty element is ignored.
std::optional<std::vector<Symbol>> read_list(std::string_view text, const cluster::SymbolTable& symbols) {
  std::vector<Symbol> values;
  for (;;) {
    const std::size_t end = text.find("__");
    const std::string_view value = trimmed(text.substr(0, end));
    if (value.empty()) return std::nullopt;
    if (const auto known = symbols.find(value)) values.push_back(*known);  // otherwise no node has this value
    if (end == std::string_view::npos) return values;
    text.remove_prefix(end + 2);
  }
}

void add_places(const cluster::Volume& volume, const cluster::Interner& interner, std::vector<Place>& places) {
  for (Symbol key : kTopologyLabels) {
    if (!interner.labels.has(volume.labels, key)) continue;
    const std::string& text = interner.symbols.text(interner.labels.value(volume.labels, key));
    if (auto values = read_list(text, interner.symbols)) places.push_back({key, std::move(*values)});
  }
}

Status refuse(std::string reason) { return {Code::UnschedulableAndUnresolvable, {std::move(reason)}, {}}; }

// Can a claim without a volume wait for the chosen node?
Status may_wait(const PodContext& context, const cluster::Claim& claim) {
  if (claim.storage_class == Symbol::Empty) {
    return refuse("PersistentVolumeClaim had no pv name and storageClass name");
  }
  const std::string& name = context.cluster.text(claim.storage_class);
  const cluster::StorageClass* known = context.cluster.volumes().storage_class(claim.storage_class);
  if (known == nullptr) return refuse(fmt::format("storageclass.storage.k8s.io \"{}\" not found", name));
  if (known->mode == cluster::BindingMode::Unset) {
    return refuse(fmt::format("VolumeBindingMode not set for StorageClass \"{}\"", name));
  }
  if (known->mode == cluster::BindingMode::WaitForFirstConsumer) return {};
  return refuse("PersistentVolume had no name");
}

QueueingHint after_class(const PodContext& /*waiting*/, const ClusterEvent& what) {
  return what.storage.waits_for_consumer ? QueueingHint::Queue : QueueingHint::Skip;
}

QueueingHint after_claim(const PodContext& waiting, const ClusterEvent& what) {
  return uses(waiting, what, Ephemeral::LeftOut) ? QueueingHint::Queue : QueueingHint::Skip;
}

QueueingHint after_volume(const PodContext& /*waiting*/, const ClusterEvent& what) {
  return what.actions.has(ActionType::Add) || what.storage.topology_changed ? QueueingHint::Queue : QueueingHint::Skip;
}

}  // namespace

PreFilterResult VolumeZone::pre_filter(const PodContext& context, CycleState& state) const {
  Places found;
  const cluster::Volumes& volumes = context.cluster.volumes();
  for (const cluster::ClaimUse& use : context.compiled_spec.claims) {
    if (use.ephemeral) continue;
    if (use.name.empty()) return {refuse("PersistentVolumeClaim had no name"), {}};
    const cluster::ClaimPtr claim = volumes.claim(context.ns, use.name);
    if (!claim) return {refuse(claim_not_found(use.name)), {}};
    if (claim->volume.empty()) {
      Status status = may_wait(context, *claim);
      if (!status.ok()) return {std::move(status), {}};
      continue;
    }
    const cluster::VolumePtr volume = volumes.volume(claim->volume);
    if (!volume) return {refuse(fmt::format("persistentvolume \"{}\" not found", claim->volume)), {}};
    add_places(*volume, context.cluster.interner(), found.places);
  }
  if (found.places.empty()) return {{Code::Skip, {}, {}}, {}};
  state.write(slot(), std::move(found));
  return {};
}

Code VolumeZone::filter(const PodContext& /*context*/,
                        const CycleState& state,
                        const cluster::NodeInfo& node,
                        Reasons* why) const {
  const auto* cycle_data = state.find<Places>(slot());
  const cluster::Node& here = *node.node;
  // Nodes of a cluster with one zone need no zone labels.
  const bool in_a_zone = std::ranges::any_of(kTopologyLabels, [&](Symbol key) { return here.has_label(key); });
  if (cycle_data == nullptr || !in_a_zone) return Code::Success;
  for (const Place& place : cycle_data->places) {
    const Symbol key = here.has_label(place.key) ? place.key : stable_name(place.key);
    if (here.has_label(key) && std::ranges::find(place.values, here.label(key)) != place.values.end()) continue;
    if (why != nullptr) why->emplace_back(kWrongZone);
    return Code::UnschedulableAndUnresolvable;
  }
  return Code::Success;
}

std::vector<ClusterEventWithHint> VolumeZone::events_to_register() const {
  return {{EventResource::StorageClass, ActionType::Add, after_class},
          {EventResource::Node, {ActionType::Add, ActionType::NodeLabel}, {}},
          {EventResource::PersistentVolumeClaim, {ActionType::Add, ActionType::Update}, after_claim},
          {EventResource::PersistentVolume, {ActionType::Add, ActionType::Update}, after_volume}};
}

std::unique_ptr<Plugin> make_volume_zone(const PluginArgs* /*args*/) { return std::make_unique<VolumeZone>(); }

}  // namespace rescheduler::placement
