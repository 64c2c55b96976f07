// Reads the model of a live cluster once.
#pragma once

#include "base/error.h"
#include "cluster/dump.h"
#include "kube/client/api.h"

namespace rescheduler::cli {

net::Task<Result<void>> read_cluster(kube::Api& api, cluster::Cluster& into, cluster::Dump& dump);

}  // namespace rescheduler::cli
