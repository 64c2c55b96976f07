// Before we start: may we do what we will have to do? Asked of the server, one review for each permission.
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
  std::string ns{};    // empty: in all namespaces, or cluster-scoped
  std::string why{};   // "to move pods", completes the sentence "needed ..."
  std::string name{};  // the one object it is about; empty: any

  bool operator==(const Permission&) const = default;
};

// Which of these are missing, in the order given. An error means that it could not be found out, which says nothing
// about the permissions: the server is away, or refuses even the question.
net::Task<Result<std::vector<Permission>>> find_missing(Api& api,
                                                        std::vector<Permission> wanted,
                                                        LoopServices services,
                                                        std::size_t at_once = 8);

// "create pods/eviction", "get leases.coordination.k8s.io rescheduler-scheduler in kube-system".
std::string describe(const Permission& permission);

// For people: one line for each resource and purpose. Empty if nothing is missing.
std::string describe_missing(std::span<const Permission> missing);

struct RoleSubject {
  std::string ns{};
  std::string service_account{};
};

// What would grant exactly these: a ClusterRole, and a Role for each namespace that some are limited to, with their
// bindings; each rule says what it is for. Ready for kubectl apply; empty if nothing is missing.
std::string roles_yaml(std::span<const Permission> missing, const std::string& name, const RoleSubject& subject);

}  // namespace rescheduler::kube
