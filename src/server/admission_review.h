// Reads the AdmissionReview of a mutating webhook for a new pod, and writes the response. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::server {

struct AdmissionRequest {
  std::string api_version{};  // admission.k8s.io/v1 or v1beta1: the response has the same version
  std::string uid{};
  bool new_pod = false;  // false: the request is allowed unchanged
  bool dry_run = false;
  api::Pod pod{};  // with the namespace of the request
};

// An error means a bad request: no JSON, no AdmissionReview, or an unknown version.
Result<AdmissionRequest> read_review(std::string_view body);

struct PodChanges {
  std::vector<std::pair<std::string, std::string>> annotations{};  // to set
  std::vector<std::string> not_on{};                               // nodes to exclude by a required node affinity
  std::string rather_on{};                                         // a node to prefer by a preferred node affinity
  std::string rather_not_on{};                                     // a node to avoid by a preferred node affinity
};

// JSON patch (RFC 6902); empty: nothing to change. Only adds: other annotations stay, every term of a required node
// affinity is narrowed, preferences stay.
std::string patch_for(const api::Pod& pod, const PodChanges& changes);

// Allows the request, with the patch if there is one.
std::string write_review(const AdmissionRequest& asked, const std::string& patch);

}  // namespace rescheduler::server
