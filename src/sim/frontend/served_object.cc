#include "sim/frontend/served_object.h"

#include <google/protobuf/message.h>

#include "kube/codec/metadata.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::sim {

ObjectPtr shown(const ServedEvent& event) {
  ObjectPtr object = event.version->object();
  if (event.number == event.version->number()) return object;
  std::shared_ptr<Message> renumbered(object->New());
  renumbered->CopyFrom(*object);
  kube::mutable_metadata_of(*renumbered).set_resource_version(std::to_string(event.number));
  return renumbered;
}

}  // namespace rescheduler::sim
