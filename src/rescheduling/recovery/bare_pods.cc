#include "rescheduling/recovery/bare_pods.h"

#include <fmt/format.h>

#include "kube/proto/core.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/value/base64.h"
#include "placement/visited_nodes.h"

namespace rescheduler::rescheduling::recovery {
namespace {

constexpr std::string_view kLabel = "rescheduler.io/recovery";
constexpr std::string_view kLabelValue = "bare-pod";

std::string config_map_name(const std::string& uid) { return "rescheduler-recovery-" + uid; }

}  // namespace

net::Task<Result<void>> evict(kube::Client client, std::string ns, std::string name, std::string uid, bool dry_run) {
  api::Eviction eviction;
  eviction.mutable_metadata()->set_namespace_(ns);
  eviction.mutable_metadata()->set_name(name);
  eviction.mutable_delete_options()->mutable_preconditions()->set_uid(uid);
  kube::WriteOptions once;
  once.repeat = kube::Repeat::Never;  // no retry: a refusal is the answer of a PodDisruptionBudget
  once.dry_run = dry_run;
  auto done = co_await client.create_sub<api::Pod>(ns, name, "eviction", std::move(eviction), once);
  co_return done;
}

net::Task<Result<void>> delete_at_once(kube::Client client, std::string ns, std::string name, std::string uid) {
  kube::DeleteSettings very_one;
  very_one.uid = std::move(uid);
  very_one.grace_period_seconds = 0;
  auto done = co_await client.remove<api::Pod>(ns, name, very_one);
  co_return done;
}

api::Pod manifest_of(const api::Pod& pod, const RetryLedger& ledger) {
  api::Pod made;
  auto& meta = *made.mutable_metadata();
  meta.set_namespace_(pod.metadata().namespace_());
  meta.set_name(pod.metadata().name());
  *meta.mutable_labels() = pod.metadata().labels();
  *meta.mutable_annotations() = pod.metadata().annotations();
  *meta.mutable_finalizers() = pod.metadata().finalizers();
  for (const auto& [key, value] : write_ledger(OwnerKind::Pod, ledger)) {
    if (value) (*meta.mutable_annotations())[key] = *value;
  }
  (*meta.mutable_annotations())[std::string(placement::kScheduledHosts)] = placement::write_visited(ledger.nodes());
  *made.mutable_spec() = pod.spec();
  made.mutable_spec()->clear_node_name();
  made.mutable_spec()->clear_ephemeral_containers();
  return made;
}

net::Task<Result<void>> BarePods::save(std::string ns, std::string name, std::string uid, RetryLedger ledger) {
  auto pod = co_await client_.get<api::Pod>(ns, name);
  if (!pod) co_return fail(std::move(pod.error()));
  if (pod->metadata().uid() != uid)
    co_return fail(Errc::NotFound, "pod {}/{} was replaced by another pod with the same name", ns, name);
  api::ConfigMap saved;
  saved.mutable_metadata()->set_namespace_(home_);
  saved.mutable_metadata()->set_name(config_map_name(uid));
  (*saved.mutable_metadata()->mutable_labels())[std::string(kLabel)] = kLabelValue;
  auto& data = *saved.mutable_data();
  data["name"] = name;
  data["uid"] = uid;
  data["pod"] = kube::base64_encode(manifest_of(*pod, ledger).SerializeAsString());
  any_ = true;
  auto made = co_await client_.create(std::move(saved));
  if (!made && made.error().code != Errc::AlreadyExists) co_return fail(std::move(made.error()));
  co_return Result<void>{};
}

net::Task<Result<std::vector<BarePods::Saved>>> BarePods::saved() {
  kube::ListSettings ours;
  ours.label_selector = fmt::format("{}={}", kLabel, kLabelValue);
  auto listed = co_await client_.list<api::ConfigMap>(home_, ours);
  if (!listed) co_return fail(std::move(listed.error()));
  std::vector<Saved> all;
  for (const auto& map : *listed) {
    Saved one;
    one.config_map = map->metadata().name();
    const auto& data = map->data();
    const auto uid = data.find("uid");
    const auto pod = data.find("pod");
    if (uid == data.end() || pod == data.end()) continue;
    one.uid = uid->second;
    const auto bytes = kube::base64_decode(pod->second);
    if (!bytes || !one.pod.ParseFromString(*bytes)) continue;
    all.push_back(std::move(one));
  }
  co_return all;
}

net::Task<Result<std::string>> BarePods::drop(Saved one, std::string report) {
  auto dropped = co_await client_.remove<api::ConfigMap>(home_, one.config_map);
  if (!dropped && dropped.error().code != Errc::NotFound) co_return fail(std::move(dropped.error()));
  co_return report;
}

// Empty: not finished yet.
net::Task<Result<std::string>> BarePods::finish(Saved one) {
  const std::string ns = one.pod.metadata().namespace_();
  const std::string name = one.pod.metadata().name();
  auto there = co_await client_.get<api::Pod>(ns, name);
  if (there && there->metadata().uid() != one.uid) {
    auto dropped = co_await drop(std::move(one), fmt::format("pod {} was created again", name));
    co_return dropped;
  }
  if (there && !there->metadata().has_deletion_timestamp()) {
    auto evicted = co_await evict(client_, ns, name, one.uid, false);
    if (!evicted) co_return fail(std::move(evicted.error()));
    co_return std::string();
  }
  if (there) co_return std::string();  // terminating
  if (there.error().code != Errc::NotFound) co_return fail(std::move(there.error()));
  auto made = co_await client_.create(one.pod);
  if (!made && made.error().code != Errc::AlreadyExists) co_return fail(std::move(made.error()));
  auto dropped = co_await drop(std::move(one), fmt::format("pod {} was created again", name));
  co_return dropped;
}

net::Task<std::vector<std::string>> BarePods::go_on() {
  std::vector<std::string> reports;
  if (listed_ && !any_) co_return reports;
  auto all = co_await saved();
  if (!all) {
    reports.push_back(std::move(all.error().message));
    co_return reports;
  }
  listed_ = true;
  any_ = !all->empty();
  for (Saved& one : *all) {
    auto finished = co_await finish(std::move(one));
    if (!finished) reports.push_back(std::move(finished.error().message));
    if (finished && !finished->empty()) reports.push_back(std::move(*finished));
  }
  co_return reports;
}

}  // namespace rescheduler::rescheduling::recovery
