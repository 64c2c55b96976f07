// The rules that workloads share.
#pragma once

#include "sim/kinds/pods/pod_rules.h"

namespace rescheduler::sim {

// The selector must be set, not empty, and match the template's labels. The template must be valid and have
// restartPolicy Always. `owner` is the name in the message about an empty selector, `kind` the name in the message
// about deadlines.
struct WorkloadNames {
  std::string_view owner;
  std::string_view kind;
};
void check_selector_and_template(bool has_selector,
                                 const api::LabelSelector& selector,
                                 const api::PodTemplateSpec& pod_template,
                                 const WorkloadNames& names,
                                 Faults& faults);
void check_always_restarting(const api::PodTemplateSpec& pod_template,
                             std::string_view kind,
                             const At& at,
                             Faults& faults);

}  // namespace rescheduler::sim
