// Who is let in where, decided when the head of a request is there.
//
//   route        plain HTTP   TLS
//   Open         yes          yes
//   Reviewed     400          token: 401 without a good one, 403 if its user may not, 503 if nobody can say
//   Extender     400          the same, or a verified client certificate, or everybody if so configured
//   none         400          as Reviewed; then 404
//   Page         400          yes          on loopback both, as the next two
//   Reading      400          as Reviewed  on loopback everybody
//   Acting       400          as Reviewed  everybody only where actions are open
//
// kube-scheduler cannot send a token to its extenders, but it can show a certificate.
//
// What a browser may ask for it may be made to ask for by somebody else's page. So the last three refuse requests that
// come from another site, on loopback also those that name another host (a name that was made to point there), and an
// action has to be JSON with a header that no form can send. Their permission is asked for under /rescheduler: every
// user of a cluster may `get /api/*`, because that is where the API server tells what it serves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "net/http/http_server.h"
#include "server/delegated_auth.h"
#include "server/routes.h"

namespace rescheduler::server {

struct ExtenderAccess {
  bool anonymous = false;            // everybody who reaches the port may have pods filtered, and bound
  std::vector<std::string> names{};  // common names of certificates that count; empty: all the authority signed
};

inline constexpr std::string_view kPermissionRoot = "/rescheduler";
inline constexpr std::string_view kActionHeader = "X-Rescheduler-Action";
inline constexpr std::size_t kMostActionBytes = std::size_t{64} << 10;

struct BrowserAccess {
  bool loopback = false;  // the port is reachable from this machine alone
  bool open_actions = false;
};
// 127.0.0.0/8 or ::1.
bool is_loopback(std::string_view address);

class RequestAuthorizer {
 public:
  // Both outlive it. Without a reviewer tokens cannot be checked and open no door.
  RequestAuthorizer(const Routes& routes,
                    DelegatedAuth* auth,
                    ExtenderAccess extender = {},
                    BrowserAccess browser = {});

  // The refusal, or nothing.
  net::Task<std::optional<net::HttpResponse>> check(const net::HttpRequest& head, const net::PeerIdentity& peer);
  // Whose the token is; null: there is none, or it is nobody's.
  net::Task<UserInfoPtr> user_info(const net::HttpRequest& head);
  // May somebody who was let in still do this? An error: nobody can say.
  net::Task<Result<bool>> might(UserInfoPtr user_info, Access access, std::string verb, std::string path);

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

// 405, with what is answered there.
net::HttpResponse method_not_allowed(const Route& route);

}  // namespace rescheduler::server
