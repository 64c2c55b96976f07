// Storage objects as the API sends them, for tests.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "cluster/volumes/volume_records.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/core_storage.pb.h"
#include "kube/proto/storage.pb.h"

namespace rescheduler::cluster::testing {

using Pairs = std::initializer_list<std::pair<std::string, std::string>>;

inline void put(Pairs pairs, google::protobuf::Map<std::string, std::string>& map) {
  for (const auto& [key, value] : pairs) map[key] = value;
}

inline void require(api::NodeSelector& selector, const std::string& key, std::initializer_list<std::string> values) {
  auto& expression = *selector.add_node_selector_terms()->add_match_expressions();
  expression.set_key(key);
  expression.set_operator_("In");
  for (const std::string& value : values) expression.add_values(value);
}

// An object under construction. Converts to the finished object.
template <class T>
struct Built {
  T wire{};
  operator const T&() const { return wire; }  // NOLINT(google-explicit-constructor)
  auto* mutable_metadata() { return wire.mutable_metadata(); }
  auto* mutable_spec() { return wire.mutable_spec(); }
  auto* mutable_status() { return wire.mutable_status(); }
};

struct VolumeObject : Built<api::PersistentVolume> {
  explicit VolumeObject(const std::string& name, const std::string& size = "10Gi") {
    mutable_metadata()->set_name(name);
    mutable_metadata()->set_resource_version("100");
    (*mutable_spec()->mutable_capacity())["storage"].set_string(size);
    mutable_spec()->add_access_modes("ReadWriteOnce");
    mutable_spec()->set_storage_class_name("wait");
    mutable_status()->set_phase("Available");
  }
  VolumeObject& version(const std::string& text) { return mutable_metadata()->set_resource_version(text), *this; }
  VolumeObject& of_class(const std::string& name) { return mutable_spec()->set_storage_class_name(name), *this; }
  VolumeObject& labels(Pairs pairs) { return put(pairs, *mutable_metadata()->mutable_labels()), *this; }
  VolumeObject& phase(const std::string& text) { return mutable_status()->set_phase(text), *this; }
  VolumeObject& modes(std::initializer_list<std::string> names) {
    mutable_spec()->clear_access_modes();
    for (const std::string& name : names) mutable_spec()->add_access_modes(name);
    return *this;
  }
  VolumeObject& block() { return mutable_spec()->set_volume_mode("Block"), *this; }
  VolumeObject& terminating() { return mutable_metadata()->mutable_deletion_timestamp()->set_seconds(1), *this; }
  VolumeObject& only_on(const std::string& key, std::initializer_list<std::string> values) {
    require(*mutable_spec()->mutable_node_affinity()->mutable_required(), key, values);
    return *this;
  }
  VolumeObject& prebound(const std::string& ns, const std::string& name, const std::string& uid = "") {
    auto& reference = *mutable_spec()->mutable_claim_ref();
    reference.set_namespace_(ns);
    reference.set_name(name);
    if (!uid.empty()) reference.set_uid(uid);
    return *this;
  }
  VolumeObject& csi(const std::string& driver, const std::string& handle) {
    auto& source = *mutable_spec()->mutable_persistent_volume_source()->mutable_csi();
    source.set_driver(driver);
    source.set_volume_handle(handle);
    return *this;
  }
  VolumeObject& ebs(const std::string& id) {
    auto& source = *mutable_spec()->mutable_persistent_volume_source();
    return source.mutable_aws_elastic_block_store()->set_volume_id(id), *this;
  }
};

struct ClaimObject : Built<api::PersistentVolumeClaim> {
  explicit ClaimObject(const std::string& name, const std::string& size = "5Gi") {
    mutable_metadata()->set_namespace_("shop");
    mutable_metadata()->set_name(name);
    mutable_metadata()->set_uid("uid-" + name);
    mutable_metadata()->set_resource_version("100");
    mutable_spec()->add_access_modes("ReadWriteOnce");
    mutable_spec()->set_storage_class_name("wait");
    (*mutable_spec()->mutable_resources()->mutable_requests())["storage"].set_string(size);
    mutable_status()->set_phase("Pending");
  }
  ClaimObject& in(const std::string& ns) { return mutable_metadata()->set_namespace_(ns), *this; }
  ClaimObject& version(const std::string& text) { return mutable_metadata()->set_resource_version(text), *this; }
  ClaimObject& of_class(const std::string& name) { return mutable_spec()->set_storage_class_name(name), *this; }
  ClaimObject& no_class() { return mutable_spec()->clear_storage_class_name(), *this; }
  ClaimObject& annotate(Pairs pairs) { return put(pairs, *mutable_metadata()->mutable_annotations()), *this; }
  ClaimObject& bound_to(const std::string& volume) {
    mutable_spec()->set_volume_name(volume);
    mutable_status()->set_phase("Bound");
    return annotate({{std::string(kBindCompleted), "yes"}});
  }
  ClaimObject& placed_on(const std::string& node) { return annotate({{std::string(kSelectedNode), node}}); }
  ClaimObject& phase(const std::string& text) { return mutable_status()->set_phase(text), *this; }
  ClaimObject& terminating() { return mutable_metadata()->mutable_deletion_timestamp()->set_seconds(1), *this; }
  ClaimObject& owned_by(const std::string& uid) {
    auto& owner = *mutable_metadata()->add_owner_references();
    owner.set_uid(uid);
    owner.set_controller(true);
    return *this;
  }
  ClaimObject& modes(std::initializer_list<std::string> names) {
    mutable_spec()->clear_access_modes();
    for (const std::string& name : names) mutable_spec()->add_access_modes(name);
    return *this;
  }
  ClaimObject& block() { return mutable_spec()->set_volume_mode("Block"), *this; }
  ClaimObject& select(Pairs pairs) {
    return put(pairs, *mutable_spec()->mutable_selector()->mutable_match_labels()), *this;
  }
};

struct ClassObject : Built<api::StorageClass> {
  explicit ClassObject(const std::string& name, const std::string& provisioner = "disks.example.com") {
    mutable_metadata()->set_name(name);
    wire.set_provisioner(provisioner);
    wire.set_volume_binding_mode("WaitForFirstConsumer");
  }
  ClassObject& immediate() { return wire.set_volume_binding_mode("Immediate"), *this; }
  ClassObject& no_mode() { return wire.clear_volume_binding_mode(), *this; }
  ClassObject& allow(const std::string& key, std::initializer_list<std::string> values) {
    auto& expression = *wire.add_allowed_topologies()->add_match_label_expressions();
    expression.set_key(key);
    for (const std::string& value : values) expression.add_values(value);
    return *this;
  }
};

struct CsiNodeObject : Built<api::CSINode> {
  explicit CsiNodeObject(const std::string& name) { mutable_metadata()->set_name(name); }
  CsiNodeObject& driver(const std::string& name) { return mutable_spec()->add_drivers()->set_name(name), *this; }
  CsiNodeObject& driver(const std::string& name, int limit) {
    auto& added = *mutable_spec()->add_drivers();
    added.set_name(name);
    added.mutable_allocatable()->set_count(limit);
    return *this;
  }
  CsiNodeObject& migrated(const std::string& plugins) {
    (*mutable_metadata()->mutable_annotations())["storage.alpha.kubernetes.io/migrated-plugins"] = plugins;
    return *this;
  }
};

struct DriverObject : Built<api::CSIDriver> {
  DriverObject(const std::string& name, bool tracks_capacity) {
    mutable_metadata()->set_name(name);
    mutable_spec()->set_storage_capacity(tracks_capacity);
  }
};

struct CapacityObject : Built<api::CSIStorageCapacity> {
  CapacityObject(const std::string& name, const std::string& of_class) {
    mutable_metadata()->set_namespace_("storage-system");
    mutable_metadata()->set_name(name);
    wire.set_storage_class_name(of_class);
  }
  CapacityObject& left(const std::string& size) { return wire.mutable_capacity()->set_string(size), *this; }
  CapacityObject& largest(const std::string& size) {
    return wire.mutable_maximum_volume_size()->set_string(size), *this;
  }
  CapacityObject& reachable_from(Pairs labels) {
    return put(labels, *wire.mutable_node_topology()->mutable_match_labels()), *this;
  }
};

struct AttachmentObject : Built<api::VolumeAttachment> {
  AttachmentObject(const std::string& name,
                   const std::string& driver,
                   const std::string& volume,
                   const std::string& node) {
    mutable_metadata()->set_name(name);
    mutable_spec()->set_attacher(driver);
    mutable_spec()->mutable_source()->set_persistent_volume_name(volume);
    mutable_spec()->set_node_name(node);
  }
};

struct PodObject : Built<api::Pod> {
  explicit PodObject(const std::string& name, const std::string& ns = "shop") {
    mutable_metadata()->set_name(name);
    mutable_metadata()->set_namespace_(ns);
    mutable_metadata()->set_uid("uid-" + name);
  }
  api::VolumeSource& volume(const std::string& name) {
    auto& added = *mutable_spec()->add_volumes();
    added.set_name(name);
    return *added.mutable_volume_source();
  }
  PodObject& claim(const std::string& name) {
    return volume("v-" + name).mutable_persistent_volume_claim()->set_claim_name(name), *this;
  }
  PodObject& ephemeral(const std::string& name) { return volume(name).mutable_ephemeral(), *this; }
  PodObject& on(const std::string& node) { return mutable_spec()->set_node_name(node), *this; }
  PodObject& ebs(const std::string& id) {
    return volume("ebs").mutable_aws_elastic_block_store()->set_volume_id(id), *this;
  }
  PodObject& gce(const std::string& disk, bool read_only = false) {
    auto& source = *volume("gce").mutable_gce_persistent_disk();
    source.set_pd_name(disk);
    source.set_read_only(read_only);
    return *this;
  }
  PodObject& iscsi(const std::string& iqn, bool read_only = false) {
    auto& source = *volume("iscsi").mutable_iscsi();
    source.set_iqn(iqn);
    source.set_read_only(read_only);
    return *this;
  }
  PodObject& rbd(std::initializer_list<std::string> monitors,
                 const std::string& pool,
                 const std::string& image,
                 bool read_only = false) {
    auto& source = *volume("rbd").mutable_rbd();
    for (const std::string& monitor : monitors) source.add_monitors(monitor);
    source.set_pool(pool);
    source.set_image(image);
    source.set_read_only(read_only);
    return *this;
  }
};

}  // namespace rescheduler::cluster::testing
