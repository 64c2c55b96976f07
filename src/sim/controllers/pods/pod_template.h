// Makes pods from the pod template of a workload, and hashes templates.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace rescheduler::api {
class OwnerReference;
class Pod;
class PodTemplateSpec;
}  // namespace rescheduler::api

namespace rescheduler::sim {

inline constexpr std::string_view kTemplateHashLabel = "pod-template-hash";
inline constexpr std::string_view kRevisionLabel = "controller-revision-hash";

// Takes labels, annotations, finalizers and spec from the template and sets `owner`. The caller sets the name.
std::unique_ptr<api::Pod> pod_from_template(const api::PodTemplateSpec& pod_template,
                                            std::string_view ns,
                                            const api::OwnerReference& owner);
// The prefix of the names of the pods: "web-" for the set "web". Without the dash if the prefix would exceed 253 bytes.
std::string pod_name_prefix(std::string_view set);

// Equal templates have equal hashes, also across runs. The alphabet has no vowels, so a hash forms no words. Another
// `collision_count` resolves a collision.
std::string template_hash(const api::PodTemplateSpec& pod_template, std::int32_t collision_count);
std::string content_hash(std::string_view content, std::int32_t collision_count);

// Ignores the label pod-template-hash, which the template of a ReplicaSet has and the template of a Deployment has not.
bool same_template(const api::PodTemplateSpec& a, const api::PodTemplateSpec& b);

}  // namespace rescheduler::sim
