#include "rescheduler/loop/surveyor.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "cluster/estimate.h"
#include "cluster/objects/pods.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "placement/predicted_load.h"
#include "rescheduler/loop/modes.h"
#include "rescheduler/planning/census.h"
#include "rescheduler/planning/movable.h"
#include "rescheduler/planning/picture.h"
#include "rescheduler/planning/trial.h"
#include "scheduler/load_sources.h"
#include "usage/half_life.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::NodeIndex;
using cluster::PodIndex;

constexpr double kMilli = 1000;
constexpr double kForgotten = 0.02;  // of what left is still in the samples

// Time for the search of a plan; a cycle is at least a second.
constexpr std::chrono::milliseconds kPlanningTime{800};

bool is_lifecycle_condition(const std::string& type) {
  return type == "MaintenancePlanned" || type == "MaintenanceInProgress" || type == "DrainInProgress"
         || type == "Drained";
}

// Those that a node has for itself, or that are no more than a name by now.
bool belongs_to_node(const PodFacts& facts) {
  return facts.mirror || (facts.owner && facts.owner->kind == "DaemonSet") || facts.phase == PodPhase::Over;
}

// Of a node; where it has nothing of a resource, as was thought otherwise.
cluster::Loads shares_of(const usage::Habit& used, const cluster::Amounts& whole, cluster::Loads otherwise) {
  if (whole.cpu > 0) otherwise[cluster::kCpuLoad] = used.milli_cpu / static_cast<double>(whole.cpu);
  if (whole.memory > 0) otherwise[cluster::kMemoryLoad] = used.memory / static_cast<double>(whole.memory);
  return otherwise;
}

// Reasons that pass by themselves, or that concern pods which need not leave. While others are on their way, a budget
// that is used up and a workload that lacks a pod are just that.
bool is_passing(std::string_view code, bool moving) {
  if (moving && (code == why::kBudget || code == why::kDegraded || code == why::kNotReady)) return true;
  return code == why::kDaemon || code == why::kMirror || code == why::kTerminating || code == why::kCaps
         || code == why::kHeld || code == why::kNotRunning || code == why::kNoOrder;
}

}  // namespace

Surveyor::Surveyor(std::shared_ptr<const config::ReschedulerSettings> args,
                   std::unique_ptr<placement::Framework> framework,
                   const Clock& clock,
                   Planner planner)
    : args_(std::move(args)),
      acting_(only_where(*args_, config::StrategyMode::Act)),
      observing_(only_where(*args_, config::StrategyMode::Observe)),
      framework_(std::move(framework)),
      clock_(clock),
      planner_(std::move(planner)),
      smoothing_(scheduler::book_settings(args_->load)) {
  for (const config::NodePool& pool : args_->rescheduling.pools) {
    // Checked when the configuration was read; one made otherwise picks nobody.
    pools_.push_back(kube::LabelSelector::parse(pool.selector).value_or(kube::LabelSelector::nothing()));
  }
}

void Surveyor::set_args(std::shared_ptr<const config::ReschedulerSettings> args) {
  args_ = std::move(args);
  acting_ = only_where(*args_, config::StrategyMode::Act);
  observing_ = only_where(*args_, config::StrategyMode::Observe);
}

void Surveyor::seen(const google::protobuf::Message& object) {
  if (object.GetDescriptor() == api::Pod::descriptor()) {
    const auto& pod = static_cast<const api::Pod&>(object);
    if (cluster::is_finished(pod)) note_departure(pod);  // it may be kept for long after it has ended
  }
  world_.seen(object);
  if (object.GetDescriptor() != api::Node::descriptor()) return;
  const auto& node = static_cast<const api::Node&>(object);
  const auto& annotations = node.metadata().annotations();
  const auto mark = annotations.find(std::string(kCordonedByKey));
  NodeNote& note = notes_[node.metadata().name()];
  note.uid = node.metadata().uid();
  note.version = node.metadata().resource_version();
  note.unschedulable = node.spec().unschedulable();
  note.cordoned_by = mark == annotations.end() ? "" : mark->second;
  note.uses_conditions = std::ranges::any_of(node.status().conditions(), [](const api::NodeCondition& condition) {
    return is_lifecycle_condition(condition.type());
  });
}

void Surveyor::gone(const google::protobuf::Message& object) {
  if (object.GetDescriptor() == api::Pod::descriptor()) note_departure(static_cast<const api::Pod&>(object));
  world_.gone(object);
  if (object.GetDescriptor() != api::Node::descriptor()) return;
  notes_.erase(static_cast<const api::Node&>(object).metadata().name());
}

void Surveyor::loads(const LoadsSeen& seen) {
  measured_ = seen.at;
  world_.cluster().set_load_picture(seen.picture);
  told_.clear();
  for (const auto& [name, load] : seen.nodes) told_.emplace(name, load);
  for (const auto& [name, load] : told_) apply(name);
  std::erase_if(departures_, [](const auto& entry) { return entry.second.empty(); });
}

