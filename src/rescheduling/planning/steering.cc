#include "rescheduling/planning/steering.h"

namespace rescheduler::rescheduling {

Steering steering_of(const config::Configuration& configuration) {
  Steering steering;
  for (const config::Profile& profile : configuration.profiles) steering.own_schedulers.insert(profile.scheduler_name);
  if (!configuration.webhook.enabled) steering.no_webhook = "recovery.webhook.enabled is false";
  steering.without_webhook = {configuration.leader_election.resource_namespace};
  return steering;
}

}  // namespace rescheduler::rescheduling
