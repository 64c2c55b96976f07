// Persistent volumes, claims and what else storage says about where a pod may be.
#pragma once

namespace rescheduler::cluster {

class Volumes {};

}  // namespace rescheduler::cluster
