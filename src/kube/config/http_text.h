// Checks of values for HTTP headers: a value must not be able to inject a second header.
#pragma once

#include <string>
#include <string_view>

#include "kube/config/client_config.h"
#include "net/http/http.h"

namespace rescheduler::kube {

// No control characters, hence no line breaks.
bool is_header_safe(std::string_view value);

std::string bearer_header(const Secret& token);
std::string basic_header(const BasicAuth& basic);

// Impersonate-User, -Uid, -Group (one per group) and -Extra-<key>, keys escaped as the API server expects.
net::Headers impersonation_headers(const Impersonation& impersonation);

}  // namespace rescheduler::kube
