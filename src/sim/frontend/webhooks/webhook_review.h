// The question put to a webhook and the reading of its answer: AdmissionReview v1, or v1beta1 if it prefers that. Pure.
#pragma once

#include <string>
#include <string_view>

#include "sim/frontend/webhooks/webhook_config.h"

namespace rescheduler::sim {

// The version to speak: the first of the webhook's that we know; empty: none.
std::string review_version(const Webhook& webhook);

std::string review_request(const PendingWrite& pending_write,
                           std::string_view version,
                           std::string_view uid,
                           std::string_view user);

struct Verdict {
  bool allowed = false;
  StatusError refusal{};  // when it is not
  std::string patch{};    // a JSON Patch; empty: none
};
// An error is a fragment: what is wrong with the answer.
Result<Verdict> read_review(const Webhook& webhook,
                            std::string_view version,
                            std::string_view uid,
                            std::string_view body);

// Changes the draft's object as the patch says; true if that changed anything.
ApiResult<bool> apply_patch(const Webhook& webhook, std::string_view patch, PendingWrite& pending_write);

}  // namespace rescheduler::sim
