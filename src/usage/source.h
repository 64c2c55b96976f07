// Interface of a load source.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "net/task.h"
#include "usage/node_finder.h"
#include "usage/pod_use.h"
#include "usage/sample.h"

namespace rescheduler::usage {

class Source {
 public:
  virtual ~Source() = default;

  virtual std::string_view name() const = 0;  // "prometheus": in metrics, events and the load summary
  // Reads one measurement of all nodes, on the loop's thread, with a timeout of its own. The samples are unchecked:
  // sift() decides which are used. The error is one sentence that begins with the name of the source. Errc::NotFound:
  // the source is not installed, which is not a failure.
  virtual net::Task<Result<Reading>> read(NodeList nodes, WallTime now) = 0;
  // Reads the usage of all pods; unchecked, as above. Errc::NotFound: the source does not measure pods.
  virtual net::Task<Result<std::vector<PodUse>>> read_pods();
};

}  // namespace rescheduler::usage
