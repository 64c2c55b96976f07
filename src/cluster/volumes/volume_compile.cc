#include "cluster/volumes/volume_compile.h"

#include <algorithm>
#include <array>
#include <functional>

#include "cluster/interner.h"
#include "cluster/volumes/csi_migration.h"
#include "kube/proto/core_storage.pb.h"
#include "kube/proto/storage.pb.h"
#include "kube/value/wire_selectors.h"

namespace rescheduler::cluster {
namespace {

constexpr std::string_view kBetaClass = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kMigratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins";
constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";
constexpr std::string_view kBlock = "Block";

using Annotations = google::protobuf::Map<std::string, std::string>;

const std::string* find(const Annotations& annotations, std::string_view key) {
  const auto found = annotations.find(std::string(key));
  return found == annotations.end() ? nullptr : &found->second;
}

std::optional<kube::Quantity> storage_in(const google::protobuf::Map<std::string, api::Quantity>& amounts) {
  const auto found = amounts.find("storage");
  if (found == amounts.end()) return std::nullopt;
  const auto parsed = kube::Quantity::parse(found->second.string());
  return parsed ? *parsed : kube::Quantity();
}

// The API server has validated the selector. A selector that still cannot be parsed selects nothing rather than
// everything.
kube::LabelSelector selector_of(const api::LabelSelector& wire) {
  auto compiled = kube::compile_selector(wire);
  return compiled ? std::move(*compiled) : kube::LabelSelector::nothing();
}

AccessModes modes_of(const auto& names) {
  AccessModes modes;
  for (const std::string& name : names) modes.add(name);
  return modes;
}

void compile_source(const api::PersistentVolume& object, Volume& volume, Interner& interner) {
  const api::PersistentVolumeSource& source = object.spec().persistent_volume_source();
  if (source.has_csi()) {
    volume.driver = interner.symbols.intern(source.csi().driver());
    volume.handle = source.csi().volume_handle();
    return;
  }
  auto translated = translate(object);
  if (!translated) return;
  VolumeMigration& migration = volume.migration.emplace();
  migration.plugin = interner.symbols.intern(translated->plugin);
  migration.driver = interner.symbols.intern(translated->driver);
  if (!translated->handle) {
    migration.error = std::move(translated->handle.error().message);
    return;
  }
  migration.handle = std::move(*translated->handle);
  api::PersistentVolume moved = object;
  translate_zones(moved, translated->zone_key);
  if (moved.spec().node_affinity().has_required()) {
    migration.reach = compile_reach(moved.spec().node_affinity().required());
  }
}

// For local disks: every term selects by host name.
std::optional<std::vector<Symbol>> hosts_of(const api::NodeSelector& required, Interner& interner) {
  const std::string& key = interner.symbols.text(Symbol::Hostname);
  std::vector<Symbol> hosts;
  for (const auto& term : required.node_selector_terms()) {
    const auto named = std::ranges::find_if(term.match_expressions(), [&](const auto& expression) {
      return expression.key() == key && expression.operator_() == "In";
    });
    if (named == term.match_expressions().end()) return std::nullopt;
    for (const std::string& host : named->values()) hosts.push_back(interner.symbols.intern(host));
  }
  std::ranges::sort(hosts);
  const auto [first, last] = std::ranges::unique(hosts);
  hosts.erase(first, last);
  return hosts;
}

}  // namespace

void AccessModes::add(std::string_view mode) {
  constexpr std::array<std::string_view, 4> kModes = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
                                                      "ReadWriteOncePod"};
  static_assert(kOncePod == 1U << 3U);
  const auto* found = std::ranges::find(kModes, mode);
  if (found != kModes.end()) bits_ = static_cast<std::uint8_t>(bits_ | (1U << (found - kModes.begin())));
}

bool is_prebound_to(const Volume& volume, const Claim& claim) {
  return volume.claim && volume.claim->name == claim.name && volume.claim->ns == claim.ns
         && (volume.claim->uid.empty() || volume.claim->uid == claim.uid);
}

bool CsiNode::migrated(Symbol plugin) const { return std::ranges::binary_search(migrated_plugins, plugin); }

std::optional<std::int32_t> CsiNode::limit(Symbol driver) const {
  const auto found = std::ranges::find(drivers, driver, &Driver::name);
  return found == drivers.end() ? std::nullopt : found->limit;
}

Reach compile_reach(const api::NodeSelector& required) {
  std::vector<kube::NodeSelectorTerm> terms;
  for (const auto& wire : required.node_selector_terms()) {
    if (wire.match_expressions().empty() && !wire.match_fields().empty()) return nullptr;
    api::NodeSelectorTerm on_labels = wire;
    on_labels.clear_match_fields();
    auto term = kube::compile_term(on_labels);
    if (term) terms.push_back(std::move(*term));
  }
  return std::make_shared<const kube::NodeSelector>(std::move(terms));
}

