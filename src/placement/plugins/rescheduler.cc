// Schedules pods to the nodes with the least load. LoadSummary::basis defines the load of a node:
//
//   Usage       the measured load, plus the reservations of pods that are not in the samples yet
//   Requests    no measurements: the requests of the node's pods
//   RoundRobin  requests are unknown too: the nodes get pods in turn
//
// Filter: under Usage, a node with a predicted load above a threshold gets no pod. The pod's own estimate does not
// count here: otherwise a pod as large as a node would never fit, even on idle nodes. NodeResourcesFit has already
// checked its requests. The estimate counts as soon as the pod is placed, because it is reserved then. So a burst
// between two samples exceeds a threshold by one pod at most. An unknown load rejects nothing. Requests are not load: a
// node with 90 % of its allocatable requested can be idle.
//
// A pod that all nodes reject waits until a new LoadSummary shows a node below the thresholds. The wait is limited:
// after `load_filter_wait`, or at once with a high priority, the thresholds no longer reject a node for this pod, and
// the scores decide. Otherwise a busy cluster would schedule nothing, preempt nothing, and hide from an autoscaler that
// it is full: an autoscaler knows requests, not load.
//
// Score: the free share with the pod on the node, plus a bonus by how far the node is below the mean. The loads of
// several resources are combined by a weighted mean of their fourth powers, so that the fullest resource dominates.
// With a plain mean, much free memory would compensate for a CPU without free capacity. A varying load counts one
// standard deviation higher, because its peaks exceed the threshold.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cluster/estimate.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/time.h"
#include "placement/plugins/plugins.h"
#include "placement/predicted_load.h"

namespace rescheduler::placement {
namespace {

using cluster::kMemoryLoad;
using cluster::kMostLoads;
using cluster::LoadBasis;
using cluster::Loads;
using cluster::LoadSummary;
using cluster::NodeInfo;

// The points that a node loses for each pod more than the node with the fewest. This exceeds the usual differences that
// other plugins make between similar nodes, so that the node with the fewest pods is really chosen.
constexpr std::int64_t kPointsOfATurn = 10;

struct Judged {
  std::string name{};
  double weight = 0;
  double threshold = 1;  // as a share
  std::string refusal{};
};

Judged judged(std::string name, double weight, double threshold_percent) {
  std::string refusal = fmt::format("node(s) were above the {} load threshold", name);
  return {std::move(name), weight, threshold_percent / 100, std::move(refusal)};
}

// The DaemonSet controller names the one node of each of its pods. Such a pod is accepted: no other node is possible,
// and a node should not lose its own agents.
bool is_for_one_node(const cluster::NodeRequirements& requirements) {
  return requirements.named_nodes && requirements.named_nodes->size() == 1;
}

// Accepts any measured value; NaN counts as not free.
template <class Real>
Real free_share(Real load) {
  return load < 1 ? 1 - std::max(load, Real{0}) : Real{0};
}

// A what-if copy of a node keeps the generation of the original, so cached values do not apply to it.
bool is_real(const NodeInfo& node, const cluster::Cluster& cluster) { return &node == &cluster.node(node.index); }

// For CPU and memory at least the requests are known. Other resources are unknown until they are measured.
bool tells_nodes_apart(std::size_t resource, const LoadSummary& load_summary) {
  return resource <= kMemoryLoad
         || (load_summary.basis == LoadBasis::Usage && !std::isnan(load_summary.mean[resource]));
}

// The input of the score for a node, computed once for each generation. Small and contiguous: with 5,000 nodes the
// NodeInfo objects do not stay in the CPU cache.
struct Digest {
  float cpu = 0;  // load plus volatility, without the incoming pod
  float memory = 0;
  float per_milli_cpu = 0;  // the share of one unit
  float per_byte = 0;
  float cpu_weight = 0;  // as a share of all weights
  float memory_weight = 0;
  float others = 0;  // weighted fourth powers of the resources that pods do not request
  float bonus = 0;   // points
};

// Written when the filter no longer rejects nodes for the pod of this cycle.
struct Relaxed final : StateData {
  std::unique_ptr<StateData> clone() const override { return std::make_unique<Relaxed>(*this); }
};

class Rescheduler final : public PluginOf<Rescheduler, Point::Reserve, Point::PreBind> {
 public:
  explicit Rescheduler(const ReschedulerArgs& args);

