// What fieldValidation=Strict rejects: unknown fields and duplicate keys.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace rescheduler::sim {

struct Kind;

// 'unknown field "spec.foo", duplicate field "spec.bar"', or empty. `text` is the source of `object`.
std::string strict_faults(const Kind& kind, const boost::json::value& object, std::string_view text);

// Whether a quantity field of a typed object is not a valid quantity. The check runs on every object, strict or not.
bool has_bad_quantity(const Kind& kind, const boost::json::value& object);

}  // namespace rescheduler::sim
