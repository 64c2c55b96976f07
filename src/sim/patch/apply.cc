#include "sim/patch/apply.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kube/codec/json_text.h"
#include "sim/patch/json_values.h"
#include "sim/patch/ownership.h"
#include "sim/patch/typed_merge.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
// The manager that migrates objects from client-side apply to server-side apply.
constexpr std::string_view kKubectl = "kubectl";

std::string text_at(const json::value& document, std::string_view name) {
  const json::value* found = member_of(document, name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

json::value without_managed_fields(const json::value& document) {
  json::value stripped = document;
  json::object* object = stripped.if_object();
  json::value* metadata = object == nullptr ? nullptr : object->if_contains("metadata");
  if (metadata != nullptr && metadata->is_object()) metadata->get_object().erase("managedFields");
  return stripped;
}

// Fields that this write cannot change, so it must not own them either.
FieldSet out_of_reach(const ApplyOptions& options) {
  FieldSet set;
  if (options.subresource == "status") set.insert(PathElement::member("spec"));
  if (options.subresource.empty() && options.has_status) set.insert(PathElement::member("status"));
  return set;
}

Differences changes_between(const json::value& before,
                            const json::value& after,
                            const ApplyOptions& options,
                            const Place& place) {
  Differences changes = differences(before, after, place);
  const FieldSet ignored = out_of_reach(options);
  if (ignored.empty()) return changes;
  return {changes.removed.without_trees(ignored), changes.modified.without_trees(ignored),
          changes.added.without_trees(ignored)};
}

FieldManager manager_of(const ApplyOptions& options, bool applies) {
  return {options.manager.empty() ? "unknown" : options.manager, applies, applies ? "" : options.api_version,
          options.subresource};
}

void note_changes(ManagedFields& managed,
                  const json::value& before,
                  const json::value& after,
                  const ApplyOptions& options,
                  const Place& place) {
  const Differences changes = changes_between(before, after, options, place);
  take_away(managed, nullptr, changes);
  const FieldSet gained = changes.modified.united(changes.added).without(never_owned());
  if (gained.empty()) return;
  OwnedFields& owned = managed[manager_of(options, false)];
  owned = {options.api_version, options.time, owned.fields.united(gained)};
}

// Group, version and kind in Go's format.
std::string type_name(std::string_view api_version, std::string_view kind) {
  const bool core = api_version.find('/') == std::string_view::npos;
  return fmt::format("{}{}, Kind={}", core ? "/" : "", api_version, kind);
}

ApiResult<void> check(const json::value& config, const ApplyOptions& options, const Place& place) {
  if (options.manager.empty()) {
    StatusError refusal{422, "Invalid",
                        "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply "
                        "patch"};
    refusal.group = "meta.k8s.io";
    refusal.kind = "PatchOptions";
    refusal.causes = {{"FieldValueRequired", "Required value: is required for apply patch", "fieldManager"}};
    return refuse(std::move(refusal));
  }
  if (!config.is_object()) return refuse(bad_request("error decoding patch: the configuration is not an object"));
  const std::string api_version = text_at(config, "apiVersion");
  const std::string kind = text_at(config, "kind");
  if (!options.kind.empty() && (kind != options.kind || api_version != options.api_version)) {
    return refuse(bad_request("invalid object type: " + type_name(api_version, kind)));
  }
  const json::value* metadata = member_of(config, "metadata");
  const json::value* claimed = metadata == nullptr ? nullptr : member_of(*metadata, "managedFields");
  if (claimed != nullptr && !claimed->is_null()) return refuse(bad_request("metadata.managedFields must be nil"));
  if (const std::string fault = list_fault(config, place); !fault.empty()) {
    return refuse({500, "", fmt::format("failed to create typed patch object: {}", fault)});
  }
  return {};
}

StatusError conflict_refusal(const std::vector<OwnershipConflict>& found) {
  StatusError refusal{409, "Conflict", {}};
  std::map<FieldManager, std::vector<std::string>> by_manager;
  for (const OwnershipConflict& conflict : found) {
    const std::string path = shown(conflict.path);
    refusal.causes.push_back({"FieldManagerConflict", "conflict with " + described(conflict.manager), path});
    by_manager[conflict.manager].push_back(path);
  }
  if (found.size() == 1) {
    refusal.message = fmt::format("Apply failed with 1 conflict: conflict with {}: {}", described(found[0].manager),
                                  shown(found[0].path));
    return refusal;
  }
  std::vector<std::string> lines;
  for (const auto& [manager, paths] : by_manager) {
    lines.push_back(fmt::format("conflicts with {}:", described(manager)));
    for (const std::string& path : paths) lines.push_back("- " + path);
  }
  refusal.message = fmt::format("Apply failed with {} conflicts: {}", found.size(), fmt::join(lines, "\n"));
  return refusal;
}

const json::value* last_applied_of(const json::value& object) {
  const json::value* metadata = member_of(object, "metadata");
  const json::value* annotations = metadata == nullptr ? nullptr : member_of(*metadata, "annotations");
  const json::value* text = annotations == nullptr ? nullptr : member_of(*annotations, kLastApplied);
  return text != nullptr && text->is_string() && !text->get_string().empty() ? text : nullptr;
}

// Fields that client-side apply set and that have not changed since: kubectl can take them without force.
FieldSet owned_client_side(const json::value& live, const ApplyOptions& options, const Place& place) {
  const json::value* text = last_applied_of(live);
  if (text == nullptr) return {};
  const auto last = kube::parse_json(text->get_string(), {});
  if (!last || text_at(*last, "apiVersion") != options.api_version) return {};
  const Differences since = differences(*last, live, place);
  return fields_of(*last, place).without(since.modified).without(since.added).without(since.removed);
}

// Removes the conflicts whose paths are in `allowed`.
void erase_allowed(std::vector<OwnershipConflict>& found, const FieldSet& allowed) {
  std::erase_if(found, [&allowed](const OwnershipConflict& conflict) {
    FieldSet one;
    one.insert(conflict.path);
    return one.without(allowed).empty();
  });
}

// kubectl keeps the annotation of client-side apply up to date if it exists.
void refresh_last_applied(json::value& object, const json::value& config) {
  if (last_applied_of(object) == nullptr) return;
  json::value copy = config;
  if (json::value* metadata = copy.get_object().if_contains("metadata")) {
    json::value* annotations = metadata->is_object() ? metadata->get_object().if_contains("annotations") : nullptr;
    if (annotations != nullptr && annotations->is_object()) annotations->get_object().erase(kLastApplied);
  }
  json::object& annotations = object.get_object()["metadata"].get_object()["annotations"].get_object();
  annotations[kLastApplied] = json::serialize(copy) + "\n";
}

}  // namespace

ApiResult<ApplyResult> server_side_apply(const json::value* live,
                                         const json::value& config,
                                         std::string_view managed_fields,
                                         const ApplyOptions& options,
                                         const google::protobuf::Descriptor* schema) {
  const Place place = Place::root(schema);
  const json::value wanted = without_managed_fields(config);
  if (auto checked = check(config, options, place); !checked) return refuse(std::move(checked.error()));
  auto managed = read_managed_fields(managed_fields);
  if (!managed) return refuse({500, "", "failed to decode managed fields: " + managed.error().message});
  const json::value before = live == nullptr ? json::value(json::object()) : without_managed_fields(*live);
  if (managed->empty() && live != nullptr) {
    ApplyOptions before_first_apply = options;
    before_first_apply.manager = "before-first-apply";
    note_changes(*managed, json::object(), before, before_first_apply, place);
  }

  const FieldManager applier = manager_of(options, true);
  const OwnedFields last = std::exchange((*managed)[applier], {});
  (*managed)[applier] = {options.api_version, last.time, fields_of(wanted, place).without_trees(out_of_reach(options))};
  json::value after = pruned(merged(before, wanted, place), *managed, last.fields, place);
  const Differences changes = changes_between(before, after, options, place);
  if (!options.force) {
    std::vector<OwnershipConflict> found = conflicts(*managed, applier, changes);
    if (!found.empty() && options.manager == kKubectl) erase_allowed(found, owned_client_side(before, options, place));
    if (!found.empty()) return refuse(conflict_refusal(found));
  }
  take_away(*managed, &applier, changes);
  if (const auto mine = managed->find(applier); mine != managed->end()) {
    OwnedFields& owned = mine->second;
    owned.fields = owned.fields.without(never_owned());
    if (owned.time.empty() || !same_value(before, after)) owned.time = options.time;
    if (owned.fields.empty()) managed->erase(mine);
  }
  if (options.manager == kKubectl) refresh_last_applied(after, wanted);
  return ApplyResult{std::move(after), to_text(*managed)};
}

std::string note_update(const json::value* before,
                        const json::value& after,
                        std::string_view managed_fields,
                        const ApplyOptions& options,
                        const google::protobuf::Descriptor* schema) {
  auto managed = read_managed_fields(managed_fields);
  if (!managed) return std::string(managed_fields);
  if (managed->empty() && before != nullptr) return {};
  note_changes(*managed, before == nullptr ? json::value(json::object()) : without_managed_fields(*before),
               without_managed_fields(after), options, Place::root(schema));
  cap_updaters(*managed);
  return to_text(*managed);
}

}  // namespace rescheduler::sim
