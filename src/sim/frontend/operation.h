// One request to the embedded server, whichever door it came through, and what came of it.
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
  MessagePtr body{};  // Create, Update: the object, or what the subresource takes
  std::string patch{};
  kube::PatchKind patch_kind = kube::PatchKind::Merge;
  std::shared_ptr<const api::DeleteOptions> delete_options{};  // null: the defaults
  WriteContext context{};
  ListQuery query{};
  std::string user = "embedded-admin";
  std::optional<std::uint64_t> as_of{};  // Get, List: a stale answer, of this version
};

// Exactly one of the three is set.
struct Outcome {
  VersionPtr version{};  // the object asked for, as stored
  ObjectPtr other{};     // something that is not stored: a Scale, a Status, a review, an object that was deleted
  std::optional<Listing> listing{};
  int code = 200;
};

// The outer Result fails with Errc::Cancelled only.
net::Task<Result<ApiResult<Outcome>>> perform(Server& server, Operation operation);

// What can follow the name in a path, beyond the object itself.
struct Subresource {
  std::string name;
  std::string group{}, version{}, kind{};  // what it takes and answers
  std::vector<std::string> verbs{};
};
std::vector<Subresource> subresources_of(const Kind& kind);
const Subresource* find_subresource(const std::vector<Subresource>& all, std::string_view name);

// An empty message of what is posted or put: the object itself, a Binding, an Eviction or a Scale.
MessagePtr make_body(const Kind& kind, std::string_view subresource);
// What is wrong with a watch whatever the server's state is.
ApiResult<void> check_watch(const Kind& kind, bool send_initial_events, std::string_view resource_version_match);
bool allows(const Kind& kind, std::string_view verb);  // is it among the kind's verbs?

}  // namespace rescheduler::sim
