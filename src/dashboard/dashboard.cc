#include "dashboard/dashboard.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/log.h"
#include "base/version.h"
#include "dashboard/action_body.h"
#include "dashboard/assets.h"
#include "dashboard/json.h"
#include "kube/client/client.h"
#include "kube/proto/coordination.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::dashboard {
namespace {

constexpr std::chrono::milliseconds kBetweenTicks{500};
constexpr std::chrono::seconds kBetweenLooks{3};  // at the API server
constexpr std::chrono::seconds kPatience{4};      // with it
constexpr std::size_t kMostPods = 2000;
constexpr std::size_t kMostNews = 1000;

using server::Access;
using server::Caller;
using server::RequestTarget;

}  // namespace

struct Dashboard::State : std::enable_shared_from_this<State> {
  explicit State(DashboardParts the_parts)
      : parts(std::move(the_parts)), feed(parts.executor), board(*parts.clock, feed, parts.board) {}

  DashboardParts parts;
  Feed feed;
  Board board;
  Actions* actions = nullptr;
  DemoDeeds* deeds = nullptr;
  net::RealTimers timers{};
  std::vector<net::Job> jobs{};
  std::size_t explaining = 0;

  // One question, with what its path has in place of {...}.
  struct Ask {
    const net::HttpRequest& request;
    const RequestTarget& target;
    const Caller& caller;
    std::vector<std::string> names{};

    std::string query(std::string_view key) const {
      const auto all = target.all(key);
      return all.empty() ? std::string() : all.back();
    }
    std::size_t number(std::string_view key, std::size_t otherwise, std::size_t most) const {
      const std::string text = query(key);
      std::size_t value = 0;
      const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (text.empty() || fault != std::errc() || end != text.data() + text.size()) return otherwise;
      return std::min(value, most);
    }
    std::string who() const { return caller.visitor ? caller.visitor->name : "somebody at this machine"; }
  };
  using Answer = net::Task<net::HttpResponse>;
  using Handler = Answer (State::*)(const Ask&);

  struct Entry {
    std::string_view method;
    std::string_view path;
    Access access;
    Handler handle;  // null: the stream
  };
  static const std::vector<Entry>& table();
  static const Entry* find(std::string_view method, std::string_view path, std::vector<std::string>& names);
  static net::Task<void> answer(std::shared_ptr<State> self,
                                const net::HttpRequest& request,
                                const RequestTarget& target,
                                const Caller& caller,
                                net::Responder& responder);

  static net::Task<void> keep_ticking(std::shared_ptr<State> self);
  static net::Task<void> keep_looking(std::shared_ptr<State> self);

  // --- Reads ---
  static net::HttpResponse found(std::string json) { return server::json_response(200, std::move(json)); }
  static net::HttpResponse missing(std::string_view what) { return server::problem_response(404, what); }
  Answer session(const Ask& ask);
  Answer openapi_page(const Ask&) { co_return found(std::string(openapi())); }
  Answer overview(const Ask&) { co_return found(board.overview()); }
  Answer nodes(const Ask&) { co_return found(board.nodes()); }
  Answer node(const Ask& ask);
  Answer pods(const Ask& ask);
  Answer pod(const Ask& ask);
  Answer decision(const Ask& ask);
  Answer plan(const Ask&) { co_return found(board.plans()); }
  Answer migrations(const Ask&) { co_return found(board.migrations()); }
  Answer migration(const Ask& ask);
  Answer recovery(const Ask&) { co_return found(board.recovery()); }
  Answer maintenance(const Ask&) { co_return found(board.maintenance()); }
  Answer settings(const Ask&) { co_return found(parts.settings_json); }
  Answer history(const Ask& ask);
  Answer news(const Ask& ask);
  Answer choices(const Ask& ask);

  // --- Actions ---
  Answer pause(const Ask& ask);
  Answer apply(const Ask& ask);
  Answer cancel(const Ask& ask);
  Answer move(const Ask& ask);
  Answer set_maintenance(const Ask& ask);
  Answer demo(const Ask& ask);
  net::HttpResponse told(const Ask& ask, const Result<std::string>& result);
};

