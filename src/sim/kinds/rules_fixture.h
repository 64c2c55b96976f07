// Applies the rules of a kind to JSON objects, as the server does.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include "kube/codec/metadata.h"
#include "kube/proto/meta.pb.h"
#include "sim/kinds/kind.h"

namespace rescheduler::sim::testing {

struct RulesFixture {
  KindRegistry kinds;
  RuleContext context{WallTime{std::chrono::seconds{1'704'067'200}}};

  const Kind& kind(std::string_view plural) const {
    for (const Kind* candidate : kinds.served()) {
      if (candidate->qualified() == plural) return *candidate;
    }
    ADD_FAILURE() << plural << " is not served";
    std::abort();
  }

  static MessagePtr read(const Kind& kind, std::string_view json) {
    auto object = object_from_json(kind, json, false);
    if (object) return std::move(*object);
    ADD_FAILURE() << object.error().message << "\n" << json;
    return kind.make();
  }

  struct Created {
    MessagePtr object;
    std::vector<std::string> faults;  // "spec.x: Required value"
    std::string denied;
  };

  Created create(std::string_view plural, std::string_view json) const {
    const Kind& its_kind = kind(plural);
    Created created{read(its_kind, json), {}, {}};
    auto& metadata = kube::mutable_metadata_of(*created.object);
    if (metadata.name().empty()) metadata.set_name("x");
    if (its_kind.namespaced && metadata.namespace_().empty()) metadata.set_namespace_("default");
    Faults faults;
    const KindRules& rules = its_kind.rules;
    if (rules.defaults) rules.defaults(*created.object);
    if (rules.admit) rules.admit(*created.object, context, faults);
    metadata.set_uid("0000-1");
    if (rules.on_create) rules.on_create(*created.object, context, faults);
    if (rules.validate) rules.validate(*created.object, faults);
    created.denied = faults.denied();
    created.faults = listed(faults.take());
    return created;
  }

  // The faults of an update from one valid object to another object.
  std::vector<std::string> update(std::string_view plural, std::string_view before, std::string_view after) const {
    const Kind& its_kind = kind(plural);
    const Created old = create(plural, before);
    EXPECT_TRUE(old.faults.empty()) << fmt::format("{}", fmt::join(old.faults, "\n"));
    MessagePtr now = read(its_kind, after);
    auto& metadata = kube::mutable_metadata_of(*now);
    metadata.set_name(kube::metadata_of(*old.object).name());
    metadata.set_namespace_(kube::metadata_of(*old.object).namespace_());
    metadata.set_uid("0000-1");
    Faults faults;
    const KindRules& rules = its_kind.rules;
    if (rules.defaults) rules.defaults(*now);
    if (rules.on_update) rules.on_update(*old.object, *now);
    if (rules.validate) rules.validate(*now, faults);
    if (rules.validate_update) rules.validate_update(*old.object, *now, faults);
    return listed(faults.take());
  }

  static std::vector<std::string> listed(const std::vector<Cause>& causes) {
    std::vector<std::string> out;
    for (const Cause& cause : causes) out.push_back(cause.field + ": " + cause.message);
    return out;
  }
};

// Compares only the beginning of each fault, because some faults end with the whole text of a rule.
inline void expect_faults(const std::vector<std::string>& faults, const std::vector<std::string>& beginnings) {
  EXPECT_EQ(faults.size(), beginnings.size()) << fmt::format("{}", fmt::join(faults, "\n"));
  for (std::size_t i = 0; i < std::min(faults.size(), beginnings.size()); ++i) {
    EXPECT_TRUE(faults[i].starts_with(beginnings[i])) << "got      " << faults[i] << "\nexpected " << beginnings[i];
  }
}

struct FaultCase {
  const char* name;
  std::string json;
  std::vector<std::string> faults;
};
inline std::ostream& operator<<(std::ostream& out, const FaultCase& one) { return out << one.name; }

}  // namespace rescheduler::sim::testing
