#include "placement/plugin.h"

#include <algorithm>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::placement {

const std::string& PodContext::pod_uid() const { return pod.metadata().uid(); }

PodContext make_pod_context(cluster::Cluster& cluster,
                            const api::Pod& pod,
                            const cluster::CompiledPodSpec& compiled_spec) {
  cluster::Interner& interner = cluster.interner();
  const cluster::Symbol ns = interner.symbols.intern(pod.metadata().namespace_());
  return {cluster,
          pod,
          compiled_spec,
          ns,
          interner.labels.intern(pod.metadata().labels()),
          cluster.namespaces().of({{ns}})};
}

void Plugin::score_each(const PodContext& context,
                        const CycleState& state,
                        std::span<const cluster::NodeIndex> nodes,
                        std::span<std::int64_t> scores) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) scores[i] = score(context, state, context.cluster.node(nodes[i]));
}

void normalize_by_max(std::span<std::int64_t> scores, bool reverse) {
  std::int64_t most = 0;
  for (const std::int64_t score : scores) most = std::max(most, score);
  for (std::int64_t& score : scores) {
    if (most == 0) {
      score = reverse ? kMaxScore : score;
      continue;
    }
    score = kMaxScore * score / most;
    if (reverse) score = kMaxScore - score;
  }
}

}  // namespace rescheduler::placement
