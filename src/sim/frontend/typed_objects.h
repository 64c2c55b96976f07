// Converts between the objects in the store and the typed messages of the product. Both have the same type for built-in
// kinds; custom kinds are stored as JSON.
#pragma once

#include <string_view>

#include "sim/store/version.h"

namespace rescheduler::sim {

// The object in the caller's type; the same object if no conversion is needed.
Result<ObjectPtr> typed_object(const Kind& kind, const kube::ResourceType& wanted, ObjectPtr stored);
// Fills a message of the caller. The message can be of another kind (Scale, Status) if the answer has that kind.
Result<void> fill_typed(const Kind& kind, const Message& answer, Message& into);
// The same for a stored version, directly from its bytes if they have the caller's type.
Result<void> fill_typed(const Version& version, Message& into);
// A copy of the caller's message, in the form that the server takes.
ApiResult<MessagePtr> stored_body(const Kind& kind, std::string_view subresource, const Message& typed);

}  // namespace rescheduler::sim
