#include "sim/controllers/pods/owner_scale.h"

#include "kube/proto/apps.pb.h"
#include "kube/proto/autoscaling.pb.h"
#include "kube/proto/core.pb.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {
namespace {

using Found = Result<std::optional<ControllerScale>>;

template <class T>
Found scale_in(const Server& server, std::string_view ns, std::string_view name, std::string_view uid) {
  const auto workload = server.find<T>(ns, name);
  if (!workload || workload->metadata().uid() != uid) return std::nullopt;
  return ControllerScale{workload->metadata().uid(), workload->spec().has_replicas() ? workload->spec().replicas() : 1};
}

Found scale_of_replica_set(const Server& server, std::string_view ns, const Owner& owner) {
  const auto set = server.find<api::ReplicaSet>(ns, owner.name);
  if (!set || set->metadata().uid() != owner.uid) return std::nullopt;
  const api::OwnerReference* above = controller_of(set->metadata());
  if (above && above->kind() == "Deployment") {
    return scale_in<api::Deployment>(server, ns, above->name(), above->uid());
  }
  return scale_in<api::ReplicaSet>(server, ns, owner.name, owner.uid);
}

struct GroupVersion {
  std::string_view group;
  std::string_view version;
};

GroupVersion split(std::string_view api_version) {
  const auto slash = api_version.find('/');
  if (slash == std::string_view::npos) return {{}, api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

}  // namespace

Found controller_scale(const Server& server, std::string_view ns, const Owner& owner) {
  const auto [group, version] = split(owner.api_version);
  if (group.empty() && owner.kind == "ReplicationController") {
    return scale_in<api::ReplicationController>(server, ns, owner.name, owner.uid);
  }
  if (group == "apps" && owner.kind == "ReplicaSet") return scale_of_replica_set(server, ns, owner);
  if (group == "apps" && owner.kind == "StatefulSet") {
    return scale_in<api::StatefulSet>(server, ns, owner.name, owner.uid);
  }
  const Kind* kind = server.kinds().find_kind(group, version, owner.kind);
  if (!kind) {
    return fail(Errc::NotFound, "no matches for kind \"{}\" in version \"{}\"", owner.kind, owner.api_version);
  }
  if (!kind->has_scale) {
    return fail(Errc::Unsupported, "{} does not implement the scale subresource", kind->qualified());
  }
  const auto scale = server.scale_of(*kind, ns, owner.name);
  if (!scale || scale->metadata().uid() != owner.uid) return std::nullopt;
  return ControllerScale{owner.uid, scale->spec().replicas()};
}

}  // namespace rescheduler::sim
