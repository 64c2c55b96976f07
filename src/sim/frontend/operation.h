// One request to the embedded server from either frontend, and its outcome.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/task.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

struct Operation {
  kube::Verb verb = kube::Verb::Get;  // not Watch: watch_feed.h
  const Kind* kind = nullptr;
  std::string ns{};
  std::string name{};
  std::string subresource{};
  MessagePtr body{};  // Create, Update: the object, or the request type of the subresource
  std::string patch{};
  kube::PatchKind patch_kind = kube::PatchKind::Merge;
  std::shared_ptr<const api::DeleteOptions> delete_options{};  // null: the defaults
  WriteContext context{};
  ListQuery query{};
  std::string user = "embedded-admin";
  std::optional<std::uint64_t> as_of{};  // Get, List: a stale answer at this version
};

// Exactly one of the three is set.
struct Outcome {
  VersionPtr version{};  // the requested object, as stored
  ObjectPtr other{};     // an object that is not stored: a Scale, a Status, a review, a deleted object
  std::optional<Listing> listing{};
  int code = 200;
};

// The outer Result fails only with Errc::Cancelled.
net::Task<Result<ApiResult<Outcome>>> perform(Server& server, Operation operation);

// A subresource: what can follow the name in a path.
struct Subresource {
  std::string name;
  std::string group{}, version{}, kind{};  // the type of its requests and answers
  std::vector<std::string> verbs{};
};
std::vector<Subresource> subresources_of(const Kind& kind);
const Subresource* find_subresource(const std::vector<Subresource>& all, std::string_view name);

// An empty message for the body of a POST or PUT: the object itself, a Binding, an Eviction or a Scale.
MessagePtr make_body(const Kind& kind, std::string_view subresource);
// The errors of a watch request that do not depend on the server's state.
ApiResult<void> check_watch(const Kind& kind, bool send_initial_events, std::string_view resource_version_match);
bool allows(const Kind& kind, std::string_view verb);  // whether the kind has this verb

}  // namespace rescheduler::sim
