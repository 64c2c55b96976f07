#include "placement/cycle.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rescheduler::placement {

namespace {

using cluster::NodeIndex;
using cluster::NodeInfo;

constexpr std::size_t kPrefetched = 8;  // nodes ahead of the one that is examined

}  // namespace

Cycle::Cycle(const Framework& framework, const PodContext& context, const NominatedPods& nominated)
    : framework_(framework),
      context_(context),
      nominated_(nominated),
      state_(framework.plugins().size()),
      skipped_(framework.plugins().size(), false) {
  diagnosis_.all_nodes = context.cluster.node_count();
  diagnosis_.absent.code = Code::UnschedulableAndUnresolvable;
}

const std::optional<Status>& Cycle::pre_filter() {
  if (!pre_filtered_) ended_ = run_pre_filter();
  pre_filtered_ = true;
  return ended_;
}

// Nothing: continue. Otherwise the status that ends the search.
std::optional<Status> Cycle::run_pre_filter() {
  std::optional<Status> refused;
  std::set<std::string> naming;
  for (const Plugin* plugin : framework_.at(Point::PreFilter)) {
    PreFilterResult result = plugin->pre_filter(context_, state_);
    Status& status = result.status;
    status.plugin = plugin->name();
    if (status.code == Code::Skip) {
      skipped_[plugin->slot()] = true;
      for (std::string& remark : status.reasons) diagnosis_.remarks.push_back(std::move(remark));
      continue;
    }
    if (status.code == Code::UnschedulableAndUnresolvable) return status;
    if (status.code == Code::Unschedulable) {
      refused = std::move(status);  // the other plugins still run, because preemption may help
      continue;
    }
    if (!status.ok()) {
      return Status{status.code,
                    {fmt::format("running PreFilter plugin \"{}\": {}", status.plugin, status.message())},
                    status.plugin};
    }
    if (!result.nodes) continue;
    naming.insert(status.plugin);
    if (only_) {
      std::erase_if(*only_, [&](const std::string& name) { return !result.nodes->contains(name); });
    } else {
      only_ = std::move(result.nodes);
    }
    if (only_->empty()) {
      diagnosis_.rejected_by = naming;
      return Status{Code::UnschedulableAndUnresolvable,
                    {naming.size() == 1 ? fmt::format("node(s) didn't satisfy plugin {}", *naming.begin())
                                        : fmt::format("node(s) didn't satisfy plugin(s) [{}] simultaneously",
                                                      fmt::join(naming, " "))}};
    }
  }
  diagnosis_.rejected_by = naming;
  return refused;
}

Status Cycle::find_feasible(const SearchOptions& options) {
  feasible_.clear();
  if (const auto& ended = pre_filter()) {
    if (!rejected(ended->code)) return *ended;
    diagnosis_.pre_filter = ended->message();
    if (!ended->plugin.empty()) diagnosis_.rejected_by.insert(ended->plugin);
    if (ended->code == Code::Pending) diagnosis_.pending_by.insert(ended->plugin);
    diagnosis_.absent = *ended;
    return {};
  }
  sort_plugins();
  if (only_) {
    // The message also names the plugins that rejected the nominated node, as in kube-scheduler.
    const std::string names = fmt::format("{}", fmt::join(diagnosis_.rejected_by, " "));
    diagnosis_.absent.reasons = {fmt::format("node(s) didn't satisfy plugin(s) [{}]", names)};
  }
  // A pod that names its nodes rarely has the same requirements as another pod: its results are not cached.
  const std::size_t places = context_.cluster.nodes().size();
  CachedNodeResults* cache =
      only_ ? nullptr : &framework_.cache().of(context_.requirements().id, places, framework_.scoring().size());
  searched_ = true;
  const std::vector<NodeIndex> named = only_ ? named_nodes() : std::vector<NodeIndex>{};
  const std::span<const NodeIndex> every = options.order.empty() ? context_.cluster.existing_nodes() : options.order;
  const std::span<const NodeIndex> all = only_ ? named : every;
  feasible_.reserve(all.size());
  const std::size_t start = all.empty() ? 0 : options.start % all.size();
  const auto place = [&](std::size_t i) { return all[start + i < all.size() ? start + i : start + i - all.size()]; };
  for (std::size_t i = 0; i < all.size() && feasible_.size() < options.most_feasible; ++i) {
    // The processor does not foresee where the next nodes are: they are large and in several pages.
    if (!others_.empty() && i + kPrefetched < all.size()) {
      __builtin_prefetch(&context_.cluster.node(place(i + kPrefetched)).index);
    }
    look_at(place(i), cache);
  }
  evaluated_ = feasible_.size() + refused_.size();
  if (!unscored_.empty()) cache_scores(*cache);
  if (feasible_.empty() || options.explain) note_refusals();
  const auto failed =
      std::ranges::find(diagnosis_.verdicts, Code::Error, [](const auto& one) { return one.status.code; });
  return failed == diagnosis_.verdicts.end() ? Status{} : failed->status;
}

