#include "server/reviewer.h"

#include <algorithm>
#include <array>

#include <openssl/evp.h>

#include "kube/proto/authentication.pb.h"
#include "kube/proto/authorization.pb.h"

namespace rescheduler::server {
namespace {

constexpr std::string_view kMasters = "system:masters";

// Empty when OpenSSL cannot: then nothing is remembered.
std::string digest_of(const kube::Secret& token) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int length = 0;
  const std::string& text = token.reveal();
  if (EVP_Digest(text.data(), text.size(), bytes.data(), &length, EVP_sha256(), nullptr) != 1) return {};
  return std::string(reinterpret_cast<const char*>(bytes.data()), length);
}

// Unambiguous whatever the words hold.
void add_word(std::string& key, std::string_view word) { key += fmt::format("{}:{},", word.size(), word); }

std::string key_of(const Visitor& visitor, std::string_view verb, std::string_view path) {
  std::string key;
  for (const std::string_view word : {verb, path, std::string_view(visitor.name), std::string_view(visitor.uid)}) {
    add_word(key, word);
  }
  for (const std::string& group : visitor.groups) add_word(key, group);
  for (const auto& [name, values] : visitor.extra) {
    key += ';';
    add_word(key, name);
    for (const std::string& value : values) add_word(key, value);
  }
  return key;
}

Visitor visitor_of(const api::UserInfo& user) {
  Visitor visitor{user.username(), user.uid()};
  visitor.groups.assign(user.groups().begin(), user.groups().end());
  for (const auto& [name, values] : user.extra()) {
    visitor.extra[name].assign(values.items().begin(), values.items().end());
  }
  return visitor;
}

api::SubjectAccessReview question_about(const Visitor& visitor, const std::string& verb, const std::string& path) {
  api::SubjectAccessReview review;
  auto& spec = *review.mutable_spec();
  spec.set_user(visitor.name);
  if (!visitor.uid.empty()) spec.set_uid(visitor.uid);
  for (const std::string& group : visitor.groups) spec.add_groups(group);
  for (const auto& [name, values] : visitor.extra) {
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

Reviewer::Reviewer(kube::Api& tokens, kube::Api& access, const Clock& clock, ReviewerSettings settings)
    : tokens_(tokens),
      access_(access),
      settings_(settings),
      visitors_(clock, settings.most_answers),
      permissions_(clock, settings.most_answers) {}

net::Task<Result<void>> Reviewer::ask(kube::Api& api, const kube::Message& question, kube::Message& answer) {
  if (in_flight_ >= settings_.most_in_flight) {
    co_return fail(Errc::Unavailable, "too many credentials are being checked at the moment");
  }
  const Counted counted(in_flight_);
  kube::ApiCall call;
  call.verb = kube::Verb::Create;
  call.resource = &kube::resource_of(*question.GetDescriptor());
  call.body = &question;
  call.timeout = settings_.timeout;
  auto done = co_await api.call(std::move(call), &answer);
  if (done || done.error().code == Errc::Cancelled) co_return done;
  co_return fail(Errc::Unavailable, "the API server did not say: {}", done.error().message);
}

net::Task<Result<VisitorPtr>> Reviewer::whose(const kube::Secret& token) {
  const std::string key = digest_of(token);
  if (auto known = visitors_.find(key); known) co_return *known;
  api::TokenReview question;
  question.mutable_spec()->set_token(token.reveal());
  api::TokenReview answer;
  auto asked = co_await ask(tokens_, question, answer);
  if (!asked) co_return fail(std::move(asked.error()));
  VisitorPtr visitor;
  const auto& status = answer.status();
  if (status.authenticated() && !status.user().username().empty()) {
    visitor = std::make_shared<const Visitor>(visitor_of(status.user()));
  }
  if (!key.empty()) visitors_.put(key, visitor, visitor ? settings_.good_for : settings_.bad_for);
  co_return visitor;
}

net::Task<Result<bool>> Reviewer::may(VisitorPtr visitor, std::string verb, std::string path) {
  const auto& groups = visitor->groups;
  if (std::find(groups.begin(), groups.end(), kMasters) != groups.end()) co_return true;
  const std::string key = key_of(*visitor, verb, path);
  if (auto known = permissions_.find(key); known) co_return *known;
  const api::SubjectAccessReview question = question_about(*visitor, verb, path);
  api::SubjectAccessReview answer;
  auto asked = co_await ask(access_, question, answer);
  if (!asked) co_return fail(std::move(asked.error()));
  const bool allowed = answer.status().allowed() && !answer.status().denied();
  permissions_.put(key, allowed, allowed ? settings_.good_for : settings_.bad_for);
  co_return allowed;
}

}  // namespace rescheduler::server
