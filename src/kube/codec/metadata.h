// The metadata of an object whose type is not known at compile time.
#pragma once

namespace google::protobuf {
class Message;
}  // namespace google::protobuf
namespace rescheduler::api {
class ObjectMeta;
}  // namespace rescheduler::api

namespace rescheduler::kube {

// For kinds with metadata (every kind that has a URL). Other messages end the process.
const api::ObjectMeta& metadata_of(const google::protobuf::Message& object);
api::ObjectMeta& mutable_metadata_of(google::protobuf::Message& object);

}  // namespace rescheduler::kube
