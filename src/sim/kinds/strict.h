// What fieldValidation=Strict refuses: fields nobody knows, and keys written twice.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace rescheduler::sim {

struct Kind;

// 'unknown field "spec.foo", duplicate field "spec.bar"', or empty. `text` is what `object` was parsed from.
std::string strict_faults(const Kind& kind, const boost::json::value& object, std::string_view text);

}  // namespace rescheduler::sim
