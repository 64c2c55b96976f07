// Outside text made fit for an error message: quoted, cut to a sensible length, control bytes and broken UTF-8 escaped.
#pragma once

#include <string>
#include <string_view>

namespace rescheduler::kube {

std::string printable(std::string_view text);

}  // namespace rescheduler::kube
