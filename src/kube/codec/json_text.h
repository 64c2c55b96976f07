// JSON text to a tree of values, with errors that give line and column. Included by .cc files only: it brings
// Boost.JSON.
#pragma once

#include <string_view>

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include "base/error.h"

namespace rescheduler::kube {

// Deeper than any API object; what is nested further is an attack or an accident.
inline constexpr std::size_t kDeepestJson = 128;

enum class DuplicateKeys { LastWins, Refuse };

// `storage` must outlive the value.
Result<boost::json::value> parse_json(std::string_view text,
                                      boost::json::storage_ptr storage,
                                      DuplicateKeys duplicates = DuplicateKeys::LastWins,
                                      std::size_t deepest = kDeepestJson);

}  // namespace rescheduler::kube
