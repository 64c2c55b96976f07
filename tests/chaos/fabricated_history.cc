#include "chaos/fabricated_history.h"

#include <fmt/format.h>

#include "kube/codec/json.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "migration/definition.h"
#include "migration/proto/migration.pb.h"

namespace rescheduler::test {
namespace {

constexpr std::string_view kReady = R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})";
constexpr std::string_view kContainers =
    R"("terminationGracePeriodSeconds":2,"containers":[{"name":"main","image":"registry.example/app:1",
       "resources":{"requests":{"cpu":"100m"}}}])";

}  // namespace

FabricatedHistory::FabricatedHistory() {
  create<api::Namespace>(R"({"metadata":{"name":"default"}})");
  EXPECT_TRUE(loop_.await_result(migration::ensure_definition(api_, loop_.timers())));
  node("n");
  node("m");
}

template <class T>
void FabricatedHistory::create(const std::string& json) {
  T object;
  const auto read = kube::from_json(json, object, kube::UnknownFields::Refuse);
  ASSERT_TRUE(read) << read.error().message;
  auto made = loop_.await_result(client_.create(std::move(object)));
  ASSERT_TRUE(made) << made.error().message;
}

template <class T>
void FabricatedHistory::patch(const std::string& ns,
                              const std::string& name,
                              const std::string& json,
                              const std::string& subresource) {
  kube::PatchOptions options;
  options.subresource = subresource;
  auto done = loop_.await_result(client_.patch<T>(ns, name, json, options));
  ASSERT_TRUE(done) << done.error().message;
}

void FabricatedHistory::node(const std::string& name) {
  create<api::Node>(fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name));
  patch_node(name,
             R"({"status":{"capacity":{"cpu":"1","pods":"20"},"allocatable":{"cpu":"1","pods":"20"},
                 "conditions":[{"type":"Ready","status":"True"}]}})",
             "status");
}

void FabricatedHistory::workload(const std::string& app, int replicas) {
  create<api::Deployment>(fmt::format(
      R"({{"metadata":{{"namespace":"default","name":"{0}"}},"spec":{{"replicas":{1},
          "selector":{{"matchLabels":{{"app":"{0}"}}}},
          "template":{{"metadata":{{"labels":{{"app":"{0}"}}}},"spec":{{{2}}}}}}}}})",
      app, replicas, kContainers));
  for (int i = 0; i < replicas; ++i) pod(fmt::format("{}-{}", app, i), app);
}

void FabricatedHistory::pod(const std::string& name, const std::string& app, const std::string& node, bool bare) {
  const std::string owner =
      bare ? ""
           : fmt::format(R"(,"ownerReferences":[{{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"{0}",
                               "uid":"{0}","controller":true}}])",
                         app);
  pod_json(fmt::format(R"("name":"{}","labels":{{"app":"{}"}}{})", name, app, owner),
           fmt::format(R"("nodeName":"{}")", node));
  patch<api::Pod>("default", name, std::string(kReady), "status");
}

void FabricatedHistory::pod_json(const std::string& metadata, const std::string& spec) {
  create<api::Pod>(
      fmt::format(R"({{"metadata":{{"namespace":"default",{}}},"spec":{{{},{}}}}})", metadata, spec, kContainers));
}

void FabricatedHistory::budget(const std::string& name, const std::string& app, const std::string& demand) {
  create<api::PodDisruptionBudget>(fmt::format(
      R"({{"metadata":{{"namespace":"default","name":"{}"}},
          "spec":{{{},"selector":{{"matchLabels":{{"app":"{}"}}}}}}}})",
      name, demand, app));
}

void FabricatedHistory::patch_node(const std::string& name, const std::string& json, const std::string& subresource) {
  patch<api::Node>("", name, json, subresource);
}
void FabricatedHistory::patch_deployment(const std::string& app, const std::string& json) {
  patch<api::Deployment>("default", app, json, "");
}
void FabricatedHistory::patch_pod(const std::string& name, const std::string& json) {
  patch<api::Pod>("default", name, json, "");
}
void FabricatedHistory::patch_budget(const std::string& name, const std::string& json) {
  patch<api::PodDisruptionBudget>("default", name, json, "");
}
void FabricatedHistory::patch_migration(const std::string& name, const std::string& json) {
  patch<api::Migration>("default", name, json, "");
}

void FabricatedHistory::delete_migration(const std::string& name) {
  auto done = loop_.await_result(client_.remove<api::Migration>("default", name));
  ASSERT_TRUE(done) << done.error().message;
}

std::string FabricatedHistory::uid_of(const std::string& pod) const {
  const auto found = server_.find<api::Pod>("default", pod);
  return found == nullptr ? "" : found->metadata().uid();
}

void FabricatedHistory::move(const std::string& name,
                             const std::string& pod,
                             const std::string& mode,
                             const std::string& phase) {
  const auto found = server_.find<api::Pod>("default", pod);
  ASSERT_NE(found, nullptr) << pod;
  create<api::Migration>(fmt::format(
      R"({{"metadata":{{"namespace":"default","name":"{}"}},
          "spec":{{"pod":"{}","podUID":"{}","source":"{}","target":"m","strategy":"Manual","mode":"{}"}}}})",
      name, pod, found->metadata().uid(), found->spec().node_name(), mode));
  patch<api::Migration>("default", name, fmt::format(R"({{"status":{{"mode":"{}","phase":"{}"}}}})", mode, phase),
                        "status");
}

void FabricatedHistory::enter(const std::string& move, const std::string& phase, const std::string& replacement) {
  patch<api::Migration>("default", move,
                        fmt::format(R"({{"status":{{"phase":"{}","replacement":"{}"}}}})", phase, replacement),
                        "status");
}

void FabricatedHistory::evict(const std::string& pod) {
  api::Eviction eviction;
  eviction.mutable_metadata()->set_namespace_("default");
  eviction.mutable_metadata()->set_name(pod);
  auto done = loop_.await_result(client_.create_sub<api::Pod>("default", pod, "eviction", eviction));
  ASSERT_TRUE(done) << done.error().message;
}

void FabricatedHistory::remove(const std::string& pod) {
  auto done = loop_.await_result(client_.remove<api::Pod>("default", pod));
  ASSERT_TRUE(done) << done.error().message;
}

}  // namespace rescheduler::test
