// Common code of the published rules as plugins: PreFilter and PreScore read the pod's requests once, and nodes are
// judged by them.
#pragma once

#include <memory>
#include <string>

#include "placement/plugin.h"
#include "rules/rule.h"

namespace rescheduler::replay {

struct RequestState final : placement::StateData {
  explicit RequestState(const PodRequest& what) : request(what) {}
  std::unique_ptr<placement::StateData> clone() const override { return std::make_unique<RequestState>(*this); }
  PodRequest request;
};

// `Judge` has `static constexpr bool kFilters`, `bool refuses(node, request) const` where it filters, and
// `std::int64_t score(node, request) const`.
template <class Judge>
class LoadPlugin final : public placement::Plugin {
 public:
  LoadPlugin(std::string name, const Judge& judge) : name_(std::move(name)), judge_(judge) {}

  std::string_view name() const override { return name_; }
  placement::PointSet points() const override {
    using placement::Point;
    if constexpr (Judge::kFilters) return {Point::PreFilter, Point::Filter, Point::Score};
    return {Point::Score};
  }
  placement::PreFilterResult pre_filter(const placement::PodContext& context,
                                        placement::CycleState& state) const override {
    before_scores(context, state);
    return {};
  }
  placement::Code filter(const placement::PodContext& /*context*/,
                         const placement::CycleState& state,
                         const cluster::NodeInfo& node,
                         placement::Reasons* why) const override {
    if constexpr (Judge::kFilters) {
      if (judge_.refuses(node.index, state.find<RequestState>(slot())->request)) {
        if (why != nullptr) why->push_back("node(s) had too much load");
        return placement::Code::Unschedulable;
      }
    }
    return placement::Code::Success;
  }
  void before_scores(const placement::PodContext& context, placement::CycleState& state) const override {
    if (state.find<RequestState>(slot()) == nullptr) state.write(slot(), RequestState(request_of(context.pod)));
  }
  std::int64_t score(const placement::PodContext& /*context*/,
                     const placement::CycleState& state,
                     const cluster::NodeInfo& node) const override {
    return judge_.score(node.index, state.find<RequestState>(slot())->request);
  }

 private:
  std::string name_;
  const Judge& judge_;
};

template <class Judge>
void register_load_plugin(const std::string& name,
                          const Judge& judge,
                          placement::Registry& registry,
                          placement::Profile& profile,
                          int weight) {
  register_plugin(registry, profile, name, weight, [name, &judge](const placement::PluginArgs*) {
    return std::make_unique<LoadPlugin<Judge>>(name, judge);
  });
}

}  // namespace rescheduler::replay