  std::string_view name() const override { return "Rescheduler"; }
  // The LoadSummary covers all nodes, and a new one changes the generation of all nodes: see Cluster::set_load_summary.
  bool depends_on_node_only() const override { return true; }
  bool needs_no_normalize(const cluster::Cluster& cluster) const override {
    return cluster.load_summary().basis != LoadBasis::RoundRobin;
  }

  Code filter(const PodContext& context, const CycleState& state, const NodeInfo& node, Reasons* why) const override;
  std::optional<std::int64_t> same_for_all(const PodContext& context, const CycleState& state) const override;
  std::int64_t score(const PodContext& context, const CycleState& state, const NodeInfo& node) const override;
  void score_each(const PodContext& context,
                  const CycleState& state,
                  std::span<const cluster::NodeIndex> nodes,
                  std::span<std::int64_t> scores) const override;
  void normalize(const PodContext& context,
                 const CycleState& state,
                 std::span<const cluster::NodeIndex> feasible,
                 std::span<std::int64_t> scores) const override;
  RelaxedCandidates relaxed_candidates(const PodContext& context, CycleState& state) const override;
  std::vector<ClusterEventWithHint> events_to_register() const override;

 private:
  void keep_up(cluster::NodeIndex index, const cluster::Cluster& cluster) const;
  Digest digested(const NodeInfo& node, const LoadSummary& load_summary) const;
  std::int64_t load_score(const Digest& digest, const cluster::IncomingLoad& coming) const;
  std::optional<std::size_t> place_of(std::size_t number, const LoadSummary& load_summary) const;
  bool is_above(std::size_t number, const NodeInfo& node, const LoadSummary& load_summary) const;
  bool takes_pods(const NodeInfo& node, const LoadSummary& load_summary) const;
  bool waits_no_longer(const PodContext& context) const;
  QueueingHint after_load(const PodContext& waiting) const;

