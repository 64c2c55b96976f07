// Where the meanings are kept, a file for each part of the configuration.
#pragma once

#include "scheduler/config/reference.h"

namespace rescheduler::scheduler {

void add_kube_words(ReferenceWords& into);
void add_rescheduler_words(ReferenceWords& into);
void add_rescheduling_words(ReferenceWords& into);
void add_recovery_words(ReferenceWords& into);

}  // namespace rescheduler::scheduler
