// Who holds a bearer token, and what they may do: asked of the API server (TokenReview, SubjectAccessReview) and
// remembered for some seconds. Without an answer nobody is let in.
//
// Strangers can make it ask: give it an Api of its own, so that they cannot use up the request budget of the rest. It
// needs the ClusterRole system:auth-delegator. Belongs to the loop's thread and outlives what awaits it.
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
  // kube-scheduler's own: what was taken away from somebody is gone for good after this long.
  std::chrono::seconds good_for{10};
  std::chrono::seconds bad_for{10};
  std::chrono::seconds timeout{10};
  std::size_t most_answers = 1024;  // of each kind
  std::size_t most_in_flight = 16;  // further questions are turned away: a flood of made-up tokens ends here
};

class DelegatedAuth {
 public:
  DelegatedAuth(kube::Api& api, const Clock& clock, DelegatedAuthSettings settings = {})
      : DelegatedAuth(api, api, clock, settings) {}
  // Tokens and access may be reviewed by different clusters, or as different users.
  DelegatedAuth(kube::Api& tokens, kube::Api& access, const Clock& clock, DelegatedAuthSettings settings = {});

  // Null: nobody's. An error (always Unavailable, or Cancelled): the API server gave no answer.
  net::Task<Result<UserInfoPtr>> authenticate(const kube::Secret& token);
  // `verb` is a method in small letters. Members of system:masters may do everything.
  net::Task<Result<bool>> authorize(UserInfoPtr user_info, std::string verb, std::string path);

 private:
  net::Task<Result<void>> ask(kube::Api& api, const kube::Message& question, kube::Message& answer);

  kube::Api& tokens_;
  kube::Api& access_;
  DelegatedAuthSettings settings_;
  ExpiringCache<UserInfoPtr> users_;  // by the hash of a token: the token itself is not kept
  ExpiringCache<bool> permissions_;
  std::size_t in_flight_ = 0;
};

}  // namespace rescheduler::server