void Cycle::sort_plugins() {
  for (const Plugin* plugin : framework_.at(Point::Filter)) {
    if (!skipped(*plugin)) (plugin->depends_on_node_only() ? alone_ : others_).push_back(plugin);
  }
  for (const ScoringPlugin& one : framework_.scoring()) {
    standing_.push_back(one.plugin->depends_on_node_only() && one.plugin->needs_no_normalize(context_.cluster));
  }
}

void Cycle::note_refusals() {
  for (const NodeIndex node : refused_) {
    note_refusal(node, filter_with_nominated_pods(context_.cluster.node(node), state_, Depth::WithReasons));
  }
}

std::vector<NodeIndex> Cycle::named_nodes() const {
  std::vector<NodeIndex> all;
  for (const std::string& name : *only_) {
    if (const auto node = context_.cluster.find_node(name)) all.push_back(*node);
  }
  return all;
}

void Cycle::look_at(NodeIndex index, CachedNodeResults* cache) {
  bool fits_here = fits_alone(index, cache);
  if (fits_here && !others_.empty()) {
    const NodeInfo& node = context_.cluster.node(index);
    fits_here = std::ranges::all_of(
        others_, [&](const Plugin* one) { return one->filter(context_, state_, node, nullptr) == Code::Success; });
  }
  if (fits_here && nominated_pods_on(index) != nullptr) {
    fits_here = filter_with_nominated_pods(context_.cluster.node(index), state_, Depth::AnswerOnly).ok();
  }
  (fits_here ? feasible_ : refused_).push_back(index);
}

bool Cycle::fits_alone(NodeIndex index, CachedNodeResults* cache) {
  if (cache != nullptr && cache->generation[index] == context_.cluster.generations()[index]) {
    return cache->fits[index] != 0;
  }
  const NodeInfo& node = context_.cluster.node(index);
  const bool fits_here = std::ranges::all_of(
      alone_, [&](const Plugin* plugin) { return plugin->filter(context_, state_, node, nullptr) == Code::Success; });
  if (cache != nullptr) {
    cache->generation[node.index] = node.generation;
    cache->fits[node.index] = fits_here ? 1 : 0;
    if (fits_here) unscored_.push_back(index);
  }
  return fits_here;
}

void Cycle::cache_scores(CachedNodeResults& cache) const {
  const auto& scoring = framework_.scoring();
  std::vector<std::int64_t> scores(unscored_.size());  // reused for each plugin
  for (const NodeIndex node : unscored_) cache.sums[node] = 0;
  for (std::size_t i = 0; i < scoring.size(); ++i) {
    if (!scoring[i].plugin->depends_on_node_only()) continue;
    scoring[i].plugin->score_each(context_, state_, unscored_, scores);
    auto& by_node = cache.scores[i];
    if (!standing_[i] && by_node.empty()) by_node.resize(cache.generation.size(), 0);
    for (std::size_t n = 0; n < scores.size(); ++n) {
      if (!standing_[i]) {
        by_node[unscored_[n]] = scores[n];
        continue;
      }
      if (scores[n] < 0 || scores[n] > kMaxScore) cache.sums_hold = false;
      cache.sums[unscored_[n]] += scores[n] * scoring[i].weight;
    }
  }
}

bool Cycle::fits(NodeIndex node) {
  if (pre_filter()) return false;
  Status status = filter_with_nominated_pods(context_.cluster.node(node), state_, Depth::WithReasons);
  if (!status.ok()) {
    note_refusal(node, std::move(status));
    return false;
  }
  feasible_ = {node};
  return true;
}

bool Cycle::admits(NodeIndex node, Status* why) {
  if (const auto& ended = pre_filter()) {
    if (why != nullptr) *why = *ended;
    return false;
  }
  const NodeInfo& state = context_.cluster.node(node);
  Status status;
  if (only_ && !only_->contains(state.node->name)) {
    status.code = Code::UnschedulableAndUnresolvable;
    status.reasons = {"node(s) didn't satisfy the pod's own choice of nodes"};
  } else {
    status = filter_with_nominated_pods(state, state_, why != nullptr ? Depth::WithReasons : Depth::AnswerOnly);
  }
  const bool ok = status.ok();
  if (why != nullptr) *why = std::move(status);
  return ok;
}

