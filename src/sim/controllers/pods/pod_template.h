// From a workload's pod template to its pods, and how one template is told from another.
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

// Labels, annotations, finalizers and spec of the template, owned by `owner`. Its name is for the caller to set.
std::unique_ptr<api::Pod> pod_from_template(const api::PodTemplateSpec& pod_template,
                                            std::string_view ns,
                                            const api::OwnerReference& owner);
// "web-" for the set "web": what the names of its pods start with, unless it is no good as a name.
std::string pod_name_prefix(std::string_view set);

// The same for equal templates, today and tomorrow, in letters that form no words. A collision is resolved by another
// `collision_count`.
std::string template_hash(const api::PodTemplateSpec& pod_template, std::int32_t collision_count);
std::string content_hash(std::string_view content, std::int32_t collision_count);

// But for the label that a ReplicaSet's template has and a Deployment's has not.
bool same_template(const api::PodTemplateSpec& a, const api::PodTemplateSpec& b);

}  // namespace rescheduler::sim
