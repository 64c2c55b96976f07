// Reviews, which are answered but never stored: SubjectAccessReview, SelfSubjectReview, TokenReview and similar kinds.
// Everything is allowed, unless an AccessTable restricts tokens and paths. Permissions on resources are tested on a
// real control plane.
#pragma once

#include <optional>
#include <string_view>

#include "sim/kinds/kind.h"
#include "sim/server/access.h"

namespace rescheduler::sim {

bool is_review(const Kind& kind);
ApiResult<ObjectPtr> answer_review(const Kind& kind,
                                   const Message& asked,
                                   std::string_view user,
                                   const std::optional<AccessTable>& access);

}  // namespace rescheduler::sim
