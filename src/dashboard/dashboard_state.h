// Implementation of Dashboard: the handlers of all paths, and the periodic updates. Internal to dashboard/.
#pragma once

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dashboard/dashboard.h"
#include "net/event_loop.h"

namespace rescheduler::dashboard {

struct Dashboard::State : std::enable_shared_from_this<State> {
  using Access = server::Access;
  using Caller = server::Caller;
  using RequestTarget = server::RequestTarget;

  explicit State(DashboardParts the_parts)
      : parts(std::move(the_parts)), event_stream(parts.executor), model(*parts.clock, event_stream, parts.model) {}

  DashboardParts parts;
  EventStream event_stream;
  DashboardModel model;
  Actions* actions = nullptr;
  DemoActions* demo_actions = nullptr;
  net::RealTimers timers{};
  std::vector<net::Job> jobs{};
  std::size_t explaining = 0;

  // One request, with the values of {...} in its path.
  struct RequestContext {
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
    std::string who() const { return caller.user_info ? caller.user_info->name : "a user of this machine"; }
  };
  using Answer = net::Task<net::HttpResponse>;
  using Handler = Answer (State::*)(const RequestContext&);

  struct Entry {
    std::string_view method;
    std::string_view path;
    Access access;
    Handler handle;  // null: the event stream
  };
  static const std::vector<Entry>& table();
  static const Entry* find(std::string_view method, std::string_view path, std::vector<std::string>& names);
  static net::Task<void> answer(std::shared_ptr<State> self,
                                const net::HttpRequest& request,
                                const RequestTarget& target,
                                const Caller& caller,
                                net::Responder& responder);

  static net::Task<void> keep_ticking(std::shared_ptr<State> self);
  static net::Task<void> keep_polling(std::shared_ptr<State> self);

  // --- Reads ---
  static net::HttpResponse found(std::string json) { return server::json_response(200, std::move(json)); }
  static net::HttpResponse missing(std::string_view what) { return server::problem_response(404, what); }
  Answer session(const RequestContext& context);
  Answer openapi_page(const RequestContext&) { co_return found(std::string(openapi())); }
  Answer overview(const RequestContext&) { co_return found(model.overview()); }
  Answer nodes(const RequestContext&) { co_return found(model.nodes()); }
  Answer node(const RequestContext& context);
  Answer pods(const RequestContext& context);
  Answer pod(const RequestContext& context);
  Answer decision(const RequestContext& context);
  Answer plan(const RequestContext&) { co_return found(model.plans()); }
  Answer migrations(const RequestContext&) { co_return found(model.migrations()); }
  Answer migration(const RequestContext& context);
  Answer recovery(const RequestContext&) { co_return found(model.recovery()); }
  Answer maintenance(const RequestContext&) { co_return found(model.maintenance()); }
  Answer settings(const RequestContext&) { co_return found(parts.settings_json); }
  Answer history(const RequestContext& context);
  Answer activity(const RequestContext& context);
  Answer choices(const RequestContext& context);

  // --- Actions ---
  Answer pause(const RequestContext& context);
  Answer apply(const RequestContext& context);
  Answer cancel(const RequestContext& context);
  Answer move(const RequestContext& context);
  Answer set_maintenance(const RequestContext& context);
  Answer demo(const RequestContext& context);
  net::HttpResponse action_response(const RequestContext& context, const Result<std::string>& result);
};

}  // namespace rescheduler::dashboard
