// The handlers of all paths of /api/v1.
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/log.h"
#include "base/version.h"
#include "dashboard/action_body.h"
#include "dashboard/dashboard_state.h"
#include "dashboard/event_lines.h"
#include "kube/client/client.h"
#include "kube/codec/json_words.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/events.pb.h"

namespace rescheduler::dashboard {
namespace {

constexpr std::size_t kMostPods = 2000;
constexpr std::size_t kMostActivities = 1000;
constexpr std::size_t kMostNodesListed = 2000;
constexpr std::size_t kMostEvents = 100;

int status_for(Errc code) {
  switch (code) {
    case Errc::Invalid: return 400;
    case Errc::NotFound: return 404;
    case Errc::AlreadyExists:
    case Errc::Conflict: return 409;
    case Errc::Unauthenticated:
    case Errc::Denied: return 403;
    case Errc::Throttled: return 429;
    case Errc::Unavailable:
    case Errc::Timeout: return 503;
    case Errc::Unsupported: return 501;
    default: return 500;
  }
}

net::HttpResponse refused(const Error& error) {
  return server::problem_response(status_for(error.code), error.message);
}

struct ActionInfo {
  const char* name;
  const char* path;
};
constexpr std::array<ActionInfo, 6> kActions = {{{"pause", "/api/v1/pause"},
                                                 {"applyPlan", "/api/v1/plan/apply"},
                                                 {"cancelMigration", "/api/v1/migrations/cancel"},
                                                 {"move", "/api/v1/moves"},
                                                 {"maintenance", "/api/v1/maintenance"},
                                                 {"demo", "/api/v1/demo"}}};

}  // namespace

// --- Reads ---

Dashboard::State::Answer Dashboard::State::session(const RequestContext& context) {
  std::string may;
  for (const ActionInfo& action : kActions) {
    const bool there = std::string_view(action.name) == "demo" ? demo_actions != nullptr : actions != nullptr;
    bool allowed = false;
    if (there) {
      auto answer = co_await context.caller.would_allow("post", action.path);
      allowed = answer && *answer;
    }
    may += fmt::format("{}\"{}\":{}", may.empty() ? "" : ",", action.name, allowed);
  }
  auto reads = co_await context.caller.would_allow("get", "/api/v1/overview");
  const bool needs_token = context.caller.user_info == nullptr && reads && !*reads;
  std::string json = fmt::format(
      R"({{"user":{},"needsToken":{},"may":{{{}}},"version":{},"cluster":{},"boot":{},"demo":{},"grafana":{}}})",
      context.caller.user_info ? kube::json_string(context.caller.user_info->name) : "null", needs_token, may,
      needs_token ? "\"\"" : kube::json_string(kVersion), needs_token ? "\"\"" : kube::json_string(parts.model.cluster),
      kube::json_string(parts.model.boot), parts.demo, needs_token ? "null" : kube::json_string_or_null(parts.grafana));
  co_return found(std::move(json));
}

Dashboard::State::Answer Dashboard::State::node(const RequestContext& context) {
  auto json = model.node(context.names[0]);
  if (!json) co_return missing(fmt::format("there is no node {}", context.names[0]));
  co_return found(std::move(*json));
}

Dashboard::State::Answer Dashboard::State::pods(const RequestContext& context) {
  PodQuery query{context.query("query"), context.query("node"), context.query("state"),
                 context.number("limit", 200, kMostPods)};
  if (!query.state.empty() && query.state != "pending" && query.state != "failing") {
    co_return server::problem_response(400, "state must be pending or failing");
  }
  co_return found(model.pods(query));
}

Dashboard::State::Answer Dashboard::State::pod(const RequestContext& context) {
  const std::string ns = context.names[0];
  const std::string name = context.names[1];
  const PodEntry* known = model.cluster_view().pod(ns + "/" + name);
  if (known == nullptr) co_return missing(fmt::format("there is no pod {}/{}", ns, name));
  api::Pod object;
  std::string events = "[]";
  std::string problem;  // why Events are unknown
  if (parts.api != nullptr) {
    kube::ListSettings about;
    about.field_selector = fmt::format("regarding.kind=Pod,regarding.name={}", name);
    auto read = co_await kube::Client(*parts.api).get<api::Pod>(ns, name);
    if (read) {  // else the view has only the fields of PodEntry
      object = std::move(*read);
      about.field_selector += ",regarding.uid=" + object.metadata().uid();
    }
    auto listed = co_await kube::Client(*parts.api).list<api::Event>(ns, about);
    if (listed) {
      events = event_lines(*listed, kMostEvents);
    } else {
      problem = listed.error().message;
    }
  }
  const PodEntry* entry = model.cluster_view().pod(ns + "/" + name);
  if (entry == nullptr) co_return missing(fmt::format("pod {}/{} no longer exists", ns, name));
  const ActivityObject itself{"Pod", ns, name};
  const std::string activity = model.activity_log().about(itself, 50);
  std::string json = fmt::format(
      R"({{"pod":{},"uid":{},"scheduler":{},"labels":{},"attempts":{},"migrations":{},"events":{},)"
      R"("eventsProblem":{},"news":{}}})",
      model.pod_row(*entry), kube::json_string(object.metadata().uid()),
      kube::json_string(object.spec().scheduler_name()),
      kube::json_texts(
          std::map<std::string, std::string>(object.metadata().labels().begin(), object.metadata().labels().end())),
      model.attempts_of(*entry), model.migration_view().of_pod(ns, name, entry->owner_kind(), entry->owner_name()),
      events, kube::json_string_or_null(problem), activity);
  co_return found(std::move(json));
}

// The scheduler waits meanwhile, so only one request runs at a time.
Dashboard::State::Answer Dashboard::State::decision(const RequestContext& context) {
  if (!parts.explain || parts.api == nullptr) co_return server::problem_response(501, "this process does not schedule");
  if (explaining > 0) co_return server::problem_response(429, "another decision is being explained; try again");
  ++explaining;
  auto pod = co_await kube::Client(*parts.api).get<api::Pod>(context.names[0], context.names[1]);
  Result<std::string> explanation = fail(Errc::NotFound, "there is no pod {}/{}", context.names[0], context.names[1]);
  if (pod) {
    placement::NodeListing listing;
    listing.most = context.number("limit", listing.most, kMostNodesListed);
    listing.containing = context.query("node");
    explanation = co_await parts.explain(std::move(*pod), std::move(listing));
  }
  --explaining;
  if (!explanation) co_return refused(explanation.error());
  co_return found(std::move(*explanation));
}

Dashboard::State::Answer Dashboard::State::migration(const RequestContext& context) {
  auto json = model.migration_view().one(context.names[0], context.names[1]);
  if (!json) co_return missing(fmt::format("there is no migration {}/{}", context.names[0], context.names[1]));
  co_return found(std::move(*json));
}

Dashboard::State::Answer Dashboard::State::history(const RequestContext& context) {
  constexpr std::size_t kDay = 24 * 60;
  const auto minutes = context.number("minutes", 60, kDay);
  const std::chrono::minutes back(static_cast<std::int64_t>(minutes));
  co_return found(model.history(back));
}

Dashboard::State::Answer Dashboard::State::activity(const RequestContext& context) {
  co_return found(model.activity(context.number("limit", 100, kMostActivities)));
}

Dashboard::State::Answer Dashboard::State::choices(const RequestContext&) {
  if (demo_actions == nullptr) co_return missing("this server is not a demo");
  co_return found(demo_actions->choices());
}

// --- Actions ---

net::HttpResponse Dashboard::State::action_response(const RequestContext& context, const Result<std::string>& result) {
  if (!result) {
    log_info("{} was refused: POST {}: {}", context.who(), context.target.path, result.error().message);
    return refused(result.error());
  }
  log_info("{}: POST {}: {}", context.who(), context.target.path, *result);
  model.add_activity({.kind = "action", .text = fmt::format("{} ({})", *result, context.who())});
  return found(fmt::format(R"({{"message":{}}})", kube::json_string(*result)));
}

Dashboard::State::Answer Dashboard::State::pause(const RequestContext& context) {
  auto request = read_pause(context.request.body);
  if (!request) co_return refused(request.error());
  if (actions == nullptr) co_return missing("this server accepts no actions");
  const auto result = co_await actions->pause(context.who(), request->paused, request->reason);
  co_return action_response(context, result);
}

Dashboard::State::Answer Dashboard::State::apply(const RequestContext& context) {
  auto request = read_apply(context.request.body);
  if (!request) co_return refused(request.error());
  if (actions == nullptr) co_return missing("this server accepts no actions");
  const auto result = co_await actions->apply_plan(context.who(), request->plan);
  co_return action_response(context, result);
}

Dashboard::State::Answer Dashboard::State::cancel(const RequestContext& context) {
  auto request = read_cancel(context.request.body);
  if (!request) co_return refused(request.error());
  if (actions == nullptr) co_return missing("this server accepts no actions");
  const auto result = co_await actions->cancel_migration(context.who(), request->ns, request->name);
  co_return action_response(context, result);
}

Dashboard::State::Answer Dashboard::State::move(const RequestContext& context) {
  auto request = read_move(context.request.body);
  if (!request) co_return refused(request.error());
  if (actions == nullptr) co_return missing("this server accepts no actions");
  const auto result = co_await actions->move(context.who(), request->ns, request->pod, request->to, request->mode);
  co_return action_response(context, result);
}

Dashboard::State::Answer Dashboard::State::set_maintenance(const RequestContext& context) {
  auto request = read_maintenance(context.request.body);
  if (!request) co_return refused(request.error());
  if (actions == nullptr) co_return missing("this server accepts no actions");
  const auto result = co_await actions->maintenance(context.who(), request->node, request->on);
  co_return action_response(context, result);
}

Dashboard::State::Answer Dashboard::State::demo(const RequestContext& context) {
  const auto demo_action = read_demo_action(context.request.body);
  if (!demo_action) co_return refused(demo_action.error());
  if (demo_actions == nullptr) co_return missing("this server is not a demo");
  co_return action_response(context, demo_actions->perform(*demo_action));
}

}  // namespace rescheduler::dashboard
