#include "sim/server/selection.h"

#include <algorithm>

#include <fmt/format.h>

#include "kube/codec/metadata.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kNameField = "metadata.name";
constexpr std::string_view kNamespaceField = "metadata.namespace";

bool selectable(const Kind& kind, std::string_view field) {
  if (field == kNameField || (kind.namespaced && field == kNamespaceField)) return true;
  return std::ranges::find(kind.rules.selectable_fields, field) != kind.rules.selectable_fields.end();
}

}  // namespace

ApiResult<Selection> Selection::parse(const Kind& kind,
                                      std::string_view ns,
                                      std::string_view label_selector,
                                      std::string_view field_selector) {
  Selection selection;
  selection.kind_ = &kind;
  selection.ns_ = ns;
  auto labels = kube::LabelSelector::parse(label_selector);
  if (!labels) return refuse(bad_request(fmt::format("unable to parse requirement: {}", labels.error().message)));
  selection.labels_ = std::move(*labels);
  auto fields = kube::FieldSelector::parse(field_selector);
  if (!fields) return refuse(bad_request(fmt::format("invalid field selector: {}", fields.error().message)));
  for (const auto& term : fields->terms()) {
    if (!selectable(kind, term.field)) {
      return refuse(bad_request(fmt::format("field label not supported: {}", term.field)));
    }
    if (term.equals && term.field == kNameField) selection.name_ = term.value;
    if (term.equals && term.field == kNamespaceField && selection.ns_.empty()) selection.ns_ = term.value;
  }
  selection.fields_ = std::move(*fields);
  return selection;
}

bool Selection::matches(const Version& version) const {
  if (is_everything()) return true;
  const ObjectPtr object = version.object();
  const api::ObjectMeta& metadata = kube::metadata_of(*object);
  if (!ns_.empty() && metadata.namespace_() != ns_) return false;
  if (!labels_.is_everything() && !labels_.matches(metadata.labels())) return false;
  if (fields_.is_everything()) return true;
  std::string scratch;
  const auto ask = [&](std::string_view field) -> kube::LabelLookup::Answer {
    if (field == kNameField) return metadata.name();
    if (field == kNamespaceField) return metadata.namespace_();
    if (!kind_->rules.field) return std::nullopt;
    const std::string* value = kind_->rules.field(*object, field, scratch);
    if (value == nullptr) return std::nullopt;
    return std::string_view(*value);
  };
  return fields_.matches(ask);
}

}  // namespace rescheduler::sim
