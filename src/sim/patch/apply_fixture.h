// An object under server-side apply in tests: the document and its managed fields, written by several managers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sim/patch/apply.h"
#include "sim/patch/json_literal.h"
#include "sim/patch/managed_fields.h"

namespace rescheduler::sim {

class AppliedObject {
 public:
  AppliedObject(const google::protobuf::Descriptor* schema, std::string api_version)
      : schema_(schema), api_version_(std::move(api_version)) {}

  // An existing object without tracked fields.
  void exists(boost::json::value document) {
    document_ = std::move(document);
    there_ = true;
  }

  ApiResult<void> apply(std::string manager,
                        const boost::json::value& config,
                        bool force = false,
                        std::string part = {}) {
    ApplyOptions options = options_of(std::move(manager), std::move(part));
    options.force = force;
    auto result = server_side_apply(there_ ? &document_ : nullptr, config, managed_, options, schema_);
    if (!result) return refuse(std::move(result.error()));
    exists(std::move(result->object));
    managed_ = std::move(result->managed_fields);
    return {};
  }
  void update(std::string manager, boost::json::value after, std::string part = {}) {
    managed_ = note_update(there_ ? &document_ : nullptr, after, managed_,
                           options_of(std::move(manager), std::move(part)), schema_);
    exists(std::move(after));
  }

  void set_time(std::string time) { time_ = std::move(time); }
  Json document() const { return {document_}; }
  const std::string& managed() const { return managed_; }
  // The fieldsV1 of a manager; "" if it has no entry.
  std::string fields(std::string_view manager) const { return text_member(manager, "fieldsV1"); }
  std::string entry(std::string_view manager) const { return text_member(manager, {}); }

 private:
  ApplyOptions options_of(std::string manager, std::string part) const {
    ApplyOptions options{std::move(manager)};
    options.api_version = api_version_;
    options.subresource = std::move(part);
    options.time = time_;
    options.has_status = true;
    return options;
  }
  std::string text_member(std::string_view manager, std::string_view member) const {
    if (managed_.empty()) return {};
    const boost::json::value parsed = boost::json::parse(managed_);
    for (const boost::json::value& one : parsed.get_array()) {
      if (one.at("manager").get_string() != manager) continue;
      return boost::json::serialize(member.empty() ? one : one.at(member));
    }
    return {};
  }

  const google::protobuf::Descriptor* schema_;
  std::string api_version_;
  std::string time_ = "2024-01-01T00:00:00Z";
  bool there_ = false;
  boost::json::value document_;
  std::string managed_;
};

}  // namespace rescheduler::sim