const std::vector<Dashboard::State::Entry>& Dashboard::State::table() {
  static const std::vector<Entry> kTable = {
      {"GET", "/api/v1/session", Access::Page, &State::session},
      {"GET", "/api/v1/openapi.json", Access::Page, &State::openapi_page},
      {"GET", "/api/v1/overview", Access::Reading, &State::overview},
      {"GET", "/api/v1/nodes", Access::Reading, &State::nodes},
      {"GET", "/api/v1/nodes/{name}", Access::Reading, &State::node},
      {"GET", "/api/v1/pods", Access::Reading, &State::pods},
      {"GET", "/api/v1/pods/{namespace}/{name}", Access::Reading, &State::pod},
      {"GET", "/api/v1/pods/{namespace}/{name}/decision", Access::Reading, &State::decision},
      {"GET", "/api/v1/plan", Access::Reading, &State::plan},
      {"GET", "/api/v1/migrations", Access::Reading, &State::migrations},
      {"GET", "/api/v1/migrations/{namespace}/{name}", Access::Reading, &State::migration},
      {"GET", "/api/v1/recovery", Access::Reading, &State::recovery},
      {"GET", "/api/v1/maintenance", Access::Acting, &State::maintenance},
      {"GET", "/api/v1/settings", Access::Reading, &State::settings},
      {"GET", "/api/v1/history", Access::Reading, &State::history},
      {"GET", "/api/v1/news", Access::Reading, &State::news},
      {"GET", "/api/v1/stream", Access::Reading, nullptr},
      {"GET", "/api/v1/demo/choices", Access::Reading, &State::choices},
      {"POST", "/api/v1/pause", Access::Acting, &State::pause},
      {"POST", "/api/v1/plan/apply", Access::Acting, &State::apply},
      {"POST", "/api/v1/migrations/cancel", Access::Acting, &State::cancel},
      {"POST", "/api/v1/moves", Access::Acting, &State::move},
      {"POST", "/api/v1/maintenance", Access::Acting, &State::set_maintenance},
      {"POST", "/api/v1/demo", Access::Acting, &State::demo},
  };
  return kTable;
}

namespace {

// The pieces of a path between slashes.
std::vector<std::string_view> pieces(std::string_view path) {
  std::vector<std::string_view> all;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t slash = std::min(path.find('/'), path.size());
    all.push_back(path.substr(0, slash));
    path.remove_prefix(slash);
  }
  return all;
}

bool fits(std::string_view pattern, std::string_view path, std::vector<std::string>& names) {
  const auto wanted = pieces(pattern);
  const auto given = pieces(path);
  if (wanted.size() != given.size()) return false;
  names.clear();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i].starts_with('{')) {
      if (wanted[i] != given[i]) return false;
    } else if (given[i].empty()) {
      return false;
    } else {
      names.emplace_back(given[i]);
    }
  }
  return true;
}

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

struct ActionWord {
  const char* name;
  const char* path;
};
constexpr std::array<ActionWord, 6> kActions = {{{"pause", "/api/v1/pause"},
                                                 {"applyPlan", "/api/v1/plan/apply"},
                                                 {"cancelMigration", "/api/v1/migrations/cancel"},
                                                 {"move", "/api/v1/moves"},
                                                 {"maintenance", "/api/v1/maintenance"},
                                                 {"demo", "/api/v1/demo"}}};

}  // namespace

const Dashboard::State::Entry* Dashboard::State::find(std::string_view method,
                                                      std::string_view path,
                                                      std::vector<std::string>& names) {
  const std::string_view asked = method == "HEAD" ? std::string_view("GET") : method;
  for (const Entry& entry : table()) {
    if (entry.method == asked && fits(entry.path, path, names)) return &entry;
  }
  return nullptr;
}

net::Task<void> Dashboard::State::answer(std::shared_ptr<State> self,
                                         const net::HttpRequest& request,
                                         const RequestTarget& target,
                                         const Caller& caller,
                                         net::Responder& responder) {
  Ask ask{request, target, caller};
  const Entry* entry = find(request.method, target.path, ask.names);
  if (entry != nullptr && entry->handle == nullptr && !self->feed.full()) {
    co_await self->feed.serve(self->board.hello(), caller.still_allowed, responder);
    co_return;
  }
  net::HttpResponse response;
  if (entry == nullptr) {
    response = missing("There is nothing here; /api/v1/openapi.json says what there is.");
  } else if (entry->handle == nullptr) {
    response = server::problem_response(503, "Too many are looking already; close a page.");
  } else {
    response = co_await ((*self).*(entry->handle))(ask);
  }
  set_page_headers(response);
  (void)co_await responder.send(std::move(response));
}

