#include "rescheduler/planning/trial.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "kube/proto/core_pod.pb.h"
#include "placement/args.h"
#include "placement/plugins/spread_constraints.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::NodeIndex;
using cluster::PodIndex;

// Only what plugins ask of the object itself: the rest they have from the form.
api::Pod object_of(const World& world, PodIndex index) {
  const cluster::Cluster& cluster = world.cluster();
  const cluster::PlacedPod& pod = cluster.pod(index);
  api::Pod object;
  api::ObjectMeta& meta = *object.mutable_metadata();
  meta.set_name(pod.name);
  meta.set_namespace_(cluster.text(pod.ns));
  meta.set_uid(pod.uid);
  for (const auto& [key, value] : cluster.words().labels.labels(pod.labels)) {
    (*meta.mutable_labels())[cluster.text(key)] = cluster.text(value);
  }
  if (const OwnerPtr& owner = world.facts(index).owner) {
    api::OwnerReference& reference = *meta.add_owner_references();
    reference.set_api_version(owner->api_version);
    reference.set_kind(owner->kind);
    reference.set_name(owner->name);
    reference.set_uid(owner->uid);
    reference.set_controller(true);
  }
  return object;
}

bool has_hard_default(const placement::Framework& framework) {
  const auto* args = framework.args_of<placement::PodTopologySpreadArgs>("PodTopologySpread");
  if (args == nullptr || args->defaulting == placement::SpreadDefaulting::System) return false;
  return std::ranges::any_of(args->default_constraints,
                             [](const auto& one) { return one->when_unsatisfiable() != "ScheduleAnyway"; });
}

}  // namespace

struct Trial::Asked {
  PodIndex pod;
  api::Pod object;
  placement::Question question;
  placement::Cycle cycle;

  Asked(World& world, PodIndex index, const placement::Framework& framework, const placement::NominatedPods& nobody)
      : pod(index),
        object(object_of(world, index)),
        question{world.cluster(),
                 object,
                 *world.cluster().pod(index).form,
                 world.cluster().pod(index).ns,
                 world.cluster().pod(index).labels,
                 world.cluster().namespaces().of({{world.cluster().pod(index).ns}})},
        cycle(framework, question, nobody) {}
};

Trial::Trial(World& world, const Census& census, const placement::Framework& framework)
    : world_(world), census_(census), framework_(framework), default_spread_is_hard_(has_hard_default(framework)) {}

Trial::~Trial() {
  asked_.reset();
  restore();
}

void Trial::restore() {
  // Lifted first, all of them: nobody is in another's way, not even for a moment.
  const std::vector<PodIndex> away = moved();
  for (const PodIndex pod : away) {
    if (now_on(pod) != cluster::kNoNode) lift(pod);
  }
  for (const PodIndex pod : away) world_.cluster().put_down(pod, first_.at(pod));
  for (const auto& [node, load] : loads_) world_.cluster().set_load(node, load);
  if (picture_) world_.cluster().set_load_picture(*picture_);
  picture_.reset();
  first_.clear();
  homes_.clear();
  lifted_from_.clear();
  loads_.clear();
}

std::vector<PodIndex> Trial::moved() const {
  std::vector<PodIndex> away;
  for (const auto& [pod, node] : first_) {
    if (now_on(pod) != node) away.push_back(pod);
  }
  std::ranges::sort(away);
  return away;
}

NodeIndex Trial::first_on(PodIndex pod) const {
  const auto found = first_.find(pod);
  return found == first_.end() ? now_on(pod) : found->second;
}

void Trial::settle_in() {
  asked_.reset();
  homes_.clear();
  for (const PodIndex pod : moved()) homes_.emplace(pod, now_on(pod));
  if (!loads_.empty()) look_at_loads();
}

// What is usual, by which nodes are judged of which nothing is known, changes when load goes from and to such nodes.
void Trial::look_at_loads() {
  cluster::LoadPicture picture = world_.cluster().load_picture();
  for (std::size_t r = 0; r < std::min(picture.resources.size(), cluster::kMostLoads); ++r) {
    double sum = 0;
    double known = 0;
    for (const NodeIndex index : world_.cluster().existing_nodes()) {
      const cluster::NodeLoad& load = world_.cluster().node(index).load;
      if (!load.knows(r)) continue;
      sum += load.predicted(r);
      known += 1;
    }
    if (known > 0) picture.mean[r] = sum / known;
  }
  if (!picture_) picture_ = world_.cluster().load_picture();
  world_.cluster().set_load_picture(picture);
}

NodeIndex Trial::home_of(PodIndex pod) const {
  const auto found = homes_.find(pod);
  return found == homes_.end() ? first_on(pod) : found->second;
}

void Trial::lift(PodIndex pod) {
  asked_.reset();
  const NodeIndex from = now_on(pod);
  first_.try_emplace(pod, from);
  lifted_from_.insert_or_assign(pod, from);
  world_.cluster().lift(pod);
  add_load(pod, from, -1);
}