void Surveyor::note_departure(const api::Pod& pod) {
  const cluster::Cluster& cluster = world_.cluster();
  const auto index = cluster.find_pod(pod.metadata().uid());
  if (!index) return;
  const cluster::NodeState& node = cluster.node(cluster.pod(*index).node);
  if (!node.exists()) return;
  const cluster::Amounts& whole = node.node->allocatable;
  Departure departure{cluster::estimated_loads(cluster.pod(*index).form->needs->requests, whole), clock_.wall_now()};
  if (const auto used = use_of(*index)) departure.load = shares_of(*used, whole, departure.load);
  departures_[node.node->name].push_back(departure);
  apply(node.node->name);
}

// As measured, else as its like are used to.
std::optional<usage::Habit> Surveyor::use_of(PodIndex index) const {
  const PodFacts& facts = world_.facts(index);
  const double cpu = facts.used[cluster::kCpuLoad];
  const double memory = facts.used[cluster::kMemoryLoad];
  if (!std::isnan(cpu) && !std::isnan(memory)) return usage::Habit{cpu * kMilli, memory};
  const usage::Habit* known = world_.habit_of(facts);
  return known == nullptr ? std::nullopt : std::optional(*known);
}

// What was measured, less what has left since: samples are means over minutes, and a node that was relieved looks hot
// for as long. Moving more of it away meanwhile would be too much.
void Surveyor::apply(const std::string& name) {
  cluster::Cluster& cluster = world_.cluster();
  const auto node = cluster.find_node(name);
  const auto told = told_.find(name);
  if (!node || told == told_.end() || !measured_) return;
  cluster::NodeLoad load = told->second;
  std::vector<Departure>& left = departures_[name];
  std::erase_if(left, [&](const Departure& one) {
    double most = 0;
    for (std::size_t r = 0; r < smoothing_.resources.size(); ++r) {
      const double share = usage::unseen(*measured_ - one.at, smoothing_.resources[r].averaged, smoothing_.smoothing);
      if (load.knows(r)) load.used[r] = std::max(0.0, load.used[r] - one.load[r] * share);  // unknown stays unknown
      most = std::max(most, share);
    }
    return most < kForgotten;
  });
  cluster.set_load(*node, load);
}

// A moment's use says little of a pod: who is picked at its peak, because it is at its peak, brings less than that. So
// it is smoothed, as what is known of nodes is - else the two would not go together either.
cluster::Loads Surveyor::smoothed(const PodFacts& before, const PodUse& now) const {
  cluster::Loads used = cluster::loads_of(cluster::kUnknownLoad);
  used[cluster::kCpuLoad] = now.cpu;
  used[cluster::kMemoryLoad] = now.memory;
  const usage::SmoothingSettings& how = smoothing_.smoothing;
  if (how.kind != usage::Smoothing::Ewma || before.measured == WallTime{}) return used;
  const double weight = usage::weight_of_new(now.at - before.measured, how.half_life);
  for (const std::size_t resource : {cluster::kCpuLoad, cluster::kMemoryLoad}) {
    const double was = before.used[resource];
    if (!std::isnan(was)) used[resource] = was + weight * (used[resource] - was);
  }
  return used;
}

usage::HabitsPtr Surveyor::pods_use(const std::vector<PodUse>& all) {
  std::map<Resting::PodName, const PodUse*> by_name;
  for (const PodUse& one : all) by_name[{one.ns, one.name}] = &one;
  struct Sum {
    usage::Habit habit{};
    double pods = 0;
  };
  std::map<std::string, Sum> sums;  // by workload
  const cluster::Cluster& cluster = world_.cluster();
  for (const NodeIndex node : cluster.existing_nodes()) {
    for (const PodIndex index : cluster.node(node).pods) {
      const std::string& uid = cluster.pod(index).uid;
      const auto found = by_name.find({world_.namespace_of(index), cluster.pod(index).name});
      if (found == by_name.end()) {
        world_.set_pod_load(uid, cluster::loads_of(cluster::kUnknownLoad));
        continue;
      }
      const PodUse& now = *found->second;
      world_.set_pod_load(uid, smoothed(world_.facts(index), now), now.at);
      if (!world_.facts(index).owner) continue;
      Sum& sum = sums[world_.facts(index).owner->workload];
      sum.habit.milli_cpu += now.cpu * kMilli;
      sum.habit.memory += now.memory;
      ++sum.pods;
    }
  }
  const WallTime now = clock_.wall_now();
  for (const auto& [workload, sum] : sums) {
    habits_.saw(workload, {sum.habit.milli_cpu / sum.pods, sum.habit.memory / sum.pods}, now);
  }
  usage::HabitsPtr known = habits_.take(now);
  world_.set_habits(known);
  return known;
}

