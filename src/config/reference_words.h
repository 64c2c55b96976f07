// Where the meanings are kept, a file for each part of the configuration.
#pragma once

#include "config/reference.h"

namespace rescheduler::config {

void add_kube_words(ReferenceWords& into);
void add_rescheduler_words(ReferenceWords& into);
void add_rescheduling_words(ReferenceWords& into);
void add_recovery_words(ReferenceWords& into);

}  // namespace rescheduler::config
