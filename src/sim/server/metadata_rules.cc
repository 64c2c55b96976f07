#include "sim/server/metadata_rules.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kube/proto/meta.pb.h"
#include "kube/value/name.h"

namespace rescheduler::sim {
namespace {

constexpr std::size_t kMostAnnotationBytes = 256 * 1024;

constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    R"('[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))";
constexpr std::string_view kKeyRule =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

std::string quoted(std::string_view text) { return fmt::format("{:?}", text); }

void check_name(const Kind& kind, std::string_view name, Faults& faults) {
  if (name.empty()) {
    faults.required("metadata.name", "name or generateName is required");
    return;
  }
  if (kind.rules.name_fault) {
    const std::string fault = kind.rules.name_fault(name);
    if (!fault.empty()) faults.invalid("metadata.name", quoted(name), fault);
  } else if (!kube::is_dns_subdomain(name)) {
    faults.invalid("metadata.name", quoted(name), kSubdomainRule);
  }
}

void check_labels(const api::ObjectMeta& metadata, Faults& faults) {
  // Sorted by key, so that the same object always gets the same answer.
  std::set<std::string_view> wrong_keys, wrong_values;
  for (const auto& [key, value] : metadata.labels()) {
    if (!kube::is_label_key(key)) wrong_keys.insert(key);
    if (!kube::is_label_value(value)) wrong_values.insert(key);
  }
  for (const std::string_view key : wrong_keys) faults.invalid("metadata.labels", quoted(key), kKeyRule);
  for (const std::string_view key : wrong_values) {
    faults.invalid("metadata.labels", quoted(metadata.labels().at(std::string(key))), kValueRule);
  }
}

void check_annotations(const api::ObjectMeta& metadata, Faults& faults) {
  std::size_t bytes = 0;
  std::set<std::string_view> wrong;
  for (const auto& [key, value] : metadata.annotations()) {
    bytes += key.size() + value.size();
    if (kube::is_label_key(key)) continue;
    // The prefix of annotation keys can have capitals; all other rules are those of labels.
    std::string lower(key);
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    if (!kube::is_label_key(lower)) wrong.insert(key);
  }
  for (const std::string_view key : wrong) faults.invalid("metadata.annotations", quoted(key), kKeyRule);
  if (bytes > kMostAnnotationBytes) faults.too_long("metadata.annotations", static_cast<int>(kMostAnnotationBytes));
}

void check_owners(const api::ObjectMeta& metadata, Faults& faults) {
  int index = 0;
  int controllers = 0;
  for (const auto& owner : metadata.owner_references()) {
    const std::string at = fmt::format("metadata.ownerReferences[{}]", index++);
    if (owner.api_version().empty()) faults.invalid(at + ".apiVersion", "\"\"", "version must not be empty");
    if (owner.kind().empty()) faults.invalid(at + ".kind", "\"\"", "must not be empty");
    if (owner.name().empty()) faults.invalid(at + ".name", "\"\"", "must not be empty");
    if (owner.uid().empty()) faults.invalid(at + ".uid", "\"\"", "must not be empty");
    controllers += owner.controller() ? 1 : 0;
  }
  if (controllers > 1) {
    faults.invalid("metadata.ownerReferences", "[]", "Only one reference can have Controller set to true");
  }
}

}  // namespace

void check_metadata(const Kind& kind, const api::ObjectMeta& metadata, Faults& faults) {
  check_name(kind, metadata.name(), faults);
  if (kind.namespaced && metadata.namespace_().empty()) faults.required("metadata.namespace");
  if (!kind.namespaced && !metadata.namespace_().empty()) {
    faults.forbidden("metadata.namespace", "not allowed on this type");
  }
  check_labels(metadata, faults);
  check_annotations(metadata, faults);
  check_owners(metadata, faults);
  for (const auto& finalizer : metadata.finalizers()) {
    if (!kube::is_label_key(finalizer)) faults.invalid("metadata.finalizers", quoted(finalizer), kKeyRule);
  }
}

void check_metadata_update(const api::ObjectMeta& before, const api::ObjectMeta& after, Faults& faults) {
  const auto immutable = [&faults](std::string_view field, std::string_view was, std::string_view is) {
    if (was != is) faults.invalid(fmt::format("metadata.{}", field), quoted(is), "field is immutable");
  };
  immutable("name", before.name(), after.name());
  immutable("namespace", before.namespace_(), after.namespace_());
  immutable("uid", before.uid(), after.uid());
  if (!before.has_deletion_timestamp()) return;
  std::vector<std::string> added;
  for (const auto& finalizer : after.finalizers()) {
    if (std::ranges::find(before.finalizers(), finalizer) == before.finalizers().end()) {
      added.push_back(quoted(finalizer));
    }
  }
  if (!added.empty()) {
    faults.forbidden("metadata.finalizers",
                     fmt::format("no new finalizers can be added if the object is being deleted, found new finalizers "
                                 "[]string{{{}}}",
                                 fmt::join(added, ", ")));
  }
}

void keep_system_fields(const api::ObjectMeta& before, api::ObjectMeta& after) {
  if (after.uid().empty()) after.set_uid(before.uid());
  if (after.name().empty()) after.set_name(before.name());
  if (before.has_generate_name() && !after.has_generate_name()) after.set_generate_name(before.generate_name());
  after.mutable_creation_timestamp()->CopyFrom(before.creation_timestamp());
  const auto keep_or_clear = [](bool has, auto copy, auto clear) { has ? copy() : clear(); };
  keep_or_clear(
      before.has_deletion_timestamp(),
      [&] { after.mutable_deletion_timestamp()->CopyFrom(before.deletion_timestamp()); },
      [&] { after.clear_deletion_timestamp(); });
  keep_or_clear(
      before.has_deletion_grace_period_seconds(),
      [&] { after.set_deletion_grace_period_seconds(before.deletion_grace_period_seconds()); },
      [&] { after.clear_deletion_grace_period_seconds(); });
  keep_or_clear(
      before.has_generation(), [&] { after.set_generation(before.generation()); }, [&] { after.clear_generation(); });
}

}  // namespace rescheduler::sim
