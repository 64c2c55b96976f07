// The first byte selects the kind of patch and of object; a zero byte divides the rest into a document and its patch.
// Any patch returns a document or an error. A JSON patch must not nest deeper than a document can. A configuration that
// was applied can be applied again and then changes nothing.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <google/protobuf/descriptor.h>

#include "base/check.h"
#include "kube/codec/json_text.h"
#include "kube/codec/resource.h"
#include "sim/patch/json_values.h"
#include "sim/patch/managed_fields.h"
#include "sim/patch/patches.h"

namespace {

using namespace rescheduler;

// Some kinds with many rules, and a kind without a wire type.
const google::protobuf::Descriptor* schema_of(unsigned choice) {
  constexpr std::array<std::string_view, 3> kKinds = {"Pod", "Node", "Service"};
  choice %= kKinds.size() + 2;
  if (choice < kKinds.size()) return kube::find_kind("", kKinds[choice])->message;
  return choice == kKinds.size() ? kube::find_kind("apps", "Deployment")->message : nullptr;
}

void check_apply(const boost::json::value& live, sim::PatchRequest request) {
  request.options.manager = "fuzz";
  request.options.api_version = "v1";
  request.options.force = true;
  const auto once = sim::patch_document(&live, request);
  if (!once) return;
  RESCHEDULER_CHECK(sim::read_managed_fields(once->managed_fields).has_value(),
                    "our own managed fields are unreadable");
  request.managed_fields = once->managed_fields;
  request.options.force = false;
  const auto twice = sim::patch_document(&once->object, request);
  RESCHEDULER_CHECK(twice.has_value(), "the second apply is refused: {}", twice.error().message);
  RESCHEDULER_CHECK(sim::same_value(once->object, twice->object), "the second apply changes the object");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::array kKinds = {kube::PatchKind::Json, kube::PatchKind::Merge, kube::PatchKind::StrategicMerge,
                                 kube::PatchKind::Apply};
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t divide = rest.find('\0');
  if (divide == std::string_view::npos) return 0;
  const auto live = kube::parse_json(rest.substr(0, divide), {});
  if (!live || !live->is_object()) return 0;

  sim::PatchRequest request;
  request.kind = kKinds[data[0] % kKinds.size()];
  request.text = rest.substr(divide + 1);
  request.schema = schema_of(data[0] / kKinds.size());
  if (request.kind == kube::PatchKind::Apply) {
    check_apply(*live, request);
    return 0;
  }
  const auto patched = sim::patch_document(&*live, request);
  if (patched) {
    RESCHEDULER_CHECK(sim::depth_of(patched->object) <= kube::kDeepestJson, "the patched document is too deep");
    (void)sim::note_update(&*live, patched->object, "", request.options, request.schema);
    (void)sim::note_update(nullptr, patched->object, "", request.options, request.schema);
  }
  return 0;
}
