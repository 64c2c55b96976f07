#include "kube/codec/wire_types.h"

#include "kube/proto/admission.pb.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/authentication.pb.h"
#include "kube/proto/authorization.pb.h"
#include "kube/proto/autoscaling.pb.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/coordination.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_common.pb.h"
#include "kube/proto/core_container.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/core_storage.pb.h"
#include "kube/proto/core_volume.pb.h"
#include "kube/proto/discovery.pb.h"
#include "kube/proto/events.pb.h"
#include "kube/proto/meta.pb.h"
#include "kube/proto/metrics.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/proto/scheduling.pb.h"
#include "kube/proto/storage.pb.h"

namespace rescheduler::kube {
namespace {

template <class... OneMessageOfEachFile>
std::vector<const google::protobuf::FileDescriptor*> files_of() {
  return {OneMessageOfEachFile::descriptor()->file()...};
}

}  // namespace

std::vector<const google::protobuf::FileDescriptor*> wire_type_files() {
  return files_of<api::ObjectMeta, api::Taint, api::Volume, api::PersistentVolume, api::Container, api::Pod, api::Node,
                  api::Namespace, api::Deployment, api::Job, api::PodDisruptionBudget, api::StorageClass, api::Scale,
                  api::PriorityClass, api::Lease, api::Event, api::SubjectAccessReview, api::TokenReview,
                  api::AdmissionReview, api::APIGroup, api::NodeMetrics>();
}

}  // namespace rescheduler::kube
