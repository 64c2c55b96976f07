// What is answered at which path, and who may ask.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"
#include "net/task.h"
#include "server/request_target.h"

namespace rescheduler::server {

enum class Access {
  Open,      // anybody, over TLS or plain HTTP
  Reviewed,  // over TLS, with a bearer token whose user may do this
  Extender,  // as Reviewed, or with a client certificate (ServerSettings::extender_*)
};

// The target is the request's, already read.
using RouteHandler = std::function<net::Task<net::HttpResponse>(const net::HttpRequest&, const RequestTarget&)>;

struct Route {
  std::string path;  // with a slash at its end: everything below it as well
  std::vector<std::string> methods{"GET", "HEAD"};
  Access access = Access::Reviewed;
  RouteHandler handle;
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

}  // namespace rescheduler::server
