// The rules of built-in kinds, one function for each family. Each does what the API server's strategy for the kind
// does: defaults, checks, and which half of the object (spec or status) a write can change.
#pragma once

#include "sim/kinds/kind.h"

namespace rescheduler::sim {

KindRules builtin_rules(const Kind& kind);

KindRules pod_rules();
KindRules node_rules();
KindRules namespace_rules();
KindRules service_rules();
KindRules config_map_rules();
KindRules secret_rules();
KindRules event_rules(bool core);
KindRules deployment_rules();
KindRules replica_set_rules();
KindRules replication_controller_rules();
KindRules stateful_set_rules();
KindRules daemon_set_rules();
KindRules controller_revision_rules();
KindRules job_rules();
KindRules cron_job_rules();
KindRules autoscaler_rules();
KindRules lease_rules();
KindRules disruption_budget_rules();
KindRules priority_class_rules();
KindRules storage_class_rules();
KindRules volume_rules();
KindRules claim_rules();
KindRules csi_driver_rules();
KindRules volume_attachment_rules();
// Kinds stored as CustomObject.
KindRules definition_rules();  // CustomResourceDefinition
KindRules untyped_rules(bool has_status, bool has_generation);
KindRules custom_rules(const Kind& kind);  // from its schema

}  // namespace rescheduler::sim