void Trial::put_down(PodIndex pod, NodeIndex node) {
  asked_.reset();
  lifted_from_.erase(pod);
  world_.cluster().put_down(pod, node);
  add_load(pod, node, +1);
}

void Trial::move(PodIndex pod, NodeIndex node) {
  lift(pod);
  put_down(pod, node);
}

// By requests a node's load follows from its pods; what is measured does not.
void Trial::add_load(PodIndex pod, NodeIndex index, double factor) {
  cluster::Cluster& cluster = world_.cluster();
  const cluster::NodeState& node = cluster.node(index);
  if (cluster.load_picture().basis != cluster::LoadBasis::Usage || !node.exists()) return;
  loads_.try_emplace(index, node.load);
  cluster::NodeLoad load = node.load;
  const cluster::Loads& carried = census_.load_of(pod);
  for (std::size_t i = 0; i < cluster::kMostLoads; ++i) {
    const double whole = whole_of(*node.node, i);
    if (load.knows(i) && whole > 0) load.booked[i] += factor * carried[i] / whole;
  }
  cluster.set_load(index, load);
}

// Only who speaks of other pods, or is spread by default, needs them counted.
bool Trial::needs_counts(const cluster::PodForm& form) const {
  return default_spread_is_hard_ || !form.spread.empty() || form.has_affinity();
}

placement::Cycle& Trial::cycle_for(PodIndex lifted) {
  if (asked_ && asked_->pod == lifted) return asked_->cycle;
  asked_ = std::make_unique<Asked>(world_, lifted, framework_, nobody_);
  if (needs_counts(asked_->question.form)) framework_.prepare(world_.cluster(), asked_->question);
  return asked_->cycle;
}

bool Trial::admits(PodIndex lifted, NodeIndex node) {
  RESCHEDULER_CHECK(now_on(lifted) == cluster::kNoNode, "a pod is asked about before it is lifted");
  return cycle_for(lifted).admits(node);
}

bool Trial::admits_back(PodIndex lifted, NodeIndex node) {
  placement::Cycle& cycle = cycle_for(lifted);
  cycle.leave_out(framework_.find("Rescheduler"));
  const bool may = cycle.admits(node);
  cycle.leave_out(nullptr);
  return may;
}

std::string Trial::refusal(PodIndex lifted, NodeIndex node) {
  placement::Status status;
  if (cycle_for(lifted).admits(node, &status)) return {};
  return fmt::format("{} ({})", status.message(), status.plugin);
}

placement::Status Trial::word_of(std::string_view name, PodIndex lifted, NodeIndex node) {
  const placement::Plugin* plugin = framework_.find(name);
  if (plugin == nullptr) return {};
  const placement::Question& asked = cycle_for(lifted).asked();
  placement::CycleState state(framework_.plugins().size());
  placement::Status status = plugin->pre_filter(asked, state).status;
  if (status.code == placement::Code::Skip) return {};
  if (!status.ok()) return status;
  status.code = plugin->filter(asked, state, world_.cluster().node(node), &status.reasons);
  return status;
}

bool Trial::spoils_spread(PodIndex lifted, NodeIndex to) {
  using placement::SpreadConstraints;
  const placement::Question& asked = cycle_for(lifted).asked();
  const cluster::Cluster& cluster = world_.cluster();
  const NodeIndex from = lifted_from_.at(lifted);
  for (const cluster::SpreadConstraint& one : asked.form.spread) {
    if (!one.hard || SpreadConstraints::counts_nobody(asked, one)) continue;
    const cluster::Domains* domains = cluster.topology().find(one.topology_key);
    const cluster::NodeCounts* counts = cluster.counts().matching(SpreadConstraints::match_of(asked, one));
    if (domains == nullptr || counts == nullptr || domains->of(from) == domains->of(to)) continue;
    if (!cluster.words().selectors.matches(one.selector, asked.labels)) continue;
    std::map<cluster::Domain, std::int64_t> sums;
    for (const NodeIndex index : cluster.existing_nodes()) {
      const cluster::Domain domain = domains->of(index);
      if (domain == cluster::kNoDomain || !SpreadConstraints::counts_node(asked, one, index)) continue;
      const auto found = counts->find(index);
      sums[domain] += found == counts->end() ? 0 : found->second;
    }
    const auto skew_with = [&](NodeIndex place) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      std::int64_t most = 0;
      for (const auto& [domain, sum] : sums) {
        const std::int64_t here = sum + (domain == domains->of(place) ? 1 : 0);
        least = std::min(least, here);
        most = std::max(most, here);
      }
      return most - least;
    };
    if (!sums.empty() && skew_with(to) > std::max<std::int64_t>(one.max_skew, skew_with(from))) return true;
  }
  return false;
}

}  // namespace rescheduler::rescheduling
