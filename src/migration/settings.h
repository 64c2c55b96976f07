// How moves are carried out.
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

// Where a replacement is wanted: for whoever schedules it.
struct PlacementIntent {
  std::string migration{};  // ns/name
  std::string ns{};
  std::string selector{};  // of the workload; the pod has a controller
  std::string pod{};       // name it must have; empty: any
  std::string target{};
  friend bool operator==(const PlacementIntent&, const PlacementIntent&) = default;
};

struct MigrationSettings : config::MigrationSettings {
  std::string ns{};  // only Migrations of this namespace; empty: of all

  std::size_t history = 200;  // so many finished Migrations are kept
  std::chrono::nanoseconds sweep_every = std::chrono::minutes{5};
  std::chrono::nanoseconds look_every = std::chrono::seconds{1};  // when nothing wakes us
  std::chrono::seconds least_deadline{30};
  std::string reporter = "rescheduler-scheduler";  // who speaks in events
  std::string host{};

  // Names whose pods are placed by us: `steer` is obeyed for them. Others are given a nominatedNodeName.
  std::set<std::string> scheduler_names{};
  // The whole list, whenever it changes, before what makes a replacement appear.
  std::function<void(std::vector<PlacementIntent>)> steer{};
  // How busy a node is, as a JSON object of shares by resource; empty: nobody knows. Asked before a move, and when its
  // effect had time to show: smoothed samples take that long.
  std::function<std::string(const std::string& node)> measure{};
  std::chrono::nanoseconds measure_after = std::chrono::minutes{10};
};

}  // namespace rescheduler::migration
