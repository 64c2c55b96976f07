#include "server/routes.h"

#include <utility>

namespace rescheduler::server {
namespace {

bool covers(const Route& route, std::string_view path) {
  return route.path == path || (route.path.ends_with('/') && path.starts_with(route.path));
}

net::HttpResponse response(int status, std::string_view type, std::string body) {
  net::HttpResponse made;
  made.status = status;
  made.headers.set("Content-Type", type);
  made.headers.set("X-Content-Type-Options", "nosniff");
  made.headers.set("Cache-Control", "no-cache, no-store");
  made.body = std::move(body);
  return made;
}

}  // namespace

void Routes::add(Route route) { routes_.push_back(std::move(route)); }

const Route* Routes::find(std::string_view path) const {
  const Route* best = nullptr;
  for (const Route& route : routes_) {
    if (covers(route, path) && (best == nullptr || best->path.size() < route.path.size())) best = &route;
  }
  return best;
}

net::HttpResponse text_response(int status, std::string text) {
  return response(status, "text/plain; charset=utf-8", std::move(text));
}

net::HttpResponse json_response(int status, std::string json) {
  return response(status, "application/json", std::move(json));
}

}  // namespace rescheduler::server
