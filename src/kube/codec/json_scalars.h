// Writes JSON strings as Kubernetes does. Times, durations and bytes are in kube/value.
#pragma once

#include <string>
#include <string_view>

namespace rescheduler::kube {

// Appends text as a JSON string with quotes. Bytes that are not UTF-8 become U+FFFD, as in Go's encoder.
void append_json_string(std::string& out, std::string_view text);
std::string json_string(std::string_view text);

}  // namespace rescheduler::kube
