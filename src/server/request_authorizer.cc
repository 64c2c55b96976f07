#include "server/request_authorizer.h"

#include <algorithm>

#include "base/log.h"

namespace rescheduler::server {
namespace {

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), lower);
  return text;
}

std::optional<kube::Secret> bearer_token(const net::HttpRequest& request) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view header = request.headers.get("Authorization");
  if (header.size() <= kScheme.size() || in_small_letters(std::string(header.substr(0, kScheme.size()))) != kScheme) {
    return std::nullopt;
  }
  return kube::Secret(std::string(header.substr(kScheme.size())));
}

net::HttpResponse unauthenticated(std::string text) {
  net::HttpResponse refusal = text_response(401, std::move(text));
  refusal.headers.set("WWW-Authenticate", "Bearer");
  return refusal;
}

net::HttpResponse undecided(const Error& error) {
  log_warning("a request is refused because its credentials could not be checked: {}", error.message);
  return text_response(503, "Your credentials cannot be checked at the moment; try again later.\n");
}

// "[::1]:8088" is "::1", "localhost:8088" is "localhost".
std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') == std::string_view::npos ? 0 : host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

bool is_local_name(std::string_view host) {
  const std::string name = in_small_letters(std::string(without_port(host)));
  return name == "localhost" || is_loopback(name);
}

// Headers that a browser sends for a page of another site. Other clients do not send them.
bool is_cross_site(const net::HttpRequest& head, bool page) {
  const std::string_view site = head.headers.get("Sec-Fetch-Site");
  // A user follows a link to a page of this server: this is allowed.
  const bool visits = page && head.method == "GET" && head.headers.get("Sec-Fetch-Mode") == "navigate";
  if (!site.empty() && site != "same-origin" && site != "none" && !visits) return true;
  const auto origin = head.headers.find("Origin");
  if (!origin) return false;
  const std::size_t scheme = origin->find("://");
  return scheme == std::string_view::npos || origin->substr(scheme + 3) != head.headers.get("Host");
}

bool is_json(std::string_view type) {
  return in_small_letters(std::string(type.substr(0, type.find(';')))) == "application/json";
}

std::optional<net::HttpResponse> fault_of_action(const net::HttpRequest& head) {
  if (head.headers.get(kActionHeader) != "1") {
    return text_response(403, "An action needs the header X-Rescheduler-Action: 1.");
  }
  if (!is_json(head.headers.get("Content-Type")))
    return text_response(415, "An action needs the header Content-Type: application/json.");
  const std::string_view length = head.headers.get("Content-Length");
  if (length.empty()) return text_response(411, "An action needs the header Content-Length.");
  const bool number = std::ranges::all_of(length, [](char digit) { return digit >= '0' && digit <= '9'; });
  if (!number || length.size() > 9 || std::stoul(std::string(length)) > kMostActionBytes) {
    return text_response(413, "The body of an action must not be longer than 64 KiB.");
  }
  return std::nullopt;
}

bool answers(const Route& route, const std::string& method) {
  return std::ranges::find(route.methods, method) != route.methods.end();
}

}  // namespace

