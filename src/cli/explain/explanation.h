// A decision about one pod of a model, ready to be shown.
#pragma once

#include <string>

#include "base/error.h"
#include "cluster/dump.h"
#include "config/configuration.h"

namespace rescheduler::cli {

enum class ExplanationForm { Json, Table };

// `pod` is one of the waiting pods, as "namespace/name". The profile is the one its schedulerName names; where none
// does, the first: what would happen if it were ours. All nodes are looked at, whatever percentageOfNodesToScore says,
// unless the dump says where the scheduler's search would start.
Result<std::string> explain(cluster::Cluster& cluster,
                            const cluster::Dump& dump,
                            const std::string& pod,
                            const config::Configuration& configuration,
                            ExplanationForm form);

}  // namespace rescheduler::cli