  bool active_;
  std::chrono::nanoseconds wait_;
  std::int32_t priority_;
  float bonus_;
  std::vector<Judged> judged_;  // CPU, memory, then the other measured resources
  // By NodeIndex; they change no result. Separate arrays, because filters and scores each make a pass over all nodes.
  mutable std::vector<std::uint64_t> seen_{};  // the generation that takes_ and digests_ were computed for; 0: none
  mutable std::vector<std::uint8_t> takes_{};
  mutable std::vector<Digest> digests_{};
};

Rescheduler::Rescheduler(const ReschedulerArgs& args)
    : active_(args.enable_scheduling_optimization),
      wait_(args.load_filter_wait),
      priority_(args.load_filter_priority),
      bonus_(static_cast<float>(args.load_balance_bonus)) {
  judged_.push_back(judged("cpu", args.cpu_score_weight, args.cpu_threshold));
  judged_.push_back(judged("memory", args.memory_score_weight, args.memory_threshold));
  for (const auto& one : args.load_resources) judged_.push_back(judged(one.name, one.weight, one.threshold));
}

// The index in Loads; nothing: not measured. CPU and memory have fixed indexes. The LoadSummary has the indexes of the
// others, because other profiles may use other resources.
std::optional<std::size_t> Rescheduler::place_of(std::size_t number, const LoadSummary& load_summary) const {
  if (number <= kMemoryLoad) return number;
  const auto& names = load_summary.resources;
  for (std::size_t place = kMemoryLoad + 1; place < std::min(names.size(), kMostLoads); ++place) {
    if (names[place] == judged_[number].name) return place;
  }
  return std::nullopt;
}

// False if the load is unknown.
bool Rescheduler::is_above(std::size_t number, const NodeInfo& node, const LoadSummary& load_summary) const {
  const auto place = place_of(number, load_summary);
  return place && node.load.predicted(*place) > judged_[number].threshold;
}

bool Rescheduler::takes_pods(const NodeInfo& node, const LoadSummary& load_summary) const {
  for (std::size_t i = 0; i < judged_.size(); ++i) {
    if (is_above(i, node, load_summary)) return false;
  }
  return true;
}

Code Rescheduler::filter(const PodContext& context, const CycleState& state, const NodeInfo& node, Reasons* why) const {
  const LoadSummary& load_summary = context.cluster.load_summary();
  if (!active_ || load_summary.basis != LoadBasis::Usage || is_for_one_node(context.requirements()))
    return Code::Success;
  if (is_real(node, context.cluster)) {
    keep_up(node.index, context.cluster);
    if (takes_[node.index] != 0) return Code::Success;
  } else if (takes_pods(node, load_summary)) {
    return Code::Success;
  }
  if (state.find<Relaxed>(slot()) != nullptr) return Code::Success;
  for (std::size_t i = 0; why != nullptr && i < judged_.size(); ++i) {
    if (is_above(i, node, load_summary)) why->push_back(judged_[i].refusal);
  }
  return Code::UnschedulableAndUnresolvable;  // preemption does not help before the load is measured again
}

bool Rescheduler::waits_no_longer(const PodContext& context) const {
  if (context.compiled_spec.priority >= priority_) return true;
  const auto& meta = context.pod.metadata();
  return meta.has_creation_timestamp()
         && context.cluster.load_time() - kube::wall_time(meta.creation_timestamp()) >= wait_;
}

RelaxedCandidates Rescheduler::relaxed_candidates(const PodContext& context, CycleState& state) const {
  const LoadSummary& load_summary = context.cluster.load_summary();
  if (!active_ || load_summary.basis != LoadBasis::Usage || !waits_no_longer(context)) return {};
  RelaxedCandidates relaxed;
  for (const cluster::NodeIndex index : context.cluster.existing_nodes()) {
    if (!takes_pods(context.cluster.node(index), load_summary)) relaxed.nodes.push_back(index);
  }
  if (!relaxed.nodes.empty()) state.write(slot(), Relaxed{});
  return relaxed;
}

std::optional<std::int64_t> Rescheduler::same_for_all(const PodContext& /*context*/,
                                                      const CycleState& /*state*/) const {
  return active_ ? std::nullopt : std::optional<std::int64_t>{0};
}

void Rescheduler::keep_up(cluster::NodeIndex index, const cluster::Cluster& cluster) const {
  if (seen_.size() <= index) {
    seen_.resize(cluster.nodes().size(), 0);
    takes_.resize(seen_.size(), 1);
    digests_.resize(seen_.size());
  }
  if (seen_[index] == cluster.generations()[index]) return;
  const NodeInfo& node = cluster.node(index);
  seen_[index] = node.generation;
  takes_[index] = takes_pods(node, cluster.load_summary()) ? 1 : 0;
  digests_[index] = digested(node, cluster.load_summary());
}

Digest Rescheduler::digested(const NodeInfo& node, const LoadSummary& load_summary) const {
  Digest digest;
  double weights = 0;
  double others = 0;
  double now = 0;   // weighted load of the node
  double mean = 0;  // weighted mean of all nodes
  for (std::size_t i = 0; i < judged_.size(); ++i) {
    const auto place = place_of(i, load_summary);
    if (!place || !tells_nodes_apart(*place, load_summary)) continue;
    const double weight = judged_[i].weight;
    const double load = predicted_load(node, *place, load_summary);
    weights += weight;
    now += weight * load;
    mean += weight * load_summary.mean[*place];
    const double restless = load + node.load.volatility[*place];
    if (*place == cluster::kCpuLoad) digest.cpu = static_cast<float>(restless);
    if (*place == kMemoryLoad) digest.memory = static_cast<float>(restless);
    if (*place > kMemoryLoad) others += weight * std::pow(1 - free_share(restless), 4);
  }
  const cluster::ResourceList& has = node.node->allocatable;
  digest.per_milli_cpu = static_cast<float>(cluster::share_of(1, has.cpu));
  digest.per_byte = static_cast<float>(cluster::share_of(1, has.memory));
  if (weights > 0) {
    digest.cpu_weight = static_cast<float>(judged_[cluster::kCpuLoad].weight / weights);
    digest.memory_weight = static_cast<float>(judged_[kMemoryLoad].weight / weights);
    digest.others = static_cast<float>(others / weights);
  } else {
    digest.others = 1;  // no resource distinguishes nodes: all count as full
  }
  // In proportion to the distance: a full bonus for every node below the mean would separate two similar nodes on
  // either side of it.
  const double least = std::max(now, 0.0);
  if (least < mean) digest.bonus = static_cast<float>(bonus_ * (1 - least / mean));  // the mean can be infinite
  return digest;
}

std::int64_t Rescheduler::score(const PodContext& context, const CycleState& /*state*/, const NodeInfo& node) const {
  if (!active_) return 0;
  if (context.cluster.load_summary().basis == LoadBasis::RoundRobin)
    return -static_cast<std::int64_t>(node.load.round_robin_count);
  return load_score(digested(node, context.cluster.load_summary()),
                    cluster::incoming_load_of(context.requirements().requests));
}

void Rescheduler::score_each(const PodContext& context,
                             const CycleState& state,
                             std::span<const cluster::NodeIndex> nodes,
                             std::span<std::int64_t> scores) const {
  if (!active_ || context.cluster.load_summary().basis == LoadBasis::RoundRobin) {
    return Plugin::score_each(context, state, nodes, scores);
  }
  const cluster::IncomingLoad coming = cluster::incoming_load_of(context.requirements().requests);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    keep_up(nodes[i], context.cluster);
    scores[i] = load_score(digests_[nodes[i]], coming);
  }
}

std::int64_t Rescheduler::load_score(const Digest& digest, const cluster::IncomingLoad& coming) const {
  const float cpu = 1 - free_share(digest.cpu + digest.per_milli_cpu * coming.milli_cpu);
  const float memory = 1 - free_share(digest.memory + digest.per_byte * coming.memory);
  const float squared_cpu = cpu * cpu;
  const float squared_memory = memory * memory;
  const float whole = digest.cpu_weight * squared_cpu * squared_cpu
                      + digest.memory_weight * squared_memory * squared_memory + digest.others;
  const float free = 1 - std::sqrt(std::sqrt(whole));
  const float points = (static_cast<float>(kMaxScore) - bonus_) * free + digest.bonus;
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): points below 0 become 0 anyway, and this needs no call
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(points + 0.5F), 0, kMaxScore);
}