Volume compile_volume(const api::PersistentVolume& object, Interner& interner) {
  const auto& meta = object.metadata();
  const auto& spec = object.spec();
  Volume volume;
  volume.name = meta.name();
  volume.version = meta.resource_version();
  const std::string* beta = find(meta.annotations(), kBetaClass);
  volume.storage_class = interner.symbols.intern(beta != nullptr ? *beta : spec.storage_class_name());
  volume.capacity = storage_in(spec.capacity()).value_or(kube::Quantity());
  if (spec.has_claim_ref()) {
    volume.claim = ClaimRef{spec.claim_ref().namespace_(), spec.claim_ref().name(), spec.claim_ref().uid()};
  }
  volume.bound_by_controller = find(meta.annotations(), kBoundByController) != nullptr;
  volume.available = object.status().phase() == "Available";
  volume.terminating = meta.has_deletion_timestamp();
  volume.block = spec.volume_mode() == kBlock;
  volume.modes = modes_of(spec.access_modes());
  volume.attributes_class = interner.symbols.intern(spec.volume_attributes_class_name());
  volume.labels = interner.labels.intern(meta.labels());
  if (spec.node_affinity().has_required()) {
    volume.reach = compile_reach(spec.node_affinity().required());
    volume.hosts = hosts_of(spec.node_affinity().required(), interner);
    volume.reach_hash = std::hash<std::string>{}(spec.node_affinity().SerializeAsString());
  }
  compile_source(object, volume, interner);
  return volume;
}

Claim compile_claim(const api::PersistentVolumeClaim& object, Interner& interner) {
  const auto& meta = object.metadata();
  const auto& spec = object.spec();
  Claim claim;
  claim.ns = meta.namespace_();
  claim.name = meta.name();
  claim.uid = meta.uid();
  claim.version = meta.resource_version();
  for (const auto& owner : meta.owner_references()) {
    if (owner.controller()) claim.controller_uid = owner.uid();
  }
  const std::string* beta = find(meta.annotations(), kBetaClass);
  claim.storage_class = interner.symbols.intern(beta != nullptr ? *beta : spec.storage_class_name());
  claim.volume = spec.volume_name();
  claim.bind_completed = find(meta.annotations(), kBindCompleted) != nullptr;
  claim.lost = object.status().phase() == "Lost";
  claim.terminating = meta.has_deletion_timestamp();
  if (const std::string* node = find(meta.annotations(), kSelectedNode)) claim.selected_node = *node;
  claim.request = storage_in(spec.resources().requests());
  claim.block = spec.volume_mode() == kBlock;
  claim.modes = modes_of(spec.access_modes());
  claim.attributes_class = interner.symbols.intern(spec.volume_attributes_class_name());
  if (spec.has_selector()) claim.selector = selector_of(spec.selector());
  return claim;
}

StorageClass compile_class(const api::StorageClass& object, Interner& interner) {
  StorageClass compiled;
  compiled.name = interner.symbols.intern(object.metadata().name());
  compiled.provisioner = interner.symbols.intern(object.provisioner());
  compiled.can_provision = !object.provisioner().empty() && object.provisioner() != kNoProvisioner;
  const std::string& maker = object.provisioner();
  compiled.counted_driver =
      is_replaceable(maker) ? interner.symbols.intern(driver_replacing(maker)) : compiled.provisioner;
  if (object.has_volume_binding_mode()) {
    compiled.mode = object.volume_binding_mode() == "WaitForFirstConsumer" ? BindingMode::WaitForFirstConsumer
                                                                           : BindingMode::Immediate;
  }
  for (const auto& wire : object.allowed_topologies()) {
    std::vector<StorageClass::Key>& term = compiled.allowed_topologies.emplace_back();
    for (const auto& expression : wire.match_label_expressions()) {
      StorageClass::Key& key = term.emplace_back();
      key.key = interner.symbols.intern(expression.key());
      for (const std::string& value : expression.values()) key.values.push_back(interner.symbols.intern(value));
    }
  }
  return compiled;
}

CsiNode compile_csi_node(const api::CSINode& object, Interner& interner) {
  CsiNode node;
  for (const auto& wire : object.spec().drivers()) {
    CsiNode::Driver& driver = node.drivers.emplace_back();
    driver.name = interner.symbols.intern(wire.name());
    if (wire.allocatable().has_count()) driver.limit = wire.allocatable().count();
  }
  if (const std::string* plugins = find(object.metadata().annotations(), kMigratedPlugins)) {
    node.migrated_text = *plugins;
    std::string_view rest = node.migrated_text;
    while (!rest.empty()) {
      const std::size_t end = rest.find(',');
      node.migrated_plugins.push_back(interner.symbols.intern(rest.substr(0, end)));
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    std::ranges::sort(node.migrated_plugins);
  }
  return node;
}

StorageCapacity compile_capacity(const api::CSIStorageCapacity& object, Interner& interner) {
  StorageCapacity capacity;
  capacity.storage_class = interner.symbols.intern(object.storage_class_name());
  if (object.has_maximum_volume_size() || object.has_capacity()) {
    const auto parsed = kube::Quantity::parse(object.has_maximum_volume_size() ? object.maximum_volume_size().string()
                                                                               : object.capacity().string());
    if (parsed) capacity.largest = parsed->value();
  }
  if (object.has_node_topology()) capacity.reachable_from = selector_of(object.node_topology());
  return capacity;
}

Attachment compile_attachment(const api::VolumeAttachment& object, Interner& interner) {
  Attachment attachment;
  attachment.node = object.spec().node_name();
  attachment.driver = interner.symbols.intern(object.spec().attacher());
  attachment.volume = object.spec().source().persistent_volume_name();
  return attachment;
}

}  // namespace rescheduler::cluster
