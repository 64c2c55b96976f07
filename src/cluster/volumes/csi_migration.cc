#include "cluster/volumes/csi_migration.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "kube/proto/core_storage.pb.h"
#include "kube/value/quote.h"

namespace rescheduler::cluster {
namespace {

struct Replacement {
  std::string_view plugin, driver, zone_key;
};

constexpr Replacement kAwsEbs{"kubernetes.io/aws-ebs", "ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone"};
constexpr Replacement kGcePd{"kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone"};
constexpr Replacement kAzureDisk{"kubernetes.io/azure-disk", "disk.csi.azure.com", ""};  // zone labels are not changed
constexpr Replacement kCinder{"kubernetes.io/cinder", "cinder.csi.openstack.org",
                              "topology.cinder.csi.openstack.org/zone"};
constexpr Replacement kPortworx{"kubernetes.io/portworx-volume", "pxd.portworx.com", ""};
constexpr std::array kReplacements = {kAwsEbs, kGcePd, kAzureDisk, kCinder, kPortworx};

constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kRegion = "topology.kubernetes.io/region";
constexpr std::string_view kBetaZone = "failure-domain.beta.kubernetes.io/zone";
constexpr std::string_view kBetaRegion = "failure-domain.beta.kubernetes.io/region";
constexpr std::string_view kUnspecified = "UNSPECIFIED";

std::vector<std::string> split_zones(std::string_view text) {
  std::vector<std::string> zones;
  for (;;) {
    const std::size_t end = text.find("__");
    zones.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return zones;
    text.remove_prefix(end + 2);
  }
}

// A volume id, either plain or as aws://<zone>/<id>.
Result<std::string> ebs_handle(const std::string& id) {
  constexpr std::string_view kScheme = "aws://";
  if (!id.starts_with(kScheme)) return id;
  std::string_view rest = std::string_view(id).substr(kScheme.size());
  const std::size_t slash = rest.find('/');
  rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash);
  while (rest.starts_with('/')) rest.remove_prefix(1);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  if (!rest.starts_with("vol-") || rest.find('/') != std::string_view::npos) {
    return fail(Errc::Invalid, "{} is not the id of an EBS volume", kube::quoted(id));
  }
  return std::string(rest);
}

// Zone names are <locale>-<region>-<zone>. All zones of a regional disk are in one region.
Result<std::string> gce_region(const std::vector<std::string>& zones) {
  std::set<std::string> regions;
  for (const std::string& zone : zones) {
    const std::size_t last = zone.rfind('-');
    if (std::ranges::count(zone, '-') != 2) {
      return fail(Errc::Invalid, "{} is not the name of a GCE zone", kube::quoted(zone));
    }
    regions.insert(zone.substr(0, last));
  }
  if (regions.size() != 1) return fail(Errc::Invalid, "the zones of a GCE disk are in {} regions", regions.size());
  return *regions.begin();
}

std::string gce_zonal(std::string_view zone, std::string_view disk) {
  return fmt::format("projects/{}/zones/{}/disks/{}", kUnspecified, zone, disk);
}

std::string label_of(const api::PersistentVolume& volume, std::string_view key) {
  const auto& labels = volume.metadata().labels();
  const auto found = labels.find(std::string(key));
  return found == labels.end() ? std::string() : found->second;
}

Result<std::string> gce_handle(const api::PersistentVolume& volume, const std::string& disk) {
  std::string label = label_of(volume, kBetaZone);
  if (label.empty()) label = label_of(volume, kZone);
  const std::vector<std::string> zones = split_zones(label);
  if (zones.size() == 1) return gce_zonal(label.empty() ? kUnspecified : std::string_view(label), disk);
  auto region = gce_region(zones);
  if (!region) return fail(std::move(region.error()));
  return fmt::format("projects/{}/regions/{}/disks/{}", kUnspecified, *region, disk);
}

Result<std::string> azure_handle(const api::AzureDiskVolumeSource& disk) {
  std::string kind = disk.kind();
  std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (disk.has_kind() && kind != "managed") {
    return fail(Errc::Invalid, "an Azure disk of kind {} cannot be served by a CSI driver", kube::quoted(disk.kind()));
  }
  return disk.disk_uri();
}

Translated translated(const Replacement& by, Result<std::string> handle) {
  return {by.plugin, by.driver, by.zone_key, std::move(handle)};
}

bool selects_by(const api::NodeSelector& selector, std::string_view key) {
  for (const auto& term : selector.node_selector_terms()) {
    for (const auto& expression : term.match_expressions()) {
      if (expression.key() == key) return true;
    }
  }
  return false;
}

bool has_values_for(const api::NodeSelector& selector, std::string_view key) {
  for (const auto& term : selector.node_selector_terms()) {
    for (const auto& expression : term.match_expressions()) {
      if (expression.key() == key && expression.values_size() > 0) return true;
    }
  }
  return false;
}

void rename_key(api::NodeSelector& selector, std::string_view from, std::string_view to) {
  for (auto& term : *selector.mutable_node_selector_terms()) {
    for (auto& expression : *term.mutable_match_expressions()) {
      if (expression.key() == from) expression.set_key(std::string(to));
    }
  }
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

void add_zones(api::NodeSelector& selector, std::string_view key, std::string_view label) {
  std::set<std::string> zones;
  for (const std::string& zone : split_zones(label)) {
    if (!trimmed(zone).empty()) zones.emplace(trimmed(zone));
  }
  if (zones.empty()) return;
  if (selector.node_selector_terms_size() == 0) selector.add_node_selector_terms();
  for (auto& term : *selector.mutable_node_selector_terms()) {
    auto& expression = *term.add_match_expressions();
    expression.set_key(std::string(key));
    expression.set_operator_("In");
    for (const std::string& zone : zones) expression.add_values(zone);
  }
}

// True if the volume has the beta zone label and not the stable one. The node affinity decides. If the affinity names
// no zone, the labels of the volume decide.
bool uses_beta_labels(const api::PersistentVolume& volume) {
  const api::NodeSelector& selector = volume.spec().node_affinity().required();
  if (selects_by(selector, kZone)) return false;
  if (selects_by(selector, kBetaZone)) return true;
  const auto& labels = volume.metadata().labels();
  return !labels.contains(std::string(kZone)) && labels.contains(std::string(kBetaZone));
}

}  // namespace

std::string_view driver_replacing(std::string_view plugin) {
  const auto* found = std::ranges::find(kReplacements, plugin, &Replacement::plugin);
  return found == kReplacements.end() ? std::string_view() : found->driver;
}

bool is_replaceable(std::string_view plugin) {
  // Drivers exist for these two plugins as well, but kube-scheduler never counts their volumes for the driver.
  return plugin == "kubernetes.io/azure-file" || plugin == "kubernetes.io/vsphere-volume"
         || !driver_replacing(plugin).empty();
}

std::optional<Translated> translate(const api::PersistentVolume& volume) {
  const api::PersistentVolumeSource& source = volume.spec().persistent_volume_source();
  if (source.has_aws_elastic_block_store()) {
    return translated(kAwsEbs, ebs_handle(source.aws_elastic_block_store().volume_id()));
  }
  if (source.has_gce_persistent_disk()) {
    return translated(kGcePd, gce_handle(volume, source.gce_persistent_disk().pd_name()));
  }
  if (source.has_azure_disk()) return translated(kAzureDisk, azure_handle(source.azure_disk()));
  if (source.has_cinder()) return translated(kCinder, source.cinder().volume_id());
  if (source.has_portworx_volume()) return translated(kPortworx, source.portworx_volume().volume_id());
  return std::nullopt;
}

std::optional<Translated> translate(const api::VolumeSource& inline_volume) {
  if (inline_volume.has_aws_elastic_block_store()) {
    return translated(kAwsEbs, ebs_handle(inline_volume.aws_elastic_block_store().volume_id()));
  }
  if (inline_volume.has_gce_persistent_disk()) {
    return translated(kGcePd, gce_zonal(kUnspecified, inline_volume.gce_persistent_disk().pd_name()));
  }
  if (inline_volume.has_azure_disk()) return translated(kAzureDisk, azure_handle(inline_volume.azure_disk()));
  if (inline_volume.has_cinder()) return translated(kCinder, inline_volume.cinder().volume_id());
  if (inline_volume.has_portworx_volume()) {
    return translated(kPortworx, inline_volume.portworx_volume().volume_id());
  }
  return std::nullopt;
}

void translate_zones(api::PersistentVolume& volume, std::string_view zone_key) {
  if (zone_key.empty()) return;
  const bool beta = uses_beta_labels(volume);
  const std::string_view zone = beta ? kBetaZone : kZone;
  const api::NodeSelector before = volume.spec().node_affinity().required();
  if (has_values_for(before, zone)) {
    rename_key(*volume.mutable_spec()->mutable_node_affinity()->mutable_required(), zone, zone_key);
  } else if (const std::string label = label_of(volume, zone); !trimmed(label).empty()) {
    add_zones(*volume.mutable_spec()->mutable_node_affinity()->mutable_required(), zone_key, label);
  }
  if (beta && has_values_for(before, kBetaRegion)) {
    rename_key(*volume.mutable_spec()->mutable_node_affinity()->mutable_required(), kBetaRegion, kRegion);
  }
}

}  // namespace rescheduler::cluster
