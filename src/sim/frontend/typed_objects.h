// Between what the store holds and the typed messages of the product. They are the same type for built-in kinds;
// custom kinds are held as JSON.
#pragma once

#include <string_view>

#include "sim/store/version.h"

namespace rescheduler::sim {

// As the type the caller knows the kind by; the very same object where no conversion is needed.
Result<ObjectPtr> typed_object(const Kind& kind, const kube::ResourceType& wanted, ObjectPtr stored);
// Into a message of the caller's, which may also be of another kind (Scale, Status) if that is what came.
Result<void> fill_typed(const Kind& kind, const Message& answer, Message& into);
// The same for a stored version, straight from its bytes where they are of the caller's type.
Result<void> fill_typed(const Version& version, Message& into);
// A copy of what a caller sends, as the server takes it.
ApiResult<MessagePtr> stored_body(const Kind& kind, std::string_view subresource, const Message& typed);

}  // namespace rescheduler::sim
