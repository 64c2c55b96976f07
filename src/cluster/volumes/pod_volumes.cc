#include "cluster/volumes/pod_volumes.h"

#include <algorithm>

#include "cluster/interner.h"
#include "cluster/volumes/csi_migration.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cluster {
namespace {

void add_disk(const api::VolumeSource& source, PodVolumes& volumes, Interner& interner) {
  using Kind = InlineDisk::Kind;
  if (source.has_gce_persistent_disk()) {
    const auto& disk = source.gce_persistent_disk();
    volumes.disks.push_back({Kind::GcePersistentDisk, disk.read_only(), interner.symbols.intern(disk.pd_name()), {}});
  }
  if (source.has_aws_elastic_block_store()) {
    const auto& disk = source.aws_elastic_block_store();
    volumes.disks.push_back(
        {Kind::AwsElasticBlockStore, disk.read_only(), interner.symbols.intern(disk.volume_id()), {}});
  }
  if (source.has_iscsi()) {
    const auto& disk = source.iscsi();
    volumes.disks.push_back({Kind::Iscsi, disk.read_only(), interner.symbols.intern(disk.iqn()), {}});
  }
  if (source.has_rbd()) {
    const auto& disk = source.rbd();
    InlineDisk rbd{Kind::Rbd, disk.read_only(), interner.symbols.intern(disk.pool() + "/" + disk.image()), {}};
    for (const std::string& monitor : disk.monitors()) rbd.monitors.push_back(interner.symbols.intern(monitor));
    std::ranges::sort(rbd.monitors);
    volumes.disks.push_back(std::move(rbd));
  }
}

void append(std::uint32_t number, std::string& key) {
  for (unsigned shift = 0; shift < 32; shift += 8) key.push_back(static_cast<char>((number >> shift) & 0xFFU));
}
void append(Symbol symbol, std::string& key) { append(static_cast<std::uint32_t>(symbol), key); }
void append_size(std::size_t size, std::string& key) { append(static_cast<std::uint32_t>(size), key); }

}  // namespace

PodVolumes volumes_of(const api::Pod& pod, Interner& interner) {
  PodVolumes volumes;
  for (const auto& volume : pod.spec().volumes()) {
    const api::VolumeSource& source = volume.volume_source();
    if (source.has_persistent_volume_claim()) {
      volumes.claims.push_back({source.persistent_volume_claim().claim_name(), false});
      continue;
    }
    if (source.has_ephemeral()) {
      volumes.claims.push_back({volume.name(), true});
      continue;
    }
    volumes.has_inline_csi = volumes.has_inline_csi || source.has_csi();
    add_disk(source, volumes, interner);
    if (auto moved = translate(source)) {
      volumes.migrated.push_back({interner.symbols.intern(moved->driver),
                                  moved->handle ? interner.symbols.intern(*moved->handle) : Symbol::Empty});
    }
  }
  return volumes;
}

void append_key(const PodVolumes& volumes, std::string& key) {
  append_size(volumes.claims.size(), key);
  for (const ClaimUse& claim : volumes.claims) {
    key.push_back(claim.ephemeral ? 'e' : 'c');
    append_size(claim.name.size(), key);
    key += claim.name;
  }
  append_size(volumes.disks.size(), key);
  for (const InlineDisk& disk : volumes.disks) {
    key.push_back(static_cast<char>(disk.kind));
    key.push_back(disk.read_only ? 'r' : 'w');
    append(disk.id, key);
    append_size(disk.monitors.size(), key);
    for (Symbol monitor : disk.monitors) append(monitor, key);
  }
  append_size(volumes.migrated.size(), key);
  for (const MigratedVolume& moved : volumes.migrated) {
    append(moved.driver, key);
    append(moved.handle, key);
  }
  key.push_back(volumes.has_inline_csi ? '1' : '0');
}

}  // namespace rescheduler::cluster
