// What is answered at which path, and who may ask.
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
  Open,      // anybody, over TLS or plain HTTP
  Reviewed,  // over TLS, with a bearer token whose user may do this
  Extender,  // as Reviewed, or with a client certificate (ServerSettings::extender_*)
  // What people look at in a browser. Where the port is on loopback alone, plain HTTP will do for all three.
  Page,     // anybody
  Reading,  // as Reviewed; on loopback anybody
  Acting,   // as Reviewed; anybody only where ServerSettings::open_actions says so
};

// The target is the request's, already read.
using RouteHandler = std::function<net::Task<net::HttpResponse>(const net::HttpRequest&, const RequestTarget&)>;

// Who asks, for a handler that wants to know.
struct Caller {
  UserInfoPtr user_info{};  // null: nobody said
  // May they still, some time later? Where nobody can say at the moment: yes.
  std::function<net::Task<bool>()> still_allowed{};
  // What else might they do here? An error: nobody can say at the moment.
  std::function<net::Task<Result<bool>>(std::string verb, std::string path)> might{};
};
// Answers by itself, whole or piece by piece. Request, target and caller live until it has returned.
using CallHandler = std::function<
    net::Task<void>(const net::HttpRequest&, const RequestTarget&, const Caller&, net::Responder& responder)>;

struct Route {
  std::string path;  // with a slash at its end: everything below it as well
  std::vector<std::string> methods{"GET", "HEAD"};
  Access access = Access::Reviewed;
  RouteHandler handle{};
  CallHandler call{};  // where there is one, in place of `handle`
};

class Routes {
 public:
  void add(Route route);
  // The route with the longest path that covers this one; null: none does.
  const Route* find(std::string_view path) const;

 private:
  std::vector<Route> routes_;
};

net::HttpResponse text_response(int status, std::string text);
net::HttpResponse json_response(int status, std::string json);
// {"status": 404, "message": "..."}: how /api/ says that something is not as it should be.
net::HttpResponse problem_response(int status, std::string_view sentence);
// Under /api/ a refusal in words becomes a problem; others stay as they are.
net::HttpResponse for_path(std::string_view path, net::HttpResponse refusal);

}  // namespace rescheduler::server
