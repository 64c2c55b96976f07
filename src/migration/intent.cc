#include "migration/intent.h"

#include <algorithm>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "cluster/objects/pods.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/label_selector.h"

namespace rescheduler::migration {
namespace {

namespace json = boost::json;

std::string text_at(const json::object& object, std::string_view key) {
  const auto* found = object.if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::optional<std::int32_t> number_at(const json::object& object, std::string_view key) {
  const auto* found = object.if_contains(key);
  if (found == nullptr || !found->is_int64()) return std::nullopt;
  return static_cast<std::int32_t>(found->get_int64());
}

}  // namespace

std::string avoided_by(const api::Migration& migration, const MigrationSettings& settings) {
  return settings.avoid_source ? source_of(migration) : std::string();
}

std::optional<PlacementIntent> wanted_by(const api::Migration& migration, const MigrationSettings& settings) {
  const Phase phase = phase_of(migration);
  const bool replaced = phase == Phase::Evicting || phase == Phase::Replacing || phase == Phase::Surging;
  if (!replaced || migration.status().selector().empty()) return std::nullopt;
  const bool by_name = migration.status().workload().kind() == "StatefulSet";
  return PlacementIntent{key_of(migration),
                         migration.metadata().namespace_(),
                         migration.status().selector(),
                         by_name ? migration.spec().pod() : std::string(),
                         migration.spec().target(),
                         avoided_by(migration, settings)};
}

bool is_meant(const PlacementIntent& intent, const api::Pod& pod) {
  const auto& meta = pod.metadata();
  if (meta.namespace_() != intent.ns || (!intent.pod.empty() && meta.name() != intent.pod)) return false;
  if (cluster::controller_of(meta) == nullptr) return false;
  const auto selector = kube::LabelSelector::parse(intent.selector);
  return selector && !selector->is_everything() && selector->matches(meta.labels());
}

std::string to_text(const WrittenIntent& intent) {
  json::object object{{"migration", intent.migration},
                      {"pod", intent.pod},
                      {"source", intent.source},
                      {"target", intent.target},
                      {"expires", intent.expires}};
  if (!intent.avoid.empty()) object["avoid"] = intent.avoid;
  if (intent.surged_to) object["surge"] = {{"before", intent.surged_from}, {"during", *intent.surged_to}};
  return json::serialize(object);
}

std::optional<WrittenIntent> parse_intent(std::string_view text) {
  if (text.empty()) return std::nullopt;
  json::error_code problem;
  const json::value parsed = json::parse(text, problem);
  if (problem || !parsed.is_object()) return std::nullopt;
  const json::object& object = parsed.get_object();
  WrittenIntent intent;
  intent.migration = text_at(object, "migration");
  intent.pod = text_at(object, "pod");
  intent.source = text_at(object, "source");
  intent.target = text_at(object, "target");
  intent.avoid = text_at(object, "avoid");
  intent.expires = text_at(object, "expires");
  if (const auto* surge = object.if_contains("surge"); surge != nullptr && surge->is_object()) {
    const auto before = number_at(surge->get_object(), "before");
    const auto during = number_at(surge->get_object(), "during");
    if (before && during) {
      intent.surged_from = *before;
      intent.surged_to = during;
    }
  }
  return intent;
}

}  // namespace rescheduler::migration