// Only digits and dots count: a prefix check alone would accept "127.0.0.1.example.org", which anyone can own.
bool is_loopback(std::string_view address) {
  const bool number = std::ranges::all_of(address, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
  return address == "::1" || (number && address.starts_with("127.") && std::ranges::count(address, '.') == 3);
}

net::HttpResponse method_not_allowed(const Route& route) {
  std::string allowed;
  for (const std::string& method : route.methods) allowed += allowed.empty() ? method : ", " + method;
  net::HttpResponse refusal = text_response(405, fmt::format("Only {} is allowed on this path.\n", allowed));
  refusal.headers.set("Allow", allowed);
  return refusal;
}

RequestAuthorizer::RequestAuthorizer(const Routes& routes,
                                     DelegatedAuth* auth,
                                     ExtenderAccess extender,
                                     BrowserAccess browser)
    : routes_(routes), auth_(auth), extender_(std::move(extender)), browser_(browser) {}

bool RequestAuthorizer::is_known_extender_client(const net::PeerIdentity& peer) const {
  if (extender_.anonymous) return true;
  if (!peer.verified) return false;
  const auto& names = extender_.names;
  return names.empty() || std::ranges::find(names, peer.common_name) != names.end();
}

net::Task<std::optional<net::HttpResponse>> RequestAuthorizer::check(const net::HttpRequest& head,
                                                                     const net::PeerIdentity& peer) {
  auto target = parse_target(head.target);
  if (!target) co_return text_response(400, "The path of the request is not valid.\n");
  const Route* route = routes_.find(target->path);
  const Access access = route == nullptr ? Access::Reviewed : route->access;
  if (access == Access::Open) co_return std::nullopt;
  if (access == Access::Page || access == Access::Reading || access == Access::Acting) {
    const std::string path = target->path;
    auto browsing = co_await check_browser(head, peer, *route, std::move(target->path));
    if (browsing) co_return for_path(path, std::move(*browsing));
    co_return std::nullopt;
  }
  if (!peer.tls) co_return text_response(400, "Only health and metrics are served over plain HTTP: use https.\n");
  if (access == Access::Extender && is_known_extender_client(peer)) co_return std::nullopt;
  auto refusal = co_await check_token(head, std::move(target->path));
  co_return refusal;
}

std::optional<net::HttpResponse> RequestAuthorizer::fault_of(const net::HttpRequest& head, const Route& route) const {
  if (browser_.loopback && !is_local_name(head.headers.get("Host"))) {
    return text_response(403, "This port serves this machine only: use the host name 127.0.0.1 or localhost.");
  }
  if (is_cross_site(head, route.access == Access::Page)) {
    return text_response(403, "Requests from pages of other sites are refused.");
  }
  if (!answers(route, head.method)) return method_not_allowed(route);
  if (route.access == Access::Acting && head.method == "POST") return fault_of_action(head);
  return std::nullopt;
}

net::Task<std::optional<net::HttpResponse>> RequestAuthorizer::check_browser(const net::HttpRequest& head,
                                                                             const net::PeerIdentity& peer,
                                                                             const Route& route,
                                                                             std::string path) {
  if (!peer.tls && !browser_.loopback) co_return text_response(400, "Use https for this path.");
  if (auto fault = fault_of(head, route); fault) co_return fault;
  if (route.access == Access::Page) co_return std::nullopt;
  // On a route with actions, a request other than POST only reads.
  const bool acts = route.access == Access::Acting && head.method == "POST";
  if (acts ? browser_.open_actions : browser_.loopback) co_return std::nullopt;
  std::string asked(kPermissionRoot);
  asked += path;
  auto refusal = co_await check_token(head, std::move(asked));
  co_return refusal;
}

net::Task<UserInfoPtr> RequestAuthorizer::user_info(const net::HttpRequest& head) {
  const auto token = bearer_token(head);
  if (!token || auth_ == nullptr) co_return nullptr;
  auto found = co_await auth_->authenticate(*token);
  if (!found) co_return nullptr;
  co_return *found;
}

net::Task<Result<bool>> RequestAuthorizer::would_allow(UserInfoPtr user_info,
                                                       Access access,
                                                       std::string verb,
                                                       std::string path) {
  if (access == Access::Reading && browser_.loopback) co_return true;
  if (access == Access::Acting && browser_.open_actions) co_return true;
  if (user_info == nullptr || auth_ == nullptr) co_return false;
  std::string asked(kPermissionRoot);
  asked += path;
  auto allowed = co_await auth_->authorize(std::move(user_info), std::move(verb), std::move(asked));
  co_return allowed;
}

net::Task<std::optional<net::HttpResponse>> RequestAuthorizer::check_token(const net::HttpRequest& head,
                                                                           std::string path) {
  const auto token = bearer_token(head);
  if (!token) co_return unauthenticated("This path needs a bearer token.\n");
  if (auth_ == nullptr) {
    const Error no_api_server{Errc::Unsupported, "no API server is configured for TokenReviews"};
    co_return undecided(no_api_server);
  }
  auto user_info = co_await auth_->authenticate(*token);
  if (!user_info) co_return undecided(user_info.error());
  if (*user_info == nullptr) co_return unauthenticated("The bearer token is not valid.\n");
  const std::string verb = in_small_letters(head.method);
  auto allowed = co_await auth_->authorize(*user_info, verb, path);
  if (!allowed) co_return undecided(allowed.error());
  if (*allowed) co_return std::nullopt;
  co_return text_response(403, fmt::format("User \"{}\" cannot {} path \"{}\".\n", (*user_info)->name, verb, path));
}

}  // namespace rescheduler::server
