// Objects as a meta.k8s.io/v1 Table for kubectl, with the columns and cells of Kubernetes' own printers. A pure
// function of the objects and the time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/store/version.h"

namespace rescheduler::sim {

struct TableRequest {
  std::string include_object{};  // "None", "Metadata", "Object"; empty means Metadata
  bool with_columns = true;      // false for the later events of a watch
  WallTime now{};
  std::string resource_version{};
  std::string continue_token{};
  std::optional<std::int64_t> remaining{};
};

std::string table_json(const Kind& kind, const std::vector<VersionPtr>& objects, const TableRequest& request);
// For an object that is not stored: a Scale.
std::string table_json(const Message& object, const TableRequest& request);

}  // namespace rescheduler::sim
