// The .proto files of src/kube/proto. Naming one message of each keeps the linker from dropping files that nothing
// else refers to, so that kinds can be found by name in any program.
#pragma once

#include <vector>

namespace google::protobuf {
class FileDescriptor;
}  // namespace google::protobuf

namespace rescheduler::kube {

std::vector<const google::protobuf::FileDescriptor*> wire_type_files();

}  // namespace rescheduler::kube