// --- Reads ---

Dashboard::State::Answer Dashboard::State::session(const Ask& ask) {
  std::string may;
  for (const ActionWord& action : kActions) {
    const bool there = std::string_view(action.name) == "demo" ? deeds != nullptr : actions != nullptr;
    bool allowed = false;
    if (there) {
      auto said = co_await ask.caller.might("post", action.path);
      allowed = said && *said;
    }
    may += fmt::format("{}\"{}\":{}", may.empty() ? "" : ",", action.name, allowed);
  }
  auto reads = co_await ask.caller.might("get", "/api/v1/overview");
  const bool needs_token = ask.caller.visitor == nullptr && reads && !*reads;
  co_return found(fmt::format(
      R"({{"user":{},"needsToken":{},"may":{{{}}},"version":{},"cluster":{},"boot":{},"demo":{},"grafana":{}}})",
      ask.caller.visitor ? quoted(ask.caller.visitor->name) : "null", needs_token, may, quoted(kVersion),
      needs_token ? "\"\"" : quoted(parts.board.cluster), quoted(parts.board.boot), parts.demo,
      needs_token ? "null" : quoted_or_null(parts.grafana)));
}

Dashboard::State::Answer Dashboard::State::node(const Ask& ask) {
  auto json = board.node(ask.names[0]);
  if (!json) co_return missing(fmt::format("there is no node {}", ask.names[0]));
  co_return found(std::move(*json));
}

Dashboard::State::Answer Dashboard::State::pods(const Ask& ask) {
  PodQuery query{ask.query("query"), ask.query("node"), ask.query("state"), ask.number("limit", 200, kMostPods)};
  if (!query.state.empty() && query.state != "pending" && query.state != "failing") {
    co_return server::problem_response(400, "state is pending or failing");
  }
  co_return found(board.pods(query));
}

Dashboard::State::Answer Dashboard::State::pod(const Ask& ask) {
  const std::string ns = ask.names[0];
  const std::string name = ask.names[1];
  if (board.book().pod(ns + "/" + name) == nullptr) co_return missing(fmt::format("there is no pod {}/{}", ns, name));
  api::Pod object;
  if (parts.api != nullptr) {
    auto read = co_await kube::Client(*parts.api).get<api::Pod>(ns, name);
    if (read) object = std::move(*read);  // else what we know has to do
  }
  const PodEntry* entry = board.book().pod(ns + "/" + name);
  if (entry == nullptr) co_return missing(fmt::format("there is no pod {}/{} any more", ns, name));
  co_return found(fmt::format(
      R"({{"pod":{},"uid":{},"scheduler":{},"labels":{},"attempts":{},"migrations":{},"events":{}}})",
      board.pod_row(*entry), quoted(entry->uid), quoted(object.spec().scheduler_name()),
      text_object(
          std::map<std::string, std::string>(object.metadata().labels().begin(), object.metadata().labels().end())),
      board.attempts_of(*entry), board.migration_book().of_pod(ns, name, entry->owner_kind, entry->owner_name),
      board.news_ring().about({"Pod", ns, name}, 50)));
}

// The scheduler waits meanwhile, so one at a time.
Dashboard::State::Answer Dashboard::State::decision(const Ask& ask) {
  if (!parts.explain || parts.api == nullptr) co_return server::problem_response(501, "nobody decides here");
  if (explaining > 0) co_return server::problem_response(429, "another decision is being explained; try again");
  ++explaining;
  auto pod = co_await kube::Client(*parts.api).get<api::Pod>(ask.names[0], ask.names[1]);
  Result<std::string> said = fail(Errc::NotFound, "there is no pod {}/{}", ask.names[0], ask.names[1]);
  if (pod) said = co_await parts.explain(*pod);
  --explaining;
  if (!said) co_return refused(said.error());
  co_return found(std::move(*said));
}

Dashboard::State::Answer Dashboard::State::migration(const Ask& ask) {
  auto json = board.migration_book().one(ask.names[0], ask.names[1]);
  if (!json) co_return missing(fmt::format("there is no migration {}/{}", ask.names[0], ask.names[1]));
  co_return found(std::move(*json));
}

