// What the API server asks a mutating webhook about a new pod, and what it is answered. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::server {

struct AdmissionRequest {
  std::string api_version{};  // admission.k8s.io/v1 or v1beta1: the answer has the same
  std::string uid{};
  bool new_pod = false;  // nothing else is our business
  bool dry_run = false;
  api::Pod pod{};  // with the request's namespace
};

// An error is the asker's: no JSON, no AdmissionReview, none of a version we know.
Result<AdmissionRequest> read_review(std::string_view body);

struct PodChanges {
  std::vector<std::pair<std::string, std::string>> annotations{};  // to set
  std::vector<std::string> not_on{};                               // nodes; by a required node affinity
  std::string rather_on{};                                         // a node; by a preferred one
};

// JSON patch (RFC 6902); empty: nothing to change. Adds to what is there: other annotations stay, every term of a node
// affinity is narrowed, preferences stay.
std::string patch_for(const api::Pod& pod, const PodChanges& changes);

// Allowed, with the patch if there is one.
std::string write_review(const AdmissionRequest& asked, const std::string& patch);

}  // namespace rescheduler::server
