// Parses JSON text to a tree of values; errors give line and column. Only for .cc files, because it includes
// Boost.JSON.
#pragma once

#include <string_view>

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include "base/error.h"

namespace rescheduler::kube {

// No API object is nested this deep; deeper input is an attack or a mistake.
inline constexpr std::size_t kDeepestJson = 128;

enum class DuplicateKeys { LastWins, Refuse };

// `storage` must outlive the value.
Result<boost::json::value> parse_json(std::string_view text,
                                      boost::json::storage_ptr storage,
                                      DuplicateKeys duplicates = DuplicateKeys::LastWins,
                                      std::size_t deepest = kDeepestJson);

}  // namespace rescheduler::kube