Dashboard::State::Answer Dashboard::State::history(const Ask& ask) {
  constexpr std::size_t kDay = 24 * 60;
  const auto minutes = ask.number("minutes", 60, kDay);
  co_return found(board.history(std::chrono::minutes{static_cast<std::int64_t>(minutes)}));
}

Dashboard::State::Answer Dashboard::State::news(const Ask& ask) {
  co_return found(board.news(ask.number("limit", 100, kMostNews)));
}

Dashboard::State::Answer Dashboard::State::choices(const Ask&) {
  if (deeds == nullptr) co_return missing("this is no demo");
  co_return found(deeds->choices());
}

// --- Actions ---

net::HttpResponse Dashboard::State::told(const Ask& ask, const Result<std::string>& result) {
  if (!result) {
    log_info("{} was refused: POST {}: {}", ask.who(), ask.target.path, result.error().message);
    return refused(result.error());
  }
  log_info("{}: POST {}: {}", ask.who(), ask.target.path, *result);
  board.tell({.kind = "action", .text = fmt::format("{} ({})", *result, ask.who())});
  return found(fmt::format(R"({{"message":{}}})", quoted(*result)));
}

Dashboard::State::Answer Dashboard::State::pause(const Ask& ask) {
  auto wish = read_pause(ask.request.body);
  if (!wish) co_return refused(wish.error());
  if (actions == nullptr) co_return missing("nothing can be done here");
  const auto result = co_await actions->pause(ask.who(), wish->paused, wish->reason);
  co_return told(ask, result);
}

Dashboard::State::Answer Dashboard::State::apply(const Ask& ask) {
  auto wish = read_apply(ask.request.body);
  if (!wish) co_return refused(wish.error());
  if (actions == nullptr) co_return missing("nothing can be done here");
  const auto result = co_await actions->apply_plan(ask.who(), wish->plan);
  co_return told(ask, result);
}

Dashboard::State::Answer Dashboard::State::cancel(const Ask& ask) {
  auto wish = read_cancel(ask.request.body);
  if (!wish) co_return refused(wish.error());
  if (actions == nullptr) co_return missing("nothing can be done here");
  const auto result = co_await actions->cancel_migration(ask.who(), wish->ns, wish->name);
  co_return told(ask, result);
}

Dashboard::State::Answer Dashboard::State::move(const Ask& ask) {
  auto wish = read_move(ask.request.body);
  if (!wish) co_return refused(wish.error());
  if (actions == nullptr) co_return missing("nothing can be done here");
  const auto result = co_await actions->move(ask.who(), wish->ns, wish->pod, wish->to, wish->mode);
  co_return told(ask, result);
}

Dashboard::State::Answer Dashboard::State::set_maintenance(const Ask& ask) {
  auto wish = read_maintenance(ask.request.body);
  if (!wish) co_return refused(wish.error());
  if (actions == nullptr) co_return missing("nothing can be done here");
  const auto result = co_await actions->maintenance(ask.who(), wish->node, wish->on);
  co_return told(ask, result);
}

Dashboard::State::Answer Dashboard::State::demo(const Ask& ask) {
  const auto deed = read_deed(ask.request.body);
  if (!deed) co_return refused(deed.error());
  if (deeds == nullptr) co_return missing("this is no demo");
  co_return told(ask, deeds->perform(*deed));
}

// --- Life ---

net::Task<void> Dashboard::State::keep_ticking(std::shared_ptr<State> self) {
  for (;;) {
    const auto slept = co_await self->timers.sleep_for(kBetweenTicks);
    if (!slept) co_return;
    self->board.tick();
  }
}

net::Task<void> Dashboard::State::keep_looking(std::shared_ptr<State> self) {
  for (;;) {
    kube::ApiCall call;
    call.verb = kube::Verb::Get;
    call.resource = &kube::resource_of<api::Lease>();
    call.ns = self->parts.lease_namespace;
    call.name = self->parts.lease_name;
    call.repeat = kube::Repeat::Never;
    call.timeout = kPatience;
    auto answered = co_await self->parts.api->call(std::move(call), nullptr);
    if (!answered && answered.error().code == Errc::Cancelled) co_return;
    const bool away =
        !answered && (answered.error().code == Errc::Unavailable || answered.error().code == Errc::Timeout);
    if (away) {
      self->board.api_is_silent(answered.error().message);
    } else {
      self->board.api_answers();
    }
    const auto slept = co_await self->timers.sleep_for(kBetweenLooks);
    if (!slept) co_return;
  }
}

