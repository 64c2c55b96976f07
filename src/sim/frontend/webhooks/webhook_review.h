// Writes the request to a webhook and reads its answer: AdmissionReview v1, or v1beta1 if the webhook prefers it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "sim/frontend/webhooks/webhook_config.h"

namespace rescheduler::sim {

// The first AdmissionReview version of the webhook that the embedded cluster supports; empty: none.
std::string review_version(const Webhook& webhook);

std::string review_request(const PendingWrite& pending_write,
                           std::string_view version,
                           std::string_view uid,
                           std::string_view user);

struct Verdict {
  bool allowed = false;
  StatusError refusal{};  // if not allowed
  std::string patch{};    // a JSON Patch; empty: none
};
// The error is a fragment that says what is wrong with the answer.
Result<Verdict> read_review(const Webhook& webhook,
                            std::string_view version,
                            std::string_view uid,
                            std::string_view body);

// Applies the patch to the object of the write. True if the object changed.
ApiResult<bool> apply_patch(const Webhook& webhook, std::string_view patch, PendingWrite& pending_write);

}  // namespace rescheduler::sim
