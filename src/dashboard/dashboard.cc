#include "dashboard/dashboard.h"

#include <map>

#include "dashboard/assets.h"
#include "dashboard/dashboard_state.h"
#include "kube/proto/coordination.pb.h"

namespace rescheduler::dashboard {
namespace {

constexpr std::chrono::milliseconds kBetweenTicks{500};
constexpr std::chrono::seconds kPollInterval{3};  // between checks of the API server
constexpr std::chrono::seconds kPatience{4};      // timeout of such a check

// The requests of the first page view (web/src/state/connection.ts).
constexpr const char* kFirstPicture =
    "</api/v1/nodes>; rel=preload; as=fetch; crossorigin, </api/v1/overview>; rel=preload; as=fetch; crossorigin, "
    "</api/v1/session>; rel=preload; as=fetch; crossorigin";

using server::Access;
using server::Caller;
using server::RequestTarget;

}  // namespace

const std::vector<Dashboard::State::Entry>& Dashboard::State::table() {
  static const std::vector<Entry> entries = {
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
      {"GET", "/api/v1/news", Access::Reading, &State::activity},
      {"GET", "/api/v1/stream", Access::Reading, nullptr},
      {"GET", "/api/v1/demo/choices", Access::Reading, &State::choices},
      {"POST", "/api/v1/pause", Access::Acting, &State::pause},
      {"POST", "/api/v1/plan/apply", Access::Acting, &State::apply},
      {"POST", "/api/v1/migrations/cancel", Access::Acting, &State::cancel},
      {"POST", "/api/v1/moves", Access::Acting, &State::move},
      {"POST", "/api/v1/maintenance", Access::Acting, &State::set_maintenance},
      {"POST", "/api/v1/demo", Access::Acting, &State::demo},
  };
  return entries;
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
  RequestContext context{request, target, caller};
  const Entry* entry = find(request.method, target.path, context.names);
  if (entry != nullptr && entry->handle == nullptr && !self->event_stream.full()) {
    co_await self->event_stream.serve(self->model.hello(), caller.still_allowed, responder);
    co_return;
  }
  net::HttpResponse response;
  if (entry == nullptr) {
    response = missing("Not found; /api/v1/openapi.json lists all paths.");
  } else if (entry->handle == nullptr) {
    response = server::problem_response(503, "Too many pages are open; close one.");
  } else {
    response = co_await ((*self).*(entry->handle))(context);
  }
  set_page_headers(response);
  (void)co_await responder.send(std::move(response));
}

// --- Lifecycle ---

net::Task<void> Dashboard::State::keep_ticking(std::shared_ptr<State> self) {
  for (;;) {
    const auto slept = co_await self->timers.sleep_for(kBetweenTicks);
    if (!slept) co_return;
    self->model.tick();
  }
}

net::Task<void> Dashboard::State::keep_polling(std::shared_ptr<State> self) {
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
      self->model.api_unreachable(answered.error().message);
    } else {
      self->model.api_reachable();
    }
    const auto slept = co_await self->timers.sleep_for(kPollInterval);
    if (!slept) co_return;
  }
}

Dashboard::Dashboard(DashboardParts parts) : state_(std::make_shared<State>(std::move(parts))) {}

Dashboard::~Dashboard() { stop(); }

DashboardModel& Dashboard::model() { return state_->model; }
EventStream& Dashboard::event_stream() { return state_->event_stream; }

void Dashboard::set_actions(Actions* actions, DemoActions* demo_actions) {
  state_->actions = actions;
  state_->demo_actions = demo_actions;
}

// Weak, because the scheduler can call the sink after this object is gone.
scheduler::ClusterSink Dashboard::sink() {
  const std::weak_ptr<State> weak = state_;
  scheduler::ClusterSink sink;
  sink.upsert = [weak](const kube::ObjectPtr& object) {
    if (const auto self = weak.lock()) self->model.upsert(object);
  };
  sink.remove = [weak](const kube::ObjectPtr& object) {
    if (const auto self = weak.lock()) self->model.remove(object);
  };
  sink.loads = [weak](const std::shared_ptr<const scheduler::LoadUpdate>& loads) {
    if (const auto self = weak.lock()) self->model.loads(*loads);
  };
  return sink;
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
  pages.handle = [open = server.on_loopback()](const net::HttpRequest& request, const RequestTarget& target) {
    const auto page = [](net::HttpResponse made) -> net::Task<net::HttpResponse> { co_return made; };
    constexpr std::string_view kRoot = "/ui/";
    std::string_view below = std::string_view(target.path).substr(kRoot.size());
    net::HttpResponse made = page_for(assets(), below.empty() ? "index.html" : below, request);
    // If no token is needed, the browser can load the data while it loads the script.
    if (open && made.headers.get("Content-Type").starts_with("text/html")) made.headers.set("Link", kFirstPicture);
    return page(std::move(made));
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
    if (const auto self = weak.lock()) self->event_stream.close();
  });
}

void Dashboard::start() {
  state_->jobs.push_back(net::spawn(state_->parts.executor, "dashboard", State::keep_ticking(state_)));
  if (state_->parts.api != nullptr) {
    state_->jobs.push_back(net::spawn(state_->parts.executor, "dashboard looks", State::keep_polling(state_)));
  }
}

void Dashboard::stop() {
  state_->event_stream.close();
  for (net::Job& job : state_->jobs) job.cancel();
  state_->model.set_sources({});
}

std::vector<RouteInfo> Dashboard::routes() {
  std::vector<RouteInfo> all;
  for (const State::Entry& entry : State::table()) all.push_back({std::string(entry.method), std::string(entry.path)});
  return all;
}

}  // namespace rescheduler::dashboard
