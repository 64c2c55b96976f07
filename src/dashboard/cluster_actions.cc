#include "dashboard/cluster_actions.h"

#include <fmt/format.h>

#include "cluster/objects/annotations.h"
#include "kube/client/client.h"
#include "kube/codec/json_words.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/time.h"
#include "migration/keys.h"
#include "migration/record.h"
#include "rescheduling/history/move_history_store.h"
#include "rescheduling/loop/controller.h"

namespace rescheduler::dashboard {
namespace {

kube::EventRecorderSettings recorder_settings(const ClusterActionsParts& parts) {
  kube::EventRecorderSettings settings;
  settings.reporter = {"rescheduler-dashboard", fmt::format("rescheduler-dashboard-{}", parts.host)};
  return settings;
}

constexpr int kTries = 3;  // other clients write the ConfigMap too

}  // namespace

ClusterActions::ClusterActions(ClusterActionsParts parts)
    : parts_(std::move(parts)),
      events_(parts_.events != nullptr ? *parts_.events : *parts_.api, recorder_settings(parts_), parts_.services) {}

void ClusterActions::record_event(kube::ObjectRef about, std::string reason, std::string note) {
  kube::EventRecord record;
  record.regarding = std::move(about);
  record.reason = std::move(reason);
  record.action = "Dashboard";
  record.note = std::move(note);
  events_.record(std::move(record));
}

kube::ObjectRef ClusterActions::lease() const {
  return {.api_version = "coordination.k8s.io/v1", .kind = "Lease", .ns = parts_.ns, .name = parts_.lease};
}

// Reads and updates the ConfigMap, because the permissions do not allow a patch. The resourceVersion protects writes of
// other clients.
net::Task<Result<void>> ClusterActions::write_pause(std::string who, bool paused, std::string reason) {
  using namespace rescheduling;
  for (int tries = 1;; ++tries) {
    auto map = co_await kube::Client(*parts_.api).get<api::ConfigMap>(parts_.ns, std::string(kMovesName));
    if (!map && map.error().code == Errc::NotFound && tries < kTries) {
      MoveHistoryStore first(*parts_.api, parts_.ns, std::chrono::nanoseconds::zero());  // load() creates the ConfigMap
      auto made = co_await first.load();
      if (!made) co_return fail(std::move(made.error()));
      continue;
    }
    if (!map) co_return fail(std::move(map.error()));
    auto& annotations = *map->mutable_metadata()->mutable_annotations();
    for (const std::string_view key : {kPausedKey, kPausedByKey, kPausedSinceKey, kPausedReasonKey}) {
      annotations.erase(std::string(key));
    }
    if (paused) {
      annotations[std::string(kPausedKey)] = "true";
      annotations[std::string(kPausedByKey)] = who;
      annotations[std::string(kPausedSinceKey)] = kube::format_time(parts_.services.clock->wall_now());
      annotations[std::string(kPausedReasonKey)] = reason;
    }
    auto written = co_await kube::Client(*parts_.api).update(std::move(*map));
    if (written) co_return Result<void>{};
    if (written.error().code != Errc::Conflict || tries == kTries) co_return fail(std::move(written.error()));
  }
}

ActionAnswer ClusterActions::pause(std::string who, bool paused, std::string reason) {
  if (controller() == nullptr) {
    co_return fail(Errc::Conflict, "there are no automatic moves to pause: no strategy is enabled");
  }
  auto written = co_await write_pause(who, paused, reason);
  if (!written) co_return fail(std::move(written.error()));
  const std::string why = reason.empty() ? "" : fmt::format(": {}", reason);
  record_event(lease(), paused ? "ReschedulingPaused" : "ReschedulingUnpaused",
               fmt::format("{} by {}{}", paused ? "Paused" : "Unpaused", who, why));
  if (rescheduling::Controller* moving = controller()) moving->run_soon("a user paused or resumed rescheduling");
  co_return paused ? fmt::format("rescheduling is paused{}", why) : std::string("rescheduling continues");
}

ActionAnswer ClusterActions::apply_plan(std::string who, std::string plan) {
  rescheduling::Controller* moving = controller();
  if (moving == nullptr) co_return fail(Errc::Conflict, "this process moves no pods: send the request to the leader");
  auto applied = moving->apply_observed(plan);
  if (!applied) co_return fail(std::move(applied.error()));
  record_event(lease(), "PlanApplied", fmt::format("Plan {} was applied by {}", plan, who));
  co_return fmt::format("plan {} is being carried out", plan);
}

ActionAnswer ClusterActions::cancel_migration(std::string who, std::string ns, std::string name) {
  std::string patch = R"({"spec":{"cancel":true}})";
  auto found = co_await kube::Client(*parts_.api).patch<api::Migration>(ns, name, std::move(patch));
  if (!found) co_return fail(std::move(found.error()));
  if (migration::has_ended(*found)) {
    co_return fail(Errc::Conflict, "{}/{} has already ended: {}", ns, name, found->status().phase());
  }
  record_event(kube::ref_to(*found), "MigrationCancelled", fmt::format("Cancelled by {}", who));
  co_return fmt::format("{}/{} is being cancelled; completed steps are rolled back where possible", ns, name);
}

ActionAnswer ClusterActions::move(std::string who, std::string ns, std::string pod, std::string to, std::string mode) {
  auto found = co_await kube::Client(*parts_.api).get<api::Pod>(ns, pod);
  if (!found) co_return fail(std::move(found.error()));
  migration::MoveRequest request;
  request.ns = ns;
  request.pod = pod;
  request.uid = found->metadata().uid();
  request.source = found->spec().node_name();
  request.target = to;
  request.strategy = migration::kManual;
  request.reason = fmt::format("requested by {}", who);
  request.mode = migration::mode_of(mode);
  if (request.source.empty()) co_return fail(Errc::Conflict, "pod {}/{} has no node yet", ns, pod);
  if (request.source == to) co_return fail(Errc::Conflict, "pod {}/{} is already on {}", ns, pod, to);
  auto node = co_await kube::Client(*parts_.api).get<api::Node>("", to);
  if (!node) co_return fail(std::move(node.error()));
  const auto millis =
      std::chrono::duration_cast<std::chrono::milliseconds>(parts_.services.clock->wall_now().time_since_epoch())
          .count();
  const std::string name = migration::migration_name(pod, static_cast<std::uint64_t>(millis));
  api::Migration wanted = migration::to_migration(request, name);
  auto made = co_await kube::Client(*parts_.api).create(std::move(wanted));
  if (!made) co_return fail(std::move(made.error()));
  record_event(kube::ref_to(*found), "MoveRequested",
               fmt::format("{} requested a move to {} (migration {})", who, to, name));
  co_return fmt::format("{}/{} will move from {} to {} (migration {})", ns, pod, request.source, to, name);
}

ActionAnswer ClusterActions::maintenance(std::string who, std::string node, bool on) {
  const std::string patch =
      fmt::format(R"({{"metadata":{{"labels":{{"{}":{},"{}":null}}}}}})", cluster::kOwnMaintenanceKey,
                  on ? "\"true\"" : "null", cluster::kMaintenanceKey);
  auto done = co_await kube::Client(*parts_.api).patch<api::Node>("", node, patch);
  if (!done) co_return fail(std::move(done.error()));
  record_event(kube::ref_to(*done), on ? "MaintenanceRequested" : "MaintenanceEnded",
               on ? fmt::format("{} started maintenance: the node will be drained", who)
                  : fmt::format("{} ended maintenance", who));
  co_return on ? fmt::format("{} goes into maintenance", node) : fmt::format("{} comes out of maintenance", node);
}

}  // namespace rescheduler::dashboard
