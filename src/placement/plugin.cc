#include "placement/plugin.h"

#include <algorithm>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::placement {

const std::string& Question::pod_uid() const { return pod.metadata().uid(); }

Question question_about(cluster::Cluster& cluster, const api::Pod& pod, const cluster::PodForm& form) {
  cluster::Words& words = cluster.words();
  const cluster::Symbol ns = words.symbols.of(pod.metadata().namespace_());
  return {cluster, pod, form, ns, words.labels.of(pod.metadata().labels()), cluster.namespaces().of({{ns}})};
}

void Plugin::score_each(const Question& asked,
                        const CycleState& state,
                        std::span<const cluster::NodeIndex> nodes,
                        std::span<std::int64_t> scores) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) scores[i] = score(asked, state, asked.cluster.node(nodes[i]));
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
