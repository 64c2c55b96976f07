// Who is let in where, decided when the head of a request is there.
//
//   route        plain HTTP   TLS
//   Open         yes          yes
//   Reviewed     400          token: 401 without a good one, 403 if its user may not, 503 if nobody can say
//   Extender     400          the same, or a verified client certificate, or everybody if so configured
//   none         400          as Reviewed; then 404
//
// kube-scheduler cannot send a token to its extenders, but it can show a certificate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "net/http_server.h"
#include "server/reviewer.h"
#include "server/routes.h"

namespace rescheduler::server {

struct ExtenderAccess {
  bool anonymous = false;            // everybody who reaches the port may have pods filtered, and bound
  std::vector<std::string> names{};  // common names of certificates that count; empty: all the authority signed
};

class Admission {
 public:
  // Both outlive it. Without a reviewer tokens cannot be checked and open no door.
  Admission(const Routes& routes, Reviewer* reviewer, ExtenderAccess extender = {});

  // The refusal, or nothing.
  net::Task<std::optional<net::HttpResponse>> check(const net::HttpRequest& head, const net::PeerIdentity& peer);

 private:
  bool is_known_extender_client(const net::PeerIdentity& peer) const;
  net::Task<std::optional<net::HttpResponse>> check_token(const net::HttpRequest& head, std::string path);

  const Routes& routes_;
  Reviewer* reviewer_;
  ExtenderAccess extender_;
};

}  // namespace rescheduler::server