bool Cycle::relax() {
  if (pre_filter()) return false;
  for (const Plugin* plugin : framework_.at(Point::Filter)) {
    if (skipped(*plugin)) continue;
    const RelaxedCandidates relaxed = plugin->relaxed_candidates(context_, state_);
    for (const NodeIndex index : relaxed.nodes) {
      const NodeInfo& node = context_.cluster.node(index);
      if (only_ && !only_->contains(node.node->name)) continue;
      if (!filter_with_nominated_pods(node, state_, Depth::AnswerOnly).ok()) continue;
      feasible_.push_back(index);
      if (relaxed.in_order) break;
    }
    if (feasible_.empty()) {
      if (!relaxed.nodes.empty()) judge_again(plugin->name());
      continue;
    }
    std::erase_if(diagnosis_.verdicts, [this](const NodeVerdict& verdict) {
      return std::ranges::find(feasible_, verdict.node) != feasible_.end();
    });
    diagnosis_.relaxed_by.insert(std::string(plugin->name()));
    searched_ = false;  // the cache has no scores of nodes that were rejected
    return true;
  }
  return false;
}

// The verdicts of a plugin that has relaxed its filter no longer hold. What other plugins say decides whether
// preemption can help, and which events can.
void Cycle::judge_again(std::string_view plugin) {
  diagnosis_.rejected_by.erase(std::string(plugin));
  for (NodeVerdict& verdict : diagnosis_.verdicts) {
    if (verdict.status.plugin != plugin) continue;
    verdict.status = filter_with_nominated_pods(context_.cluster.node(verdict.node), state_, Depth::WithReasons);
    diagnosis_.rejected_by.insert(verdict.status.plugin);
  }
}

// The first plugin that rejects decides, in the order of the profile.
Status Cycle::filter(const NodeInfo& node, const CycleState& state, Depth depth) const {
  for (const Plugin* plugin : framework_.at(Point::Filter)) {
    if (skipped(*plugin) || plugin == left_out_) continue;
    Status status;
    status.code = plugin->filter(context_, state, node, depth == Depth::WithReasons ? &status.reasons : nullptr);
    if (status.ok()) continue;
    status.plugin = plugin->name();
    return status;
  }
  return {};
}

// The node must pass with and without the nominated pods, because it is unknown whether they will be bound here.
Status Cycle::filter_with_nominated_pods(const NodeInfo& node, const CycleState& state, Depth depth) const {
  if (const auto* nominated_pods = nominated_pods_on(node.index)) {
    NodeInfo crowded = node;
    CycleState with = state.clone();
    for (const auto& nominated_pod : *nominated_pods) {
      if (!outranks(*nominated_pod)) continue;
      crowded.add_pod(nominated_pod);
      run_add_pod(with, *nominated_pod, crowded);
    }
    Status status = filter(crowded, with, depth);
    if (!status.ok()) return status;
  }
  return filter(node, state, depth);
}

Status Cycle::filter_changed(const NodeInfo& node, const CycleState& state) const {
  return filter_with_nominated_pods(node, state, Depth::WithReasons);
}

bool Cycle::outranks(const cluster::AssignedPod& nominated_pod) const {
  return nominated_pod.compiled_spec->priority >= context_.compiled_spec.priority
         && nominated_pod.uid != context_.pod_uid();
}

const std::vector<std::shared_ptr<const cluster::AssignedPod>>* Cycle::nominated_pods_on(NodeIndex node) const {
  if (nominated_.empty()) return nullptr;
  const auto found = nominated_.find(node);
  if (found == nominated_.end()) return nullptr;
  const bool any =
      std::ranges::any_of(found->second, [&](const auto& nominated_pod) { return outranks(*nominated_pod); });
  return any ? &found->second : nullptr;
}

void Cycle::note_refusal(NodeIndex node, Status status) {
  diagnosis_.rejected_by.insert(status.plugin);
  if (status.code == Code::Pending) diagnosis_.pending_by.insert(status.plugin);
  // Only the nominated node can already have a verdict, and it is the first one.
  if (!diagnosis_.verdicts.empty() && diagnosis_.verdicts.front().node == node) {
    diagnosis_.verdicts.front().status = std::move(status);
  } else {
    diagnosis_.verdicts.push_back({node, std::move(status)});
  }
}

void Cycle::refuse(NodeIndex node, Status status) {
  std::erase(feasible_, node);
  note_refusal(node, std::move(status));
}

void Cycle::run_add_pod(CycleState& state, const cluster::AssignedPod& pod, const NodeInfo& node) const {
  for (const Plugin* plugin : framework_.at(Point::PreFilter)) {
    if (!skipped(*plugin)) plugin->add_pod(context_, state, pod, node);
  }
}

void Cycle::run_remove_pod(CycleState& state, const cluster::AssignedPod& pod, const NodeInfo& node) const {
  for (const Plugin* plugin : framework_.at(Point::PreFilter)) {
    if (!skipped(*plugin)) plugin->remove_pod(context_, state, pod, node);
  }
}

}  // namespace rescheduler::placement