// Loads that were told too long ago say nothing, whatever stands in the book.
bool Surveyor::is_fresh(WallTime now) const {
  const cluster::LoadPicture& picture = world_.cluster().load_picture();
  // Requests are what the cluster itself says, now. Who names no source wants to go by them; where all sources fail,
  // they are no more than a makeshift for placing pods, and nobody is moved for them.
  if (args_->load.sources.empty() && picture.basis == cluster::LoadBasis::Requests) return true;
  if (picture.basis != cluster::LoadBasis::Usage || !measured_) return false;
  return now - *measured_ <= args_->load.freshness;
}

// Percent: that of the node's pool, of all nodes, or the threshold above which it takes no new pods.
double Surveyor::trigger_for(const cluster::NodeState& node, const std::string& resource) const {
  const cluster::NodeLabels labels(*node.node, world_.cluster().words().symbols);
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    if (!pools_[i].matches(labels)) continue;
    const auto& bands = args_->rescheduling.pools[i].bands;
    const auto found = bands.find(resource);
    if (found != bands.end()) return found->second.trigger;
    break;  // the first pool that fits counts
  }
  const auto& bands = args_->rescheduling.load_balancing.bands;
  const auto found = bands.find(resource);
  if (found != bands.end()) return found->second.trigger;
  if (resource == "cpu") return args_->placing.cpu_threshold;
  if (resource == "memory") return args_->placing.memory_threshold;
  const auto further = std::ranges::find(args_->load.resources, resource, &cluster::LoadResource::name);
  return further != args_->load.resources.end() ? further->threshold : config::LoadBand{}.trigger;
}

void Surveyor::find_hot(Survey& survey) const {
  const cluster::Cluster& cluster = world_.cluster();
  const cluster::LoadPicture& picture = cluster.load_picture();
  const std::vector<NodeIndex> nodes = nodes_in_play(world_);
  for (const NodeIndex index : nodes) {
    const cluster::NodeState& node = cluster.node(index);
    for (std::size_t i = 0; i < picture.resources.size(); ++i) {
      const double load = placement::predicted_load(node, i, picture) * 100;
      if (load > trigger_for(node, picture.resources[i])) survey.hot.insert(node.node->name);
    }
  }
  const double limit = args_->rescheduling.load_balancing.deviation_trigger;
  for (const std::size_t resource : {cluster::kCpuLoad, cluster::kMemoryLoad}) {
    if (spread_of(world_, nodes, resource).deviation * 100 > limit) survey.uneven = true;
  }
}

Survey Surveyor::survey(WallTime now) {
  Survey survey;
  const cluster::Cluster& cluster = world_.cluster();
  std::map<std::string, ZoneHealth> zones;
  const bool by_requests = cluster.load_picture().basis == cluster::LoadBasis::Requests;
  std::size_t known = 0;
  std::size_t ready = 0;
  for (const NodeIndex index : cluster.existing_nodes()) {
    const NodeFacts& facts = world_.node_facts(index);
    ZoneHealth& zone = zones[facts.zone];
    zone.name = facts.zone;
    ++zone.nodes;
    if (!facts.ready) ++zone.unready;
    if (facts.ready) ++ready;
    const cluster::NodeState& node = cluster.node(index);
    if (facts.ready && (by_requests || node.load.knows(cluster::kCpuLoad))) ++known;
    const auto note = notes_.find(node.node->name);
    if (note == notes_.end() || (!facts.maintenance && note->second.cordoned_by.empty())) continue;
    CaredNode cared;
    cared.name = node.node->name;
    cared.uid = note->second.uid;
    cared.version = note->second.version;
    cared.marked = facts.maintenance;
    cared.unschedulable = note->second.unschedulable;
    cared.cordoned_by = note->second.cordoned_by;
    cared.uses_conditions = note->second.uses_conditions;
    cared.to_leave = to_leave(cared.name);
    survey.cared.push_back(std::move(cared));
  }
  std::ranges::sort(survey.cared, {}, &CaredNode::name);
  for (auto& [name, zone] : zones) survey.facts.zones.push_back(std::move(zone));
  survey.facts.pending = world_.waiting_pods();
  survey.facts.pods = cluster.pod_count() + survey.facts.pending;
  // Of most nodes, or the mean of those that are known says nothing.
  survey.facts.load_fresh = is_fresh(now) && known * 2 > ready;
  survey.facts.load_source = cluster.load_picture().source;
  if (survey.facts.load_fresh) find_hot(survey);
  survey.picture = picture_of(world_, *args_);
  survey.warnings = world_.take_warnings();
  return survey;
}

