// The check at startup: sends one SelfSubjectAccessReview for each permission that this process needs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kube/client/api.h"
#include "kube/client/loop_services.h"

namespace rescheduler::kube {

struct Permission {
  std::string group{};  // empty: the core group
  std::string resource{};
  std::string subresource{};
  std::string verb{};
  std::string ns{};    // empty: all namespaces, or cluster-scoped
  std::string why{};   // "to move pods"; completes "needed ..."
  std::string name{};  // name of the object; empty: any object

  bool operator==(const Permission&) const = default;
};

// The missing permissions, in the given order. An error means that the check itself failed: the server is unavailable
// or refuses the review. It does not tell anything about the permissions.
net::Task<Result<std::vector<Permission>>> find_missing(Api& api,
                                                        std::vector<Permission> wanted,
                                                        LoopServices services,
                                                        std::size_t at_once = 8);

// "create pods/eviction", "get leases.coordination.k8s.io rescheduler-scheduler in kube-system".
std::string describe(const Permission& permission);

// For users: one line for each resource and purpose. Empty if nothing is missing.
std::string describe_missing(std::span<const Permission> missing);

struct RoleSubject {
  std::string ns{};
  std::string service_account{};
};

// YAML for kubectl apply that grants exactly these permissions: a ClusterRole, a Role for each namespace of a
// namespaced permission, and their bindings. Each rule has a comment with its purpose. Empty if nothing is missing.
std::string roles_yaml(std::span<const Permission> missing, const std::string& name, const RoleSubject& subject);

}  // namespace rescheduler::kube
