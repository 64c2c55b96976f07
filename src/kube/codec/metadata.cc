#include "kube/codec/metadata.h"

#include "base/check.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {
namespace {

const google::protobuf::FieldDescriptor* metadata_field(const google::protobuf::Message& object) {
  const auto* descriptor = object.GetDescriptor();
  // In every kind of Kubernetes, metadata is field 1. The CRDs of this project do the same.
  const auto* field = descriptor->FindFieldByNumber(1);
  RESCHEDULER_CHECK(field != nullptr && field->message_type() == api::ObjectMeta::descriptor(),
                    "{} has no object metadata", descriptor->full_name());
  return field;
}

}  // namespace

const api::ObjectMeta& metadata_of(const google::protobuf::Message& object) {
  return static_cast<const api::ObjectMeta&>(object.GetReflection()->GetMessage(object, metadata_field(object)));
}

api::ObjectMeta& mutable_metadata_of(google::protobuf::Message& object) {
  return static_cast<api::ObjectMeta&>(*object.GetReflection()->MutableMessage(&object, metadata_field(object)));
}

}  // namespace rescheduler::kube
