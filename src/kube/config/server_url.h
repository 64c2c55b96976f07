// The "server" of a kubeconfig: https://host[:port][/base/path].
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "net/http_client.h"

namespace rescheduler::kube {

struct ServerUrl {
  net::Origin origin;
  std::string base_path;  // "" or "/k8s/clusters/c-1", without a slash at the end
};

// The error never quotes the text: people put passwords into URLs.
Result<ServerUrl> parse_server_url(std::string_view text);

}  // namespace rescheduler::kube