Dashboard::Dashboard(DashboardParts parts) : state_(std::make_shared<State>(std::move(parts))) {}

Dashboard::~Dashboard() { stop(); }

Board& Dashboard::board() { return state_->board; }
Feed& Dashboard::feed() { return state_->feed; }

void Dashboard::set_actions(Actions* actions, DemoDeeds* deeds) {
  state_->actions = actions;
  state_->deeds = deeds;
}

// Weak: the scheduler may speak longer than we listen.
void Dashboard::listen(scheduler::ClusterSink& sink) {
  const std::weak_ptr<State> weak = state_;
  sink.seen = [weak, before = std::move(sink.seen)](const kube::ObjectPtr& object) {
    if (before) before(object);
    if (const auto self = weak.lock()) self->board.seen(object);
  };
  sink.gone = [weak, before = std::move(sink.gone)](const kube::ObjectPtr& object) {
    if (before) before(object);
    if (const auto self = weak.lock()) self->board.gone(object);
  };
  sink.loads = [weak, before = std::move(sink.loads)](std::shared_ptr<const scheduler::LoadsSeen> loads) {
    if (const auto self = weak.lock()) self->board.loads(*loads);
    if (before) before(std::move(loads));
  };
}

void Dashboard::serve(server::Server& server) {
  const auto add = [&](std::string path, Access access, std::vector<std::string> methods) {
    server::Route route;
    route.path = std::move(path);
    route.access = access;
    route.methods = std::move(methods);
    route.call = [self = state_](const net::HttpRequest& request, const RequestTarget& target, const Caller& caller,
                                 net::Responder& responder) {
      return State::answer(self, request, target, caller, responder);
    };
    server.add_route(std::move(route));
  };
  add("/api/", Access::Reading, {"GET", "HEAD"});
  std::map<std::string, std::vector<std::string>> acting;
  for (const State::Entry& entry : State::table()) {
    if (entry.access == Access::Page) add(std::string(entry.path), Access::Page, {"GET", "HEAD"});
    if (entry.access != Access::Acting) continue;
    auto& methods = acting[std::string(entry.path)];
    if (entry.method == "GET") methods.insert(methods.end(), {"GET", "HEAD"});
    if (entry.method == "POST") methods.emplace_back("POST");
  }
  for (auto& [path, methods] : acting) add(path, Access::Acting, std::move(methods));

  server::Route pages;
  pages.path = "/ui/";
  pages.access = Access::Page;
  pages.handle = [](const net::HttpRequest& request, const RequestTarget& target) {
    const auto page = [](net::HttpResponse made) -> net::Task<net::HttpResponse> { co_return made; };
    constexpr std::string_view kRoot = "/ui/";
    std::string_view below = std::string_view(target.path).substr(kRoot.size());
    return page(page_for(assets(), below.empty() ? "index.html" : below, request));
  };
  server.add_route(std::move(pages));
  server::Route to_pages;
  to_pages.path = "/ui";
  to_pages.access = Access::Page;
  to_pages.handle = [](const net::HttpRequest&, const RequestTarget&) -> net::Task<net::HttpResponse> {
    net::HttpResponse there = server::text_response(308, "The pages are at /ui/.\n");
    there.headers.set("Location", "/ui/");
    set_page_headers(there);
    co_return there;
  };
  server.add_route(std::move(to_pages));
  server.on_stop([weak = std::weak_ptr<State>(state_)] {
    if (const auto self = weak.lock()) self->feed.close();
  });
}

void Dashboard::start() {
  state_->jobs.push_back(net::spawn(state_->parts.executor, "dashboard", State::keep_ticking(state_)));
  if (state_->parts.api != nullptr) {
    state_->jobs.push_back(net::spawn(state_->parts.executor, "dashboard looks", State::keep_looking(state_)));
  }
}

void Dashboard::stop() {
  state_->feed.close();
  for (net::Job& job : state_->jobs) job.cancel();
  state_->board.ask({});
}

std::vector<RouteWord> Dashboard::routes() {
  std::vector<RouteWord> all;
  for (const State::Entry& entry : State::table()) all.push_back({std::string(entry.method), std::string(entry.path)});
  return all;
}

}  // namespace rescheduler::dashboard
