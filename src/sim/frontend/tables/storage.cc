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

boost::json::array csi_driver_cells(const Field& object, WallTime now) {
  const Field spec = object["spec"];
  std::string audiences;
  for (const boost::json::value& request : spec["tokenRequests"].items()) {
    if (!audiences.empty()) audiences += ',';
    audiences += Field(&request)["audience"].text();
  }
  std::string modes;
  for (const boost::json::value& mode : spec["volumeLifecycleModes"].items()) {
    if (!modes.empty()) modes += ',';
    modes += Field(&mode).text();
  }
  return {name_of(object),
          !spec["attachRequired"].present() || spec["attachRequired"].flag(),
          spec["podInfoOnMount"].flag(),
          spec["storageCapacity"].flag(),
          spec["tokenRequests"].size() > 0 ? audiences : "<unset>",
          spec["requiresRepublish"].flag(),
          modes.empty() ? "<none>" : modes,
          age_of(object, now)};
}

boost::json::array attachment_cells(const Field& object, WallTime now) {
  const Field spec = object["spec"];
  return {name_of(object),
          spec["attacher"].text(),
          spec["source"]["persistentVolumeName"].text(),
          spec["nodeName"].text(),
          object["status"]["attached"].flag(),
          age_of(object, now)};
}

Column flag_column(std::string name, std::string description) {
  return {.name = std::move(name), .type = "boolean", .description = std::move(description)};
}

const std::vector<NamedPrinter>& printers() {
  static const std::vector<NamedPrinter> kPrinters{
      {"",
       "PersistentVolume",
       {{name_column(), text_column("Capacity", "Its size."), text_column("Access Modes", "How it can be mounted."),
         text_column("Reclaim Policy", "What becomes of it when its claim goes."),
         text_column("Status", "Whether it is bound."), text_column("Claim", "What it is bound to."),
         text_column("StorageClass", "Its class."), text_column("VolumeAttributesClass", "Its attributes' class."),
         text_column("Reason", "Why it failed."), age_column(), wide_column("VolumeMode", "Files or blocks.")},
        volume_cells}},
      {"",
       "PersistentVolumeClaim",
       {{name_column(), text_column("Status", "Whether it is bound."), text_column("Volume", "What it is bound to."),
         text_column("Capacity", "Its size."), text_column("Access Modes", "How it can be mounted."),
         text_column("StorageClass", "Its class."), text_column("VolumeAttributesClass", "Its attributes' class."),
         age_column(), wide_column("VolumeMode", "Files or blocks.")},
        claim_cells}},
      {"storage.k8s.io",
       "StorageClass",
       {{name_column(), text_column("Provisioner", "Who makes its volumes."),
         text_column("ReclaimPolicy", "What becomes of volumes when their claims go."),
         text_column("VolumeBindingMode", "When volumes are bound."),
         text_column("AllowVolumeExpansion", "Whether claims may grow."), age_column()},
        class_cells}},
      {"storage.k8s.io",
       "CSINode",
       {{name_column(), integer_column("Drivers", "Drivers on the node."), age_column()}, csi_node_cells}},
      {"storage.k8s.io",
       "CSIDriver",
       {{name_column(), flag_column("AttachRequired", "Whether volumes are attached first."),
         flag_column("PodInfoOnMount", "Whether it is told of the pod."),
         flag_column("StorageCapacity", "Whether it reports capacity."),
         text_column("TokenRequests", "Audiences of the tokens it gets."),
         flag_column("RequiresRepublish", "Whether it is called again and again."),
         text_column("Modes", "Volume lifecycles it supports."), age_column()},
        csi_driver_cells}},
      {"storage.k8s.io",
       "VolumeAttachment",
       {{name_column(),
         {.name = "Attacher", .format = "name", .description = "Who attaches it."},
         text_column("PV", "What is attached."),
         text_column("Node", "Where to."),
         flag_column("Attached", "Whether it is."),
         age_column()},
        attachment_cells}}};
  return kPrinters;
}

}  // namespace

const Printer* storage_printer(std::string_view group, std::string_view kind) {
  return find_printer(printers(), group, kind);
}

}  // namespace rescheduler::sim
