// The .proto files of src/kube/proto. A reference to one message of each file keeps the linker from dropping files that
// no other code refers to. So every program finds all kinds by name.
#pragma once

#include <vector>

namespace google::protobuf {
class FileDescriptor;
}  // namespace google::protobuf

namespace rescheduler::kube {

std::vector<const google::protobuf::FileDescriptor*> wire_type_files();

}  // namespace rescheduler::kube
