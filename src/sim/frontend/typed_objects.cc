#include "sim/frontend/typed_objects.h"

#include <google/protobuf/message.h>

#include "base/check.h"
#include "kube/proto/meta.pb.h"
#include "sim/frontend/operation.h"
#include "sim/proto/custom.pb.h"

namespace rescheduler::sim {

Result<ObjectPtr> typed_object(const Kind& kind, const kube::ResourceType& wanted, ObjectPtr stored) {
  if (stored->GetDescriptor() == wanted.message) return stored;
  std::shared_ptr<Message> typed = wanted.make();
  auto filled = fill_typed(kind, *stored, *typed);
  if (!filled) return fail(std::move(filled.error()));
  return ObjectPtr(std::move(typed));
}

Result<void> fill_typed(const Kind& kind, const Message& answer, Message& into) {
  if (answer.GetDescriptor() == into.GetDescriptor()) {
    into.CopyFrom(answer);
    return {};
  }
  if (answer.GetDescriptor() == CustomObject::descriptor()) return from_stored(kind, answer, into);
  if (const auto* status = dynamic_cast<const api::Status*>(&answer)) {
    return fail(Errc::Unavailable, "the server sent a Status instead of the object: {}", status->message());
  }
  return fail(Errc::Invalid, "expected a {}, got a {}", into.GetDescriptor()->name(), answer.GetDescriptor()->name());
}

Result<void> fill_typed(const Version& version, Message& into) {
  const Kind& kind = version.kind();
  if (kind.type == nullptr || kind.type->message != into.GetDescriptor()) {
    return fill_typed(kind, *version.object(), into);
  }
  // Decodes the bytes directly: version.object() would decode and then copy.
  const bool read = into.ParseFromString(version.bytes());
  RESCHEDULER_CHECK(read, "a stored {} cannot be read back", kind.kind);
  return {};
}

ApiResult<MessagePtr> stored_body(const Kind& kind, std::string_view subresource, const Message& typed) {
  MessagePtr body = make_body(kind, subresource);
  if (body->GetDescriptor() == typed.GetDescriptor()) {
    body->CopyFrom(typed);
    return body;
  }
  if (body->GetDescriptor() == CustomObject::descriptor()) return to_stored(kind, typed);
  return refuse(bad_request(fmt::format("the body is a {}, but {} takes a {}", typed.GetDescriptor()->name(),
                                        subresource.empty() ? kind.plural : std::string(subresource),
                                        body->GetDescriptor()->name())));
}

}  // namespace rescheduler::sim
