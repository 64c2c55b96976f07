#include "dashboard/event_stream.h"

#include <deque>
#include <vector>

#include "net/waiter.h"

namespace rescheduler::dashboard {
namespace {

using Text = std::shared_ptr<const std::string>;

const Text kHeartbeat = std::make_shared<const std::string>(": still here\n\n");

struct Viewer {
  std::deque<Text> backlog{};
  std::size_t bytes = 0;
  bool dropped = false;
  SteadyTime next_heartbeat{};
  std::unique_ptr<net::Waiter> waiter{};

  void wake() const {
    if (waiter) waiter->wake();
  }
  std::string take() {
    std::string all;
    all.reserve(bytes);
    for (const Text& text : backlog) all += *text;
    backlog.clear();
    bytes = 0;
    return all;
  }
};

}  // namespace

struct EventStream::State {
  State(net::Executor the_executor, EventStreamSettings the_settings)
      : executor(std::move(the_executor)), settings(the_settings) {}

  net::Executor executor;
  EventStreamSettings settings;
  std::vector<std::shared_ptr<Viewer>> viewers{};
  bool closed = false;

  static net::Task<void> serve(std::shared_ptr<State> self,
                               std::string hello,
                               std::function<net::Task<bool>()> authorized,
                               net::Responder& responder);
  static net::Task<bool> go_on(std::shared_ptr<State> self,
                               std::shared_ptr<Viewer> viewer,
                               std::function<net::Task<bool>()> authorized,
                               net::Responder& responder);
};

std::string event_text(std::string_view event, std::string_view json) {
  std::string text;
  text.reserve(event.size() + json.size() + 16);
  text += "event: ";
  text += event;
  text += "\ndata: ";
  text += json;
  text += "\n\n";
  return text;
}

EventStream::EventStream(net::Executor executor, EventStreamSettings settings)
    : state_(std::make_shared<State>(std::move(executor), settings)) {}

EventStream::~EventStream() { close(); }

void EventStream::publish(std::string_view event, std::string_view json) {
  if (state_->viewers.empty()) return;
  const Text text = std::make_shared<const std::string>(event_text(event, json));
  for (const auto& viewer : state_->viewers) {
    if (viewer->dropped) continue;
    viewer->bytes += text->size();
    viewer->backlog.push_back(text);
    if (viewer->bytes > state_->settings.most_backlog) {
      viewer->dropped = true;
      viewer->backlog.clear();
      viewer->bytes = 0;
    }
    viewer->wake();
  }
}

std::size_t EventStream::viewers() const { return state_->viewers.size(); }
bool EventStream::full() const { return state_->viewers.size() >= state_->settings.most_viewers; }

void EventStream::close() {
  state_->closed = true;
  for (const auto& viewer : state_->viewers) viewer->wake();
}

net::Task<void> EventStream::serve(std::string hello,
                                   std::function<net::Task<bool>()> authorized,
                                   net::Responder& responder) {
  return State::serve(state_, std::move(hello), std::move(authorized), responder);
}

net::Task<void> EventStream::State::serve(std::shared_ptr<State> self,
                                          std::string hello,
                                          std::function<net::Task<bool>()> authorized,
                                          net::Responder& responder) {
  const auto viewer = std::make_shared<Viewer>();
  viewer->next_heartbeat = net::deadline_after(self->settings.heartbeat);
  viewer->backlog.push_back(std::make_shared<const std::string>(event_text("hello", hello)));
  self->viewers.push_back(viewer);
  net::HttpResponse head;
  head.status = 200;
  head.headers.set("Content-Type", "text/event-stream; charset=utf-8");
  head.headers.set("Cache-Control", "no-cache, no-store");
  head.headers.set("X-Content-Type-Options", "nosniff");
  head.headers.set("X-Accel-Buffering", "no");  // keeps proxies from buffering the response
  const auto started = co_await responder.start(std::move(head));
  bool goes_on = started.has_value();
  while (goes_on) {
    const bool again = co_await go_on(self, viewer, authorized, responder);
    goes_on = again;
  }
  std::erase(self->viewers, viewer);
}

// One step of a stream: checks the permission, writes the backlog, or waits for an event. False: the stream ends.
net::Task<bool> EventStream::State::go_on(std::shared_ptr<State> self,
                                          std::shared_ptr<Viewer> viewer,
                                          std::function<net::Task<bool>()> authorized,
                                          net::Responder& responder) {
  if (self->closed) {
    (void)co_await responder.finish();
    co_return false;
  }
  if (viewer->dropped) co_return false;
  if (net::deadline_after({}) >= viewer->next_heartbeat) {
    viewer->next_heartbeat = net::deadline_after(self->settings.heartbeat);
    if (viewer->backlog.empty()) viewer->backlog.push_back(kHeartbeat);
    if (!authorized) co_return true;
    const bool allowed = co_await authorized();
    co_return allowed;
  }
  if (!viewer->backlog.empty()) {
    const auto written = co_await responder.write(viewer->take());
    co_return written.has_value();
  }
  viewer->waiter = std::make_unique<net::Waiter>(self->executor);
  const auto woken = co_await viewer->waiter->wait(viewer->next_heartbeat);
  viewer->waiter.reset();
  co_return woken || woken.error().code == Errc::Timeout;
}

}  // namespace rescheduler::dashboard
