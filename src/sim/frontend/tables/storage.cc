#include <string>

#include "sim/frontend/tables/printer.h"

namespace rescheduler::sim {
namespace {

std::string access_modes(const Field& modes) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}};
  std::string text;
  for (const auto& [mode, letters] : kShort) {
    for (const boost::json::value& item : modes.items()) {
      if (Field(&item).text() != mode) continue;
      if (!text.empty()) text += ',';
      text += letters;
      break;
    }
  }
  return text;
}

std::string_view phase_of(const Field& object) {
  return object["metadata"]["deletionTimestamp"].present() ? "Terminating" : object["status"]["phase"].text();
}

// The annotation is older than the field and has precedence.
std::string_view storage_class(const Field& object) {
  return object["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"].text(
      object["spec"]["storageClassName"].text());
}

boost::json::array volume_cells(const Field& object, WallTime now) {
  const Field spec = object["spec"];
  const Field claim = spec["claimRef"];
  std::string claimed_by;
  if (claim.present()) claimed_by = std::string(claim["namespace"].text()) + "/" + std::string(claim["name"].text());
  return {name_of(object),
          spec["capacity"]["storage"].printed("0"),
          access_modes(spec["accessModes"]),
          spec["persistentVolumeReclaimPolicy"].text(),
          phase_of(object),
          claimed_by,
          storage_class(object),
          spec["volumeAttributesClassName"].text("<unset>"),
          object["status"]["reason"].text(),
          age_of(object, now),
          spec["volumeMode"].text("<unset>")};
}

boost::json::array claim_cells(const Field& object, WallTime now) {
  const Field spec = object["spec"];
  const Field status = object["status"];
  const std::string_view volume = spec["volumeName"].text();
  return {name_of(object),
          phase_of(object),
          volume,
          volume.empty() ? std::string() : status["capacity"]["storage"].printed("0"),
          volume.empty() ? std::string() : access_modes(status["accessModes"]),
          storage_class(object),
          spec["volumeAttributesClassName"].text("<unset>"),
          age_of(object, now),
          spec["volumeMode"].text("<unset>")};
}

boost::json::array class_cells(const Field& object, WallTime now) {
  std::string name = name_of(object);
  const Field annotations = object["metadata"]["annotations"];
  for (const std::string_view annotation :
       {"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"}) {
    if (annotations[annotation].text() != "true") continue;
    name += " (default)";
    break;
  }
  return {name,
          object["provisioner"].text(),
          object["reclaimPolicy"].text("Delete"),
          object["volumeBindingMode"].text("Immediate"),
          object["allowVolumeExpansion"].flag(),
          age_of(object, now)};
}

boost::json::array csi_node_cells(const Field& object, WallTime now) {
  return {name_of(object), object["spec"]["drivers"].size(), age_of(object, now)};
}

const std::vector<NamedPrinter>& printers() {
  static const std::vector<NamedPrinter> kPrinters{
      {"",
       "PersistentVolume",
       {{name_column(), text_column("Capacity"), text_column("Access Modes"), text_column("Reclaim Policy"),
         text_column("Status"), text_column("Claim"), text_column("StorageClass"), text_column("VolumeAttributesClass"),
         text_column("Reason"), age_column(), wide_column("VolumeMode")},
        volume_cells}},
      {"",
       "PersistentVolumeClaim",
       {{name_column(), text_column("Status"), text_column("Volume"), text_column("Capacity"),
         text_column("Access Modes"), text_column("StorageClass"), text_column("VolumeAttributesClass"), age_column(),
         wide_column("VolumeMode")},
        claim_cells}},
      {"storage.k8s.io",
       "StorageClass",
       {{name_column(), text_column("Provisioner"), text_column("ReclaimPolicy"), text_column("VolumeBindingMode"),
         text_column("AllowVolumeExpansion"), age_column()},
        class_cells}},
      {"storage.k8s.io", "CSINode", {{name_column(), integer_column("Drivers"), age_column()}, csi_node_cells}}};
  return kPrinters;
}

}  // namespace

const Printer* storage_printer(std::string_view group, std::string_view kind) {
  return find_printer(printers(), group, kind);
}

}  // namespace rescheduler::sim
