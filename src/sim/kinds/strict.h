// What fieldValidation=Strict refuses: fields nobody knows, and keys written twice.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace rescheduler::sim {

struct Kind;

// 'unknown field "spec.foo", duplicate field "spec.bar"', or empty. `text` is what `object` was parsed from.
std::string strict_faults(const Kind& kind, const boost::json::value& object, std::string_view text);

// Is there an amount among the fields of a typed object that cannot be read as one? Asked of every object, strict or
// not.
bool has_bad_quantity(const Kind& kind, const boost::json::value& object);

}  // namespace rescheduler::sim
