// The handlers by path, and the access rule of each.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "net/http/http.h"
#include "net/http/http_server.h"
#include "net/task.h"
#include "server/request_target.h"
#include "server/user_info.h"

namespace rescheduler::server {

enum class Access {
  Open,      // everyone, over TLS or plain HTTP
  Reviewed,  // over TLS, with a bearer token whose user is allowed
  Extender,  // as Reviewed, or as ServerSettings::extender allows (client certificate, anonymous)
  // For browsers. If the port is on loopback only, plain HTTP is enough for all three.
  Page,     // everyone
  Reading,  // as Reviewed; on loopback everyone
  Acting,   // POST: as Reviewed, everyone only with ServerSettings::open_actions; other methods: as Reading
};

// `target` is the parsed target of the request.
using RouteHandler = std::function<net::Task<net::HttpResponse>(const net::HttpRequest&, const RequestTarget&)>;

// The user of a request, for handlers that need it.
struct Caller {
  UserInfoPtr user_info{};  // null: anonymous
  // Whether the user is still allowed, some time later. True if the API server gives no answer.
  std::function<net::Task<bool>()> still_allowed{};
  // Whether the user may do something else here. An error: the API server gave no answer.
  std::function<net::Task<Result<bool>>(std::string verb, std::string path)> would_allow{};
};
// Sends the response itself, whole or in parts. Request, target and caller live until it has returned.
using CallHandler = std::function<
    net::Task<void>(const net::HttpRequest&, const RequestTarget&, const Caller&, net::Responder& responder)>;

struct Route {
  std::string path;  // with a slash at the end it covers everything below
  std::vector<std::string> methods{"GET", "HEAD"};
  Access access = Access::Reviewed;
  RouteHandler handle{};
  CallHandler call{};  // if set, it replaces `handle`
};

class Routes {
 public:
  void add(Route route);
  // The route with the longest path that covers `path`; null: none.
  const Route* find(std::string_view path) const;

 private:
  std::vector<Route> routes_;
};

net::HttpResponse text_response(int status, std::string text);
net::HttpResponse json_response(int status, std::string json);
// {"status": 404, "message": "..."}: the error format of /api/.
net::HttpResponse problem_response(int status, std::string_view sentence);
// Under /api/ a plain text error becomes a problem_response(); others stay unchanged.
net::HttpResponse for_path(std::string_view path, net::HttpResponse refusal);

}  // namespace rescheduler::server
