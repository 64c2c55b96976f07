// The scale subresource: desired and current replicas of Deployments, ReplicaSets, StatefulSets and
// ReplicationControllers. Custom kinds have no scale here.
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kube/proto/apps.pb.h"
#include "kube/proto/autoscaling.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/meta.pb.h"
#include "sim/server/conditions.h"
#include "sim/server/server.h"

namespace rescheduler::sim {
namespace {

std::string selector_text(const api::LabelSelector& selector) { return selector_from(selector).to_string(); }

std::string selector_text(const google::protobuf::Map<std::string, std::string>& labels) {
  api::LabelSelector selector;
  *selector.mutable_match_labels() = labels;
  return selector_text(selector);
}

template <class T>
api::Scale scale_in(const T& workload) {
  api::Scale scale;
  api::ObjectMeta& metadata = *scale.mutable_metadata();
  metadata.set_name(workload.metadata().name());
  metadata.set_namespace_(workload.metadata().namespace_());
  metadata.set_uid(workload.metadata().uid());
  metadata.set_resource_version(workload.metadata().resource_version());
  *metadata.mutable_creation_timestamp() = workload.metadata().creation_timestamp();
  scale.mutable_spec()->set_replicas(workload.spec().has_replicas() ? workload.spec().replicas() : 1);
  scale.mutable_status()->set_replicas(workload.status().replicas());
  scale.mutable_status()->set_selector(selector_text(workload.spec().selector()));
  return scale;
}

StatusError no_scale() { return {404, "NotFound", "the server could not find the requested resource"}; }

// Calls `use` with a null T* of the kind's type. An error if the kind has no known scale.
template <class Use>
ApiResult<api::Scale> with_type(const KindRegistry& kinds, const Kind& kind, const Use& use) {
  if (&kind == &kinds.of<api::Deployment>()) return use(static_cast<api::Deployment*>(nullptr));
  if (&kind == &kinds.of<api::ReplicaSet>()) return use(static_cast<api::ReplicaSet*>(nullptr));
  if (&kind == &kinds.of<api::StatefulSet>()) return use(static_cast<api::StatefulSet*>(nullptr));
  if (&kind == &kinds.of<api::ReplicationController>()) return use(static_cast<api::ReplicationController*>(nullptr));
  return refuse(no_scale());
}

StatusError negative_replicas(std::string_view name, int replicas) {
  const std::string why = fmt::format("Invalid value: {}: must be greater than or equal to 0", replicas);
  StatusError refusal{422, "Invalid", fmt::format("Scale.autoscaling \"{}\" is invalid: spec.replicas: {}", name, why)};
  refusal.group = "autoscaling";
  refusal.kind = "Scale";
  refusal.name = name;
  refusal.causes.push_back({"FieldValueInvalid", why, "spec.replicas"});
  return refusal;
}

StatusError other_object(const Kind& kind, std::string_view name, std::string_view wanted, std::string_view is) {
  const std::string why =
      fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", wanted, is);
  StatusError refusal = conflict(kind, name, why);
  const std::string subject = kind.plural + "/scale" + (kind.group.empty() ? "" : "." + kind.group);
  refusal.kind = kind.plural + "/scale";
  refusal.message = fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", subject, name, why);
  return refusal;
}

}  // namespace

ApiResult<api::Scale> Server::scale_of(const Kind& kind, std::string_view ns, std::string_view name) const {
  return with_type(kinds_, kind, [&]<class T>(T*) -> ApiResult<api::Scale> {
    const auto workload = find<T>(ns, name);
    if (!workload) return refuse(not_found(kind, name));
    return scale_in(*workload);
  });
}

ApiResult<api::Scale> Server::set_scale(const Kind& kind,
                                        std::string_view ns,
                                        std::string_view name,
                                        const api::Scale& scale,
                                        WriteContext context) {
  return with_type(kinds_, kind, [&]<class T>(T*) -> ApiResult<api::Scale> {
    const auto before = find<T>(ns, name);
    if (!before) return refuse(not_found(kind, name));
    const api::ObjectMeta& wanted = scale.metadata();
    if (!wanted.name().empty() && wanted.name() != name) {
      return refuse(bad_request(
          fmt::format("the name of the object ({}) does not match the name on the URL ({})", wanted.name(), name)));
    }
    if (scale.spec().replicas() < 0) return refuse(negative_replicas(name, scale.spec().replicas()));
    if (!wanted.uid().empty() && wanted.uid() != before->metadata().uid()) {
      return refuse(other_object(kind, name, wanted.uid(), before->metadata().uid()));
    }
    auto after = std::make_unique<T>(*before);
    after->mutable_spec()->set_replicas(scale.spec().replicas());
    // Empty: the current version.
    after->mutable_metadata()->set_resource_version(wanted.resource_version());
    const auto stored = update(kind, ns, name, "", std::move(after), std::move(context));
    if (!stored) return refuse(stored.error());
    return scale_in(*(*stored)->template as<T>());
  });
}

}  // namespace rescheduler::sim
