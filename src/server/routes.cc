#include "server/routes.h"

#include <utility>

#include <fmt/format.h>

#include "kube/codec/json_scalars.h"

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

net::HttpResponse problem_response(int status, std::string_view sentence) {
  std::string message;
  kube::append_json_string(message, sentence.substr(0, sentence.find_last_not_of('\n') + 1));
  return json_response(status, fmt::format(R"({{"status":{},"message":{}}})", status, message));
}

net::HttpResponse for_path(std::string_view path, net::HttpResponse refusal) {
  if (!path.starts_with("/api/") || !refusal.headers.get("Content-Type").starts_with("text/plain")) return refusal;
  net::HttpResponse problem = problem_response(refusal.status, refusal.body);
  for (const auto& [name, value] : refusal.headers) {
    if (name != "Content-Type") problem.headers.set(name, value);
  }
  return problem;
}

}  // namespace rescheduler::server
