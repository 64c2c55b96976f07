#include "sim/door/reviews.h"

#include <boost/json.hpp>
#include <google/protobuf/message.h>

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

bool concerns_access(const Kind& kind) {
  return kind.kind == "SelfSubjectAccessReview" || kind.kind == "SubjectAccessReview"
         || kind.kind == "LocalSubjectAccessReview";
}

json::object user_info(std::string_view user) {
  return {{"username", user}, {"groups", json::array{"system:masters", "system:authenticated"}}};
}

json::object status_of(const Kind& kind, std::string_view user) {
  if (concerns_access(kind)) return {{"allowed", true}, {"reason", "the embedded cluster allows everything"}};
  if (kind.kind == "TokenReview") return {{"authenticated", true}, {"user", user_info(user)}};
  if (kind.kind == "SelfSubjectReview") return {{"userInfo", user_info(user)}};
  const json::array all{"*"};
  return {{"resourceRules", json::array{json::object{{"verbs", all}, {"apiGroups", all}, {"resources", all}}}},
          {"nonResourceRules", json::array{json::object{{"verbs", all}, {"nonResourceURLs", all}}}},
          {"incomplete", false}};
}

}  // namespace

bool is_review(const Kind& kind) {
  return concerns_access(kind) || kind.kind == "TokenReview" || kind.kind == "SelfSubjectReview"
         || kind.kind == "SelfSubjectRulesReview";
}

Answer<ObjectPtr> answer_review(const Kind& kind, const Message& asked, std::string_view user) {
  json::error_code error;
  json::value review = json::parse(object_to_json(kind, asked), error);
  if (error || !review.is_object()) return refuse(internal_error("a review could not be read"));
  review.get_object()["status"] = status_of(kind, user);
  auto answer = object_from_json(kind, json::serialize(review), false);
  if (!answer) return refuse(std::move(answer.error()));
  return ObjectPtr(std::move(*answer));
}

}  // namespace rescheduler::sim
