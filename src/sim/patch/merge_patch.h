// JSON Merge Patch (RFC 7386): members of the patch replace those of the document, null removes them, arrays are
// replaced.
#pragma once

#include <boost/json/fwd.hpp>

namespace rescheduler::sim {

boost::json::value merge_patched(boost::json::value document, const boost::json::value& patch);

}  // namespace rescheduler::sim
