#include "kube/discovery/self_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/authorization.pb.h"
#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::kube {
namespace {

using test::ScriptedApi;
using test::VirtualTime;
using testing::HasSubstr;

const Permission kGetPods{"", "pods", "", "get", "", "to place pods"};
const Permission kListPods{"", "pods", "", "list", "", "to place pods"};
const Permission kDeletePods{"", "pods", "", "delete", "", "to recreate bare pods"};
const Permission kEvict{"", "pods", "eviction", "create", "", "to move pods"};
const Permission kLease{"coordination.k8s.io", "leases", "", "update", "kube-system", "to elect a leader"};
const Permission kOwnLease{"coordination.k8s.io",  "leases", "", "get", "kube-system", "to elect a leader",
                           "rescheduler-scheduler"};

struct Server {
  // Allows everything except these verbs of these resources: "delete pods".
  explicit Server(std::set<std::string> denied) {
    api.answer_creates_of(
        resource_of<api::SelfSubjectAccessReview>(), [this, denied](const Message& asked, Message& answer) {
          const auto& what = static_cast<const api::SelfSubjectAccessReview&>(asked).spec().resource_attributes();
          auto text = what.verb() + ' ' + what.resource();
          if (what.has_subresource()) text += '/' + what.subresource();
          if (what.has_name()) text += ' ' + what.name();
          if (what.has_namespace_()) text += " in " + what.namespace_();
          questions.push_back(text);
          auto& review = static_cast<api::SelfSubjectAccessReview&>(answer);
          review.mutable_status()->set_allowed(!denied.contains(text));
        });
  }
  Result<std::vector<Permission>> check(std::vector<Permission> wanted, std::size_t at_once = 2) {
    return time.loop.await_result(find_missing(api, std::move(wanted), time.services(), at_once));
  }
  std::vector<std::string> questions;
  ScriptedApi api;
  VirtualTime time;
};

TEST(SelfCheck, ReturnsTheMissingPermissionsInTheRequestedOrder) {
  for (const std::size_t at_once : {1u, 2u, 100u}) {
    Server server({"delete pods", "update leases in kube-system"});
    const auto missing = server.check({kLease, kGetPods, kEvict, kDeletePods}, at_once);
    ASSERT_TRUE(missing) << missing.error().message;
    EXPECT_EQ(*missing, (std::vector<Permission>{kLease, kDeletePods}));
    EXPECT_THAT(server.questions, testing::UnorderedElementsAre("update leases in kube-system", "get pods",
                                                                "create pods/eviction", "delete pods"));
  }
}

TEST(SelfCheck, ChecksTheNamedObjectWhenThePermissionHasAName) {
  Server server({"get leases rescheduler-scheduler in kube-system"});
  const auto missing = server.check({kOwnLease});
  ASSERT_TRUE(missing);
  EXPECT_EQ(describe_missing(*missing),
            "1 permission is missing:\n"
            "  get leases.coordination.k8s.io rescheduler-scheduler in kube-system - needed to elect a leader\n");
}

TEST(SelfCheck, ReportsNothingWhenNoPermissionIsMissing) {
  Server server({});
  const auto missing = server.check({kGetPods, kEvict});
  ASSERT_TRUE(missing);
  EXPECT_TRUE(missing->empty());
  EXPECT_TRUE(server.check({})->empty());
  EXPECT_EQ(describe_missing(*missing), "");
  EXPECT_EQ(roles_yaml(*missing, "r", {}), "");
}

TEST(SelfCheck, AServerErrorIsNotReportedAsAMissingPermission) {
  for (std::size_t step = 0; step < 3; ++step) {
    Server server({"delete pods"});
    server.api.fail_calls(step, 1, Error{Errc::Unavailable, "connection refused", {}, 0});
    const auto missing = server.check({kDeletePods, kGetPods, kEvict});
    ASSERT_FALSE(missing) << step;
    EXPECT_EQ(missing.error().code, Errc::Unavailable);
    EXPECT_THAT(missing.error().message, HasSubstr("checking permissions at the API server"));
  }
}

TEST(SelfCheck, NamesEachMissingPermissionAndItsPurpose) {
  const std::vector<Permission> missing = {kLease, kGetPods, kDeletePods, kEvict, kListPods};
  EXPECT_EQ(describe_missing(missing),
            "5 permissions are missing:\n"
            "  update leases.coordination.k8s.io in kube-system - needed to elect a leader\n"
            "  get, list pods - needed to place pods\n"
            "  delete pods - needed to recreate bare pods\n"
            "  create pods/eviction - needed to move pods\n");
}

TEST(SelfCheck, WritesTheRolesThatGrantTheMissingPermissions) {
  const std::vector<Permission> missing = {kLease, kGetPods, kEvict, kListPods, kGetPods, kOwnLease, kDeletePods};
  EXPECT_EQ(roles_yaml(missing, "rescheduler-extra", RoleSubject{"kube-system", "rescheduler"}),
            R"(apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: "rescheduler-extra"
rules:
# get, list: to place pods
# delete: to recreate bare pods
- apiGroups: [""]
  resources: ["pods"]
  verbs: ["get", "list", "delete"]
# to move pods
- apiGroups: [""]
  resources: ["pods/eviction"]
  verbs: ["create"]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: "rescheduler-extra"
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: "rescheduler-extra"
subjects:
- kind: ServiceAccount
  name: "rescheduler"
  namespace: "kube-system"
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: "rescheduler-extra"
  namespace: "kube-system"
rules:
# to elect a leader
- apiGroups: ["coordination.k8s.io"]
  resources: ["leases"]
  verbs: ["update"]
# to elect a leader
- apiGroups: ["coordination.k8s.io"]
  resources: ["leases"]
  resourceNames: ["rescheduler-scheduler"]
  verbs: ["get"]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: "rescheduler-extra"
  namespace: "kube-system"
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: "rescheduler-extra"
subjects:
- kind: ServiceAccount
  name: "rescheduler"
  namespace: "kube-system"
)");
}

}  // namespace
}  // namespace rescheduler::kube
