#include "scheduler/queue/waiting_pod.h"

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::scheduler {

const std::string& PodObject::uid() const { return pod->metadata().uid(); }

}  // namespace rescheduler::scheduler
