// What is asked and answered but never stored: may this be done, who is this, whose token is it. Everybody may do
// everything here, unless a table says something about tokens and paths; permissions on resources are the real control
// plane's to test.
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
