// Deletes an object at once, after its grace period, or after its last finalizer is removed.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include "kube/codec/metadata.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/meta.pb.h"
#include "sim/server/removal.h"
#include "sim/server/server.h"

namespace rescheduler::sim {
namespace {

ApiResult<void> meets(const api::Preconditions& wanted, const Kind& kind, const api::ObjectMeta& metadata) {
  if (wanted.has_uid() && wanted.uid() != metadata.uid()) {
    return refuse(conflict(kind, metadata.name(),
                           fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}",
                                       wanted.uid(), metadata.uid())));
  }
  if (wanted.has_resource_version() && wanted.resource_version() != metadata.resource_version()) {
    return refuse(conflict(
        kind, metadata.name(),
        fmt::format("Precondition failed: ResourceVersion in precondition: {}, ResourceVersion in object meta: {}",
                    wanted.resource_version(), metadata.resource_version())));
  }
  return {};
}

ApiResult<void> check_options(const api::DeleteOptions& options) {
  constexpr std::array<std::string_view, 4> kKnown{"", "Foreground", "Background", "Orphan"};
  if (std::ranges::find(kKnown, options.propagation_policy()) == kKnown.end()) {
    return refuse(
        StatusError{422, "Invalid",
                    fmt::format("DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: "
                                "\"{}\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"",
                                options.propagation_policy())});
  }
  return {};
}

// Sets the deletion timestamp, grace period and finalizer. True if the object changed.
bool mark(Message& object, const Kind& kind, const api::DeleteOptions& options, std::int64_t grace, WallTime now) {
  auto& metadata = kube::mutable_metadata_of(object);
  bool changed = false;
  const auto finalizer = propagation_finalizer(options);
  if (finalizer && std::ranges::find(metadata.finalizers(), *finalizer) == metadata.finalizers().end()) {
    metadata.add_finalizers(*finalizer);
    changed = true;
  }
  const bool first = !metadata.has_deletion_timestamp();
  if (first || grace < metadata.deletion_grace_period_seconds()) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    metadata.mutable_deletion_timestamp()->set_seconds(seconds + grace);
    metadata.set_deletion_grace_period_seconds(grace);
    if (first && metadata.generation() > 0) metadata.set_generation(metadata.generation() + 1);
    changed = true;
  }
  if (first && kind.type == &kube::resource_of<api::Namespace>()) {
    static_cast<api::Namespace&>(object).mutable_status()->set_phase("Terminating");
  }
  return changed;
}

}  // namespace

ApiResult<Removed> Server::remove(const Kind& kind,
                                  std::string_view ns,
                                  std::string_view name,
                                  const api::DeleteOptions& options,
                                  bool dry_run) {
  if (auto fine = check_options(options); !fine) return refuse(std::move(fine.error()));
  dry_run = dry_run || is_dry_run(options);
  const VersionPtr current = store_.find(kind, ns, name);
  if (!current) return refuse(not_found(kind, name));
  const ObjectPtr before = current->object();
  if (auto met = meets(options.preconditions(), kind, kube::metadata_of(*before)); !met) {
    return refuse(std::move(met.error()));
  }
  const std::int64_t grace = grace_period(kind, *before, options);
  MessagePtr object(before->New());
  object->CopyFrom(*before);
  const bool changed = mark(*object, kind, options, grace, agenda_.wall_now());
  // A terminating pod is removed at once only with grace period 0.
  const bool at_once = grace == 0 && !has_finalizers(kind, *object);
  if (dry_run) return Removed{ObjectPtr(std::move(object)), at_once};
  if (at_once) {
    store_.erase(kind, ns, name);
    return Removed{before, true};
  }
  if (!changed) return Removed{before, false};
  return Removed{store_.put(kind, std::move(object), current->managed_fields())->object(), false};
}

ApiResult<std::vector<ObjectPtr>> Server::remove_collection(const Kind& kind,
                                                            const ListQuery& query,
                                                            const api::DeleteOptions& options,
                                                            bool dry_run) {
  const auto listing = list(kind, query);
  if (!listing) return refuse(listing.error());
  std::vector<ObjectPtr> removed;
  for (const VersionPtr& version : listing->items) {
    const ObjectPtr object = version->object();
    const auto& metadata = kube::metadata_of(*object);
    auto one = remove(kind, metadata.namespace_(), metadata.name(), options, dry_run);
    if (!one) return refuse(std::move(one.error()));
    removed.push_back(std::move(one->object));
  }
  return removed;
}

}  // namespace rescheduler::sim