// The raw scores are negative pod counts. The node with the fewest pods gets 100.
void Rescheduler::normalize(const PodContext& context,
                            const CycleState& /*state*/,
                            std::span<const cluster::NodeIndex> /*feasible*/,
                            std::span<std::int64_t> scores) const {
  if (!active_ || context.cluster.load_summary().basis != LoadBasis::RoundRobin || scores.empty()) return;
  const std::int64_t fewest = *std::ranges::max_element(scores);
  for (std::int64_t& score : scores) score = std::max<std::int64_t>(0, kMaxScore - (fewest - score) * kPointsOfATurn);
}

QueueingHint Rescheduler::after_load(const PodContext& waiting) const {
  const LoadSummary& load_summary = waiting.cluster.load_summary();
  if (load_summary.basis != LoadBasis::Usage || waits_no_longer(waiting)) return QueueingHint::Queue;
  const auto& nodes = waiting.cluster.existing_nodes();
  const bool any = std::ranges::any_of(
      nodes, [&](cluster::NodeIndex index) { return takes_pods(waiting.cluster.node(index), load_summary); });
  return any ? QueueingHint::Queue : QueueingHint::Skip;
}

std::vector<ClusterEventWithHint> Rescheduler::events_to_register() const {
  using cluster::ActionType;
  using cluster::EventResource;
  return {{EventResource::Load, ActionType::Update,
           [this](const PodContext& waiting, const cluster::ClusterEvent& /*what*/) { return after_load(waiting); }},
          {EventResource::Node, ActionType::Add}};  // the load of a new node is unknown, so the node takes pods
}

}  // namespace

PluginPtr make_rescheduler(const PluginArgs* args) {
  return std::make_unique<Rescheduler>(args_or_default<ReschedulerArgs>(args));
}

}  // namespace rescheduler::placement
