#include "sim/frontend/reviews.h"

#include <algorithm>

#include <boost/json.hpp>
#include <google/protobuf/message.h>

#include "kube/proto/authentication.pb.h"
#include "kube/proto/authorization.pb.h"

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

bool covers(const PathRule& rule, const api::SubjectAccessReviewSpec& spec) {
  const auto& asked = spec.non_resource_attributes();
  const std::string_view path = rule.path;
  const bool path_fits =
      path.ends_with('*') ? asked.path().starts_with(path.substr(0, path.size() - 1)) : asked.path() == path;
  return rule.user == spec.user() && (rule.verb == "*" || rule.verb == asked.verb()) && path_fits;
}

json::object answer_of_table(const AccessTable& table, const api::SubjectAccessReviewSpec& spec) {
  const auto& rules = table.rules;
  const bool allowed = std::ranges::any_of(rules, [&](const auto& rule) { return covers(rule, spec); });
  return {{"allowed", allowed}};
}

json::object answer_of_table(const AccessTable& table, const api::TokenReviewSpec& spec) {
  const auto known = table.tokens.find(spec.token());
  if (known == table.tokens.end()) return {{"authenticated", false}, {"error", "the token is unknown"}};
  json::array groups{"system:authenticated"};
  for (const std::string& group : known->second.groups) groups.emplace_back(group);
  json::object user{{"username", known->second.name}, {"groups", std::move(groups)}};
  return {{"authenticated", true}, {"user", std::move(user)}};
}

// The answer of the table, if there is a table that covers this review.
std::optional<json::object> review_by_table(const std::optional<AccessTable>& table,
                                            const Kind& kind,
                                            const Message& asked) {
  if (!table) return std::nullopt;
  if (kind.kind == "TokenReview") {
    return answer_of_table(*table, static_cast<const api::TokenReview&>(asked).spec());
  }
  if (kind.kind != "SubjectAccessReview") return std::nullopt;
  const auto& spec = static_cast<const api::SubjectAccessReview&>(asked).spec();
  if (!spec.has_non_resource_attributes()) return std::nullopt;
  return answer_of_table(*table, spec);
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

ApiResult<ObjectPtr> answer_review(const Kind& kind,
                                   const Message& asked,
                                   std::string_view user,
                                   const std::optional<AccessTable>& access) {
  json::error_code error;
  json::value review = json::parse(object_to_json(kind, asked), error);
  if (error || !review.is_object()) return refuse(internal_error("a review could not be read"));
  auto status = review_by_table(access, kind, asked);
  review.get_object()["status"] = status ? std::move(*status) : status_of(kind, user);
  auto answer = object_from_json(kind, json::serialize(review), false);
  if (!answer) return refuse(std::move(answer.error()));
  return ObjectPtr(std::move(*answer));
}

}  // namespace rescheduler::sim
