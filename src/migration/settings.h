// How migrations are carried out.
#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/migration_settings.h"
#include "migration/migrator.h"

namespace rescheduler::migration {

using config::SurgeUse;

// The target node of a replacement pod and the node that it must leave, for the scheduler that schedules the pod.
struct PlacementIntent {
  std::string migration{};  // ns/name
  std::string ns{};
  std::string selector{};  // of the workload; the pod must have a controller
  std::string pod{};       // required pod name; empty: any
  std::string target{};
  std::string avoid{};  // used only if no other node is feasible; empty: none
  friend bool operator==(const PlacementIntent&, const PlacementIntent&) = default;
};

struct MigrationSettings : config::MigrationSettings {
  std::string ns{};  // only Migrations of this namespace; empty: of all namespaces

  std::size_t history = 200;  // number of ended Migrations that are kept
  std::chrono::nanoseconds sweep_every = std::chrono::minutes{5};
  std::chrono::nanoseconds poll_interval = std::chrono::seconds{1};  // without a wake-up
  std::chrono::seconds least_deadline{30};
  std::string reporter = "rescheduler-scheduler";  // reporting controller in events
  std::string host{};

  // schedulerNames of this process: its scheduler follows `steer`. Pods of other schedulers get a nominatedNodeName.
  std::set<std::string> scheduler_names{};
  // Receives the whole list whenever it changes, before the step that makes a replacement pod appear.
  std::function<void(std::vector<PlacementIntent>)> steer{};
  // The load of a node, as a JSON object of shares by resource; empty: unknown. Called before a move, and again
  // `measure_after` after its end: smoothed samples need that time to show the effect.
  std::function<std::string(const std::string& node)> measure{};
  std::chrono::nanoseconds measure_after = std::chrono::minutes{10};
};

}  // namespace rescheduler::migration
