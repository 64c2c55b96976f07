// Devices of resource claims are not supported. A pod with resource claims stays pending with this reason instead of
// being scheduled without its devices.
#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

class DynamicResources final : public PluginOf<DynamicResources,
                                               Point::PreEnqueue,
                                               Point::Filter,
                                               Point::PostFilter,
                                               Point::Score,
                                               Point::Reserve,
                                               Point::PreBind> {
 public:
  std::string_view name() const override { return "DynamicResources"; }
  // Pods with resource claims never reach filter() and score(), so these read nothing.
  bool depends_on_node_only() const override { return true; }
  bool needs_no_normalize(const cluster::Cluster& /*cluster*/) const override { return true; }

  std::optional<std::int64_t> same_for_all(const PodContext& /*context*/, const CycleState& /*state*/) const override {
    return 0;
  }
  PreFilterResult pre_filter(const PodContext& context, CycleState& /*state*/) const override {
    if (!context.compiled_spec.has_resource_claims) return {{Code::Skip}};
    return {{Code::UnschedulableAndUnresolvable,
             {"the pod has resourceClaims, which this scheduler does not allocate: use a scheduler that does"}}};
  }
};

}  // namespace

PluginPtr make_dynamic_resources(const PluginArgs* /*args*/) { return std::make_unique<DynamicResources>(); }

}  // namespace rescheduler::placement
