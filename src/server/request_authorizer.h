// Decides on access as soon as the head of a request is read.
//
//   route        plain HTTP   TLS
//   Open         yes          yes
//   Reviewed     400          token: 401 without a valid one, 403 if its user is not allowed, 503 without an answer
//   Extender     400          the same, or a verified client certificate, or anonymous if so configured
//   none         400          as Reviewed; then 404
//   Page         400          yes          on loopback both, also for the next two
//   Reading      400          as Reviewed  on loopback anonymous
//   Acting       400          as Reviewed  POST: anonymous only with open_actions; other methods: as Reading
//
// kube-scheduler cannot send a token to its extenders, but it can present a client certificate.
//
// Another site's page can make a browser send requests. So the last three kinds of routes reject cross-site requests.
// On loopback they also reject a foreign Host header (DNS rebinding). An action must be JSON with a header that no form
// can send. The permissions of these routes are checked under /rescheduler, because every user of a cluster may
// `get /api/*` (API discovery).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "net/http/http_server.h"
#include "server/delegated_auth.h"
#include "server/routes.h"

namespace rescheduler::server {

struct ExtenderAccess {
  bool anonymous = false;  // every client that reaches the port may filter and bind pods
  std::vector<std::string>
      names{};  // accepted common names of certificates; empty: every certificate that the CA signed
};

inline constexpr std::string_view kPermissionRoot = "/rescheduler";
inline constexpr std::string_view kActionHeader = "X-Rescheduler-Action";
inline constexpr std::size_t kMostActionBytes = std::size_t{64} << 10;

struct BrowserAccess {
  bool loopback = false;  // the port is reachable from this machine only
  bool open_actions = false;
};
// 127.0.0.0/8 or ::1.
bool is_loopback(std::string_view address);

class RequestAuthorizer {
 public:
  // `routes` and `auth` must outlive the object. If `auth` is null, tokens cannot be checked and give no access.
  RequestAuthorizer(const Routes& routes,
                    DelegatedAuth* auth,
                    ExtenderAccess extender = {},
                    BrowserAccess browser = {});

  // The response if access is denied; nullopt: allowed.
  net::Task<std::optional<net::HttpResponse>> check(const net::HttpRequest& head, const net::PeerIdentity& peer);
  // The user of the token; null: no token, or an invalid one.
  net::Task<UserInfoPtr> user_info(const net::HttpRequest& head);
  // Whether an admitted user may do this. An error: the API server gave no answer.
  net::Task<Result<bool>> would_allow(UserInfoPtr user_info, Access access, std::string verb, std::string path);

 private:
  bool is_known_extender_client(const net::PeerIdentity& peer) const;
  net::Task<std::optional<net::HttpResponse>> check_token(const net::HttpRequest& head, std::string path);
  net::Task<std::optional<net::HttpResponse>> check_browser(const net::HttpRequest& head,
                                                            const net::PeerIdentity& peer,
                                                            const Route& route,
                                                            std::string path);
  std::optional<net::HttpResponse> fault_of(const net::HttpRequest& head, const Route& route) const;

  const Routes& routes_;
  DelegatedAuth* auth_;
  ExtenderAccess extender_;
  BrowserAccess browser_;
};

// 405, with the allowed methods.
net::HttpResponse method_not_allowed(const Route& route);

}  // namespace rescheduler::server
