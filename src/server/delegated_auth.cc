#include "server/delegated_auth.h"

#include <algorithm>
#include <array>

#include <openssl/evp.h>

#include "kube/proto/authentication.pb.h"
#include "kube/proto/authorization.pb.h"

namespace rescheduler::server {
namespace {

constexpr std::string_view kMasters = "system:masters";

// Empty if OpenSSL fails: then the answer is not cached.
std::string digest_of(const kube::Secret& token) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int length = 0;
  const std::string& text = token.reveal();
  if (EVP_Digest(text.data(), text.size(), bytes.data(), &length, EVP_sha256(), nullptr) != 1) return {};
  return std::string(reinterpret_cast<const char*>(bytes.data()), length);
}

// Length-prefixed, so that keys are unambiguous whatever the words contain.
void add_word(std::string& key, std::string_view word) { key += fmt::format("{}:{},", word.size(), word); }

std::string key_of(const UserInfo& user_info, std::string_view verb, std::string_view path) {
  std::string key;
  for (const std::string_view word : {verb, path, std::string_view(user_info.name), std::string_view(user_info.uid)}) {
    add_word(key, word);
  }
  for (const std::string& group : user_info.groups) add_word(key, group);
  for (const auto& [name, values] : user_info.extra) {
    key += ';';
    add_word(key, name);
    for (const std::string& value : values) add_word(key, value);
  }
  return key;
}

UserInfo to_user_info(const api::UserInfo& user) {
  UserInfo user_info{user.username(), user.uid()};
  user_info.groups.assign(user.groups().begin(), user.groups().end());
  for (const auto& [name, values] : user.extra()) {
    user_info.extra[name].assign(values.items().begin(), values.items().end());
  }
  return user_info;
}

api::SubjectAccessReview make_access_review(const UserInfo& user_info,
                                            const std::string& verb,
                                            const std::string& path) {
  api::SubjectAccessReview review;
  auto& spec = *review.mutable_spec();
  spec.set_user(user_info.name);
  if (!user_info.uid.empty()) spec.set_uid(user_info.uid);
  for (const std::string& group : user_info.groups) spec.add_groups(group);
  for (const auto& [name, values] : user_info.extra) {
    auto& items = (*spec.mutable_extra())[name];
    for (const std::string& value : values) items.add_items(value);
  }
  spec.mutable_non_resource_attributes()->set_path(path);
  spec.mutable_non_resource_attributes()->set_verb(verb);
  return review;
}

class Counted {
 public:
  explicit Counted(std::size_t& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::size_t& count_;
};

}  // namespace

DelegatedAuth::DelegatedAuth(kube::Api& tokens, kube::Api& access, const Clock& clock, DelegatedAuthSettings settings)
    : tokens_(tokens),
      access_(access),
      settings_(settings),
      users_(clock, settings.most_answers),
      permissions_(clock, settings.most_answers) {}

net::Task<Result<void>> DelegatedAuth::ask(kube::Api& api, const kube::Message& review, kube::Message& answer) {
  if (in_flight_ >= settings_.most_in_flight) {
    co_return fail(Errc::Unavailable, "too many credential checks are in progress");
  }
  const Counted counted(in_flight_);
  kube::ApiCall call;
  call.verb = kube::Verb::Create;
  call.resource = &kube::resource_of(*review.GetDescriptor());
  call.body = &review;
  call.timeout = settings_.timeout;
  auto done = co_await api.call(std::move(call), &answer);
  if (done || done.error().code == Errc::Cancelled) co_return done;
  co_return fail(Errc::Unavailable, "the API server did not answer the review: {}", done.error().message);
}

net::Task<Result<UserInfoPtr>> DelegatedAuth::authenticate(const kube::Secret& token) {
  const std::string key = digest_of(token);
  if (auto known = users_.find(key); known) co_return *known;
  api::TokenReview review;
  review.mutable_spec()->set_token(token.reveal());
  api::TokenReview answer;
  auto asked = co_await ask(tokens_, review, answer);
  if (!asked) co_return fail(std::move(asked.error()));
  UserInfoPtr user_info;
  const auto& status = answer.status();
  if (status.authenticated() && !status.user().username().empty()) {
    user_info = std::make_shared<const UserInfo>(to_user_info(status.user()));
  }
  if (!key.empty()) users_.put(key, user_info, user_info ? settings_.good_for : settings_.bad_for);
  co_return user_info;
}

net::Task<Result<bool>> DelegatedAuth::authorize(UserInfoPtr user_info, std::string verb, std::string path) {
  const auto& groups = user_info->groups;
  if (std::ranges::find(groups, kMasters) != groups.end()) co_return true;
  const std::string key = key_of(*user_info, verb, path);
  if (auto known = permissions_.find(key); known) co_return *known;
  const api::SubjectAccessReview review = make_access_review(*user_info, verb, path);
  api::SubjectAccessReview answer;
  auto asked = co_await ask(access_, review, answer);
  if (!asked) co_return fail(std::move(asked.error()));
  const bool allowed = answer.status().allowed() && !answer.status().denied();
  permissions_.put(key, allowed, allowed ? settings_.good_for : settings_.bad_for);
  co_return allowed;
}

}  // namespace rescheduler::server