std::size_t Surveyor::to_leave(const std::string& name) const {
  const auto node = world_.cluster().find_node(name);
  if (!node) return 0;
  const auto& pods = world_.cluster().node(*node).pods;
  return static_cast<std::size_t>(
      std::ranges::count_if(pods, [&](PodIndex pod) { return !belongs_to_node(world_.facts(pod)); }));
}

void Surveyor::add_blockers(const Plan& plan, bool moving, std::vector<CaredNode>& nodes) const {
  for (CaredNode& node : nodes) {
    for (const Refusal& refusal : plan.refused) {
      if (refusal.node != node.name || is_passing(refusal.code, moving)) continue;
      node.blockers.push_back(fmt::format("{}/{}: {}", refusal.ns, refusal.pod, refusal.reason));
      if (refusal.code == why::kNoTarget) node.no_room = true;
    }
    std::ranges::sort(node.blockers);
  }
}

Held Surveyor::held_for(const PlanWish& wish) const {
  Held held;
  held.pods = wish.held;
  held.circles = wish.resting.circles;
  if (wish.resting.pods.empty() && wish.resting.lineages.empty()) return held;
  const cluster::Cluster& cluster = world_.cluster();
  for (const NodeIndex node : cluster.existing_nodes()) {
    for (const PodIndex index : cluster.node(node).pods) {
      const cluster::PlacedPod& pod = cluster.pod(index);
      const auto by_name = wish.resting.pods.find({world_.namespace_of(index), pod.name});
      if (by_name != wish.resting.pods.end()) held.pods.try_emplace(pod.uid, by_name->second);
      if (wish.resting.lineages.empty()) continue;
      const auto by_lineage = wish.resting.lineages.find(world_.lineage_of(index));
      if (by_lineage != wish.resting.lineages.end()) held.pods.try_emplace(pod.uid, by_lineage->second);
    }
  }
  return held;
}

PlanRequest Surveyor::request_for(const PlanWish& wish, WallTime now) const {
  PlanRequest request;
  request.args = wish.mode == config::StrategyMode::Observe ? &observing_ : &acting_;
  request.framework = framework_.get();
  request.strategies = wish.strategies;
  request.evidence = wish.evidence;
  request.held = held_for(wish);
  request.caps = wish.caps;
  request.draining = wish.draining;
  request.now = now;
  request.seed = wish.seed;
  request.clock = &clock_;
  request.time = kPlanningTime;
  return request;
}

Plan Surveyor::plan(const PlanWish& wish, WallTime now) {
  const PlanRequest request = request_for(wish, now);
  return planner_(world_, request);
}

std::vector<std::optional<std::string>> Surveyor::check(const std::vector<PlannedMove>& moves,
                                                        const PlanWish& wish,
                                                        WallTime now) {
  std::vector<std::optional<std::string>> answers;
  const PlanRequest request = request_for(wish, now);
  const Census census(world_);
  const Movable movable(world_, census, request);
  Trial trial(world_, census, *framework_);
  for (const PlannedMove& move : moves) {
    const auto answer = [&]() -> std::optional<std::string> {
      const auto pod = world_.cluster().find_pod(move.uid);
      if (!pod) return "the pod is gone";
      const auto source = world_.cluster().find_node(move.source);
      if (!source || world_.cluster().pod(*pod).node != *source) return "the pod is not on " + move.source;
      const auto target = world_.cluster().find_node(move.target);
      if (!target) return fmt::format("the node {} is gone", move.target);
      if (!world_.node_facts(*target).ready) return fmt::format("the node {} is not ready", move.target);
      if (wish.draining.contains(move.target) || world_.node_facts(*target).maintenance) {
        return fmt::format("the node {} goes into maintenance", move.target);
      }
      const auto purpose = move.strategy == config::Strategy::NodeMaintenance ? Purpose::Empty : Purpose::Improve;
      const auto stays = movable.why_stays(*pod, purpose);
      if (stays) return stays->reason;
      trial.lift(*pod);
      if (!trial.admits(*pod, *target)) {
        trial.put_down(*pod, *source);
        return fmt::format("it does not fit on {} any more", move.target);
      }
      trial.put_down(*pod, *target);  // those that follow find it there
      return std::nullopt;
    }();
    answers.push_back(answer);
  }
  trial.restore();
  return answers;
}

std::optional<cluster::Loads> Surveyor::load_there(const std::string& uid, const std::string& name) const {
  const auto pod = world_.cluster().find_pod(uid);
  const auto node = world_.cluster().find_node(name);
  if (!pod || !node) return std::nullopt;
  const auto& needs = *world_.cluster().pod(*pod).form->needs;
  const auto used = use_of(*pod);
  return usage::expected_loads(needs.requests, used ? &*used : nullptr, world_.cluster().node(*node).node->allocatable);
}

}  // namespace rescheduler::rescheduling
