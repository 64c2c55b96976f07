// A node that already has the pod's images starts it sooner. Images on few nodes count less, so that not all pods of a
// workload go to the same node.
#include <algorithm>

#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

constexpr std::int64_t kMebibyte = 1024 * 1024;
constexpr std::int64_t kLeast = 23 * kMebibyte;           // smaller images are pulled very fast
constexpr std::int64_t kMostPerImage = 1000 * kMebibyte;  // above this the size makes no further difference

struct KnownImages final : StateData {
  // The images that some node has, with their score. An image that the pod names twice occurs twice.
  std::vector<std::pair<cluster::Symbol, std::int64_t>> worth{};
  std::unique_ptr<StateData> clone() const override { return std::make_unique<KnownImages>(*this); }
};

class ImageLocality final : public PluginOf<ImageLocality> {
 public:
  std::string_view name() const override { return "ImageLocality"; }

  void before_scores(const PodContext& context, CycleState& state) const override {
    KnownImages known;
    const auto nodes = static_cast<double>(context.cluster.node_count());
    for (const auto* images : {&context.requirements().images, &context.requirements().volume_images}) {
      for (const cluster::Symbol image : *images) {
        const cluster::Images::Spread spread = context.cluster.images().of(image);
        if (spread.nodes == 0) continue;
        const double share = static_cast<double>(spread.nodes) / nodes;
        known.worth.emplace_back(image, static_cast<std::int64_t>(static_cast<double>(spread.size) * share));
      }
    }
    state.write(slot(), std::move(known));
  }

  std::optional<std::int64_t> same_for_all(const PodContext& /*context*/, const CycleState& state) const override {
    if (!state.find<KnownImages>(slot())->worth.empty()) return std::nullopt;
    return 0;  // no node has any of the images
  }
  std::int64_t score(const PodContext& context, const CycleState& state, const cluster::NodeInfo& node) const override {
    const auto& known = *state.find<KnownImages>(slot());
    std::int64_t sum = 0;
    for (const auto& [image, worth] : known.worth) {
      if (std::ranges::binary_search(node.node->images, image, {}, &cluster::NodeImage::name)) sum += worth;
    }
    const std::int64_t most = kMostPerImage * static_cast<std::int64_t>(context.requirements().images.size());
    return kMaxScore * (std::clamp(sum, kLeast, std::max(kLeast, most)) - kLeast) / (most - kLeast);
  }
};

}  // namespace

PluginPtr make_image_locality(const PluginArgs* /*args*/) { return std::make_unique<ImageLocality>(); }

}  // namespace rescheduler::placement
