#include "cli/explain/explanation.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/explain/explanation_table.h"
#include "kube/proto/core_pod.pb.h"
#include "placement/explain.h"
#include "placement/registry.h"
#include "scheduler/node_order.h"
#include "scheduler/node_sample.h"

namespace rescheduler::cli {
namespace {

std::string key_of(const api::Pod& pod) {
  return fmt::format("{}/{}", pod.metadata().namespace_(), pod.metadata().name());
}

const placement::Profile& profile_for(const api::Pod& pod, const config::Configuration& configuration) {
  const auto found =
      std::ranges::find(configuration.profiles, pod.spec().scheduler_name(), &placement::Profile::scheduler_name);
  return found == configuration.profiles.end() ? configuration.profiles.front() : *found;
}

// The other waiting pods that have a nominated node.
placement::NominatedPods nominated_pods(cluster::Cluster& cluster, const cluster::Dump& dump, const api::Pod& context) {
  placement::NominatedPods nominated;
  for (const auto& pod : dump.waiting) {
    if (pod->metadata().uid() == context.metadata().uid()) continue;
    const auto node = cluster.find_node(pod->status().nominated_node_name());
    if (!node) continue;
    nominated[*node].push_back(std::make_shared<const cluster::AssignedPod>(
        cluster.hypothetical_pod(*pod, cluster.compiled_spec_of(*pod), *node)));
  }
  return nominated;
}

}  // namespace

Result<std::string> explain(cluster::Cluster& cluster,
                            const cluster::Dump& dump,
                            const std::string& pod,
                            const config::Configuration& configuration,
                            ExplanationForm form) {
  const auto found = std::ranges::find_if(dump.waiting, [&](const auto& one) { return key_of(*one) == pod; });
  if (found == dump.waiting.end()) {
    return fail(Errc::NotFound, "there is no pending pod {}; a pod that has a node is not scheduled again", pod);
  }
  const api::Pod& object = **found;
  auto framework = placement::Framework::make(profile_for(object, configuration), placement::Registry::standard());
  if (!framework) return fail(std::move(framework.error()));
  const auto shape = cluster.compiled_spec_of(object);
  const auto context = placement::make_pod_context(cluster, object, *shape);
  (*framework)->prepare(cluster, context);
  const auto nominated = nominated_pods(cluster, dump, object);
  placement::DecideOptions options{.explain = true};
  std::vector<cluster::NodeIndex> order;
  if (dump.next_start) {
    const int share =
        (*framework)->profile().percentage_of_nodes_to_score.value_or(configuration.percentage_of_nodes_to_score);
    options.most_feasible = scheduler::nodes_to_find(cluster.node_count(), share);
    options.start = *dump.next_start;
    order = scheduler::zone_interleaved(cluster);
    options.order = order;
  }
  const auto decision = placement::decide(**framework, context, nominated, options);
  if (form == ExplanationForm::Json) return placement::to_json(decision, context, **framework);
  return explanation_table(decision, context, **framework);
}

}  // namespace rescheduler::cli
