#include "sim/server/removal.h"

#include <algorithm>

#include <google/protobuf/message.h>

#include "kube/codec/metadata.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::sim {

bool has_finalizers(const Kind& kind, const Message& object) {
  if (!kube::metadata_of(object).finalizers().empty()) return true;
  return kind.type == &kube::resource_of<api::Namespace>()
         && !static_cast<const api::Namespace&>(object).spec().finalizers().empty();
}

bool is_dry_run(const api::DeleteOptions& options) {
  return std::ranges::find(options.dry_run(), "All") != options.dry_run().end();
}

std::int64_t grace_period(const Kind& kind, const Message& object, const api::DeleteOptions& options) {
  if (kind.type != &kube::resource_of<api::Pod>()) return 0;
  const auto& pod = static_cast<const api::Pod&>(object);
  // No kubelet runs the pod, or all its containers have ended.
  if (pod.spec().node_name().empty() || pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed") {
    return 0;
  }
  std::int64_t grace =
      pod.spec().has_termination_grace_period_seconds() ? pod.spec().termination_grace_period_seconds() : 30;
  if (options.has_grace_period_seconds()) grace = options.grace_period_seconds();
  return std::max<std::int64_t>(grace < 0 ? 1 : grace, 0);
}

std::optional<std::string> propagation_finalizer(const api::DeleteOptions& options) {
  if (options.propagation_policy() == "Foreground") return "foregroundDeletion";
  if (options.propagation_policy() == "Orphan") return "orphan";
  if (options.has_orphan_dependents() && options.orphan_dependents()) return "orphan";
  return std::nullopt;
}

}  // namespace rescheduler::sim
