// Authenticates bearer tokens and authorizes users through the API server (TokenReview, SubjectAccessReview). Answers
// are cached for some seconds. Without an answer access is denied.
//
// Unauthenticated clients can cause reviews: use a separate Api, so that they cannot exhaust the request budget of
// other components. Needs the ClusterRole system:auth-delegator. Used only on the loop's thread. The object must
// outlive its callers.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "kube/client/api.h"
#include "kube/config/secret.h"
#include "server/expiring_cache.h"
#include "server/user_info.h"

namespace rescheduler::server {

struct DelegatedAuthSettings {
  // kube-scheduler's values: a revoked permission or token is effective after this time at the latest.
  std::chrono::seconds good_for{10};
  std::chrono::seconds bad_for{10};
  std::chrono::seconds timeout{10};
  std::size_t most_answers = 1024;  // cached, of each kind
  std::size_t most_in_flight = 16;  // further reviews are rejected: this limits a flood of invalid tokens
};

class DelegatedAuth {
 public:
  DelegatedAuth(kube::Api& api, const Clock& clock, DelegatedAuthSettings settings = {})
      : DelegatedAuth(api, api, clock, settings) {}
  // Tokens and access may be reviewed by different clusters, or with different credentials.
  DelegatedAuth(kube::Api& tokens, kube::Api& access, const Clock& clock, DelegatedAuthSettings settings = {});

  // Null: the token is invalid. An error (always Unavailable, or Cancelled): the API server gave no answer.
  net::Task<Result<UserInfoPtr>> authenticate(const kube::Secret& token);
  // `verb` is the HTTP method in lower case. Members of system:masters may do everything.
  net::Task<Result<bool>> authorize(UserInfoPtr user_info, std::string verb, std::string path);

 private:
  net::Task<Result<void>> ask(kube::Api& api, const kube::Message& question, kube::Message& answer);

  kube::Api& tokens_;
  kube::Api& access_;
  DelegatedAuthSettings settings_;
  ExpiringCache<UserInfoPtr> users_;  // by the hash of a token: the token itself is not stored
  ExpiringCache<bool> permissions_;
  std::size_t in_flight_ = 0;
};

}  // namespace rescheduler::server
