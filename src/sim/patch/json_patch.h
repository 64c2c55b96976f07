// JSON Patch (RFC 6902) with JSON pointers (RFC 6901), as the Kubernetes API server applies it.
//
// Like the server's library, this code is less strict than the RFC, because clients rely on it. "replace" of an absent
// member adds it. "test" for null holds for an absent member. A negative index counts from the end of the array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <boost/json/fwd.hpp>
#include <tl/expected.hpp>

namespace rescheduler::sim {

struct JsonPatchFault {
  enum class Kind : std::uint8_t {
    Malformed,    // not a JSON Patch
    TooMany,      // more operations than the server allows
    MissingPath,  // a path of the patch does not exist
    TestFailed,   // a "test" operation found a different value
    TooLarge,     // the result would be too large or too deeply nested
  };
  Kind kind = Kind::Malformed;
  std::string message;
};

inline constexpr std::size_t kMostPatchOperations = 10'000;
// The limit for all "copy" operations of a patch: the largest request that the server accepts.
inline constexpr std::size_t kMostCopiedBytes = std::size_t{3} << 20;

tl::expected<boost::json::value, JsonPatchFault> json_patched(boost::json::value document,
                                                              const boost::json::value& patch);

}  // namespace rescheduler::sim
