#include "sim/store/version.h"

#include <google/protobuf/message.h>

#include "base/check.h"
#include "kube/codec/protobuf.h"

namespace rescheduler::sim {

Version::Version(const Kind& kind, std::uint64_t number, ObjectPtr object, std::string managed_fields)
    : kind_(&kind),
      number_(number),
      bytes_(kube::encode_bare(*object)),
      managed_fields_(std::move(managed_fields)),
      decoded_(object) {
  bytes_.shrink_to_fit();
}

ObjectPtr Version::object() const {
  if (ObjectPtr known = decoded_.lock()) return known;
  std::shared_ptr<Message> fresh = kind_->make();
  RESCHEDULER_CHECK(fresh->ParsePartialFromString(bytes_), "the store wrote these bytes itself");
  decoded_ = fresh;
  return fresh;
}

}  // namespace rescheduler::sim
