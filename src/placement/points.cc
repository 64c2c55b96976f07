#include "placement/points.h"

#include "placement/profile.h"

namespace rescheduler::placement {

static_assert(static_cast<std::size_t>(Point::PostBind) + 1 == kPointCount, "every point has its name and its list");
static_assert(kPointNames.back() == "postBind", "the names are in the order of the points");

}  // namespace rescheduler::placement
