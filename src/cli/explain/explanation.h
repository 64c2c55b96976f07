// Explains the scheduling decision for one pod of a model.
#pragma once

#include <string>

#include "base/error.h"
#include "cluster/dump.h"
#include "config/configuration.h"

namespace rescheduler::cli {

enum class ExplanationForm { Json, Table };

// `pod` is one of the waiting pods, as "namespace/name". Uses the profile of its schedulerName, or the first profile if
// none matches. Evaluates all nodes, whatever percentageOfNodesToScore is, unless the dump has the start index of the
// search.
Result<std::string> explain(cluster::Cluster& cluster,
                            const cluster::Dump& dump,
                            const std::string& pod,
                            const config::Configuration& configuration,
                            ExplanationForm form);

}  // namespace rescheduler::cli
