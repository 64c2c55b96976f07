// JSON Patch (RFC 6902) over JSON pointers (RFC 6901), as the Kubernetes API server applies it.
//
// Where the server's library is laxer than the RFC, so is this, because clients rely on it: "replace" of a member that
// is not there adds it, "test" for null holds for a member that is not there, and an index below zero counts from the
// end of the array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <boost/json/fwd.hpp>
#include <tl/expected.hpp>

namespace rescheduler::sim {

struct JsonPatchFault {
  enum class Kind : std::uint8_t {
    Malformed,    // not a JSON Patch at all
    TooMany,      // more operations than the server allows
    MissingPath,  // a place named by the patch is not there
    TestFailed,   // a "test" operation found something else
    TooLarge,     // the outcome would be too large or too deeply nested
  };
  Kind kind = Kind::Malformed;
  std::string message;
};

inline constexpr std::size_t kMostPatchOperations = 10'000;
// What all "copy" operations of a patch may add: the largest request the server takes.
inline constexpr std::size_t kMostCopiedBytes = std::size_t{3} << 20;

tl::expected<boost::json::value, JsonPatchFault> json_patched(boost::json::value document,
                                                              const boost::json::value& patch);

}  // namespace rescheduler::sim
