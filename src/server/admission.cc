#include "server/admission.h"

#include <algorithm>

#include "base/log.h"

namespace rescheduler::server {
namespace {

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

std::string in_small_letters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), lower);
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

}  // namespace

Admission::Admission(const Routes& routes, Reviewer* reviewer, ExtenderAccess extender)
    : routes_(routes), reviewer_(reviewer), extender_(std::move(extender)) {}

bool Admission::is_known_extender_client(const net::PeerIdentity& peer) const {
  if (extender_.anonymous) return true;
  if (!peer.verified) return false;
  const auto& names = extender_.names;
  return names.empty() || std::find(names.begin(), names.end(), peer.common_name) != names.end();
}

net::Task<std::optional<net::HttpResponse>> Admission::check(const net::HttpRequest& head,
                                                             const net::PeerIdentity& peer) {
  auto target = parse_target(head.target);
  if (!target) co_return text_response(400, "The path of the request cannot be read.\n");
  const Route* route = routes_.find(target->path);
  const Access access = route == nullptr ? Access::Reviewed : route->access;
  if (access == Access::Open) co_return std::nullopt;
  if (!peer.tls) co_return text_response(400, "Only health and metrics are served over plain HTTP: use https here.\n");
  if (access == Access::Extender && is_known_extender_client(peer)) co_return std::nullopt;
  auto refusal = co_await check_token(head, std::move(target->path));
  co_return refusal;
}

net::Task<std::optional<net::HttpResponse>> Admission::check_token(const net::HttpRequest& head, std::string path) {
  const auto token = bearer_token(head);
  if (!token) co_return unauthenticated("This path needs a bearer token.\n");
  if (reviewer_ == nullptr) {
    Error nobody{Errc::Unsupported, "there is no API server to ask"};
    co_return undecided(std::move(nobody));
  }
  auto visitor = co_await reviewer_->whose(*token);
  if (!visitor) co_return undecided(visitor.error());
  if (*visitor == nullptr) co_return unauthenticated("The bearer token is not valid.\n");
  const std::string verb = in_small_letters(head.method);
  auto allowed = co_await reviewer_->may(*visitor, verb, path);
  if (!allowed) co_return undecided(allowed.error());
  if (*allowed) co_return std::nullopt;
  co_return text_response(403, fmt::format("User \"{}\" may not {} path \"{}\".\n", (*visitor)->name, verb, path));
}

}  // namespace rescheduler::server
