#include "usage/load_tracker.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <boost/container_hash/hash.hpp>

#include "base/check.h"

namespace rescheduler::usage {
namespace {

using cluster::Loads;
using cluster::NodeIndex;
using cluster::NodeInfo;
using cluster::NodeLoad;

// A changed mean changes the score of every node. Between two readings the mean moves with the placed pods. A smaller
// change than this is not worth scoring all nodes again.
constexpr double kMeanDrift = 0.005;

// Bitwise, so that unknown equals unknown: NaN does not equal itself.
bool same(const Loads& a, const Loads& b) {
  return std::ranges::equal(
      a, b, [](double x, double y) { return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y); });
}

bool same(const NodeLoad& a, const NodeLoad& b) {
  return same(a.used, b.used) && same(a.volatility, b.volatility) && same(a.reserved, b.reserved)
         && a.round_robin_count == b.round_robin_count;
}

bool same(const cluster::LoadSummary& a, const cluster::LoadSummary& b) {
  return a.basis == b.basis && a.source == b.source && a.resources == b.resources && same(a.mean, b.mean);
}

std::uint64_t hash_of(std::string_view key) { return boost::hash<std::string_view>{}(key); }

}  // namespace

LoadTracker::LoadTracker(LoadTrackerSettings settings, cluster::Cluster& cluster)
    : settings_(std::move(settings)), cluster_(cluster), load_summary_(cluster.load_summary()), longest_(0) {
  RESCHEDULER_CHECK(settings_.resources.size() <= cluster::kMostLoads, "no more loads than there is room for");
  load_summary_.resources.clear();
  for (const ResourceSettings& one : settings_.resources) {
    load_summary_.resources.push_back(one.name);
    longest_ = std::max(longest_, time_to_be_seen(one.averaged, settings_.smoothing));
  }
  cluster_.set_load_summary(load_summary_);
}

LoadTracker::Entry& LoadTracker::entry_of(const NodeInfo& node) {
  if (entries_.size() <= node.index) entries_.resize(node.index + 1);
  Entry& entry = entries_[node.index];
  if (entry.name != node.node->name) {
    clear(entry);
    entry.name = node.node->name;
    entry.measured.resize(settings_.resources.size());
  }
  return entry;
}

void LoadTracker::clear(Entry& entry) {
  for (const Reservation& one : entry.reservations) where_.erase(one.key);
  entry = Entry{};
}

std::uint32_t LoadTracker::source_id(const std::string& name) {
  const auto known = std::ranges::find(sources_, name);
  const auto id = static_cast<std::uint32_t>(known - sources_.begin());
  if (known == sources_.end()) sources_.push_back(name);
  return id;
}

bool LoadTracker::is_fresh(const Measured& measured) const {
  const auto newest = measured.smoother.newest();
  return newest && *newest >= now_ - settings_.rules.freshness;
}

// True if every sample that is fresh now or later contains the full load of a pod placed at this time.
bool LoadTracker::is_long_past(WallTime placed_at) const {
  return now_ != WallTime::min() && placed_at < now_ - settings_.rules.freshness - longest_;
}

void LoadTracker::take(const Reading& reading, std::string source, WallTime now) {
  if (reading.samples.empty()) return;
  now_ = std::max(now_, now);
  const std::uint32_t id = source_id(source);
  for (const Sample& sample : reading.samples) {
    if (sample.resource >= settings_.resources.size() || fault_of(sample, settings_.rules, now)) continue;
    const auto node = cluster_.find_node(sample.node);
    if (!node) continue;
    Measured& measured = entry_of(cluster_.node(*node)).measured[sample.resource];
    // Sources differ in what they measure and in the total that a share refers to: their samples are not mixed.
    if (measured.source != id) measured = Measured{};
    measured.source = id;
    measured.averaged = sample.averaged;
    if (sample.averaged) longest_ = std::max(longest_, time_to_be_seen(*sample.averaged, settings_.smoothing));
    measured.smoother.add(std::max(sample.value, 0.0), sample.at, settings_.smoothing);
    measured.volatility.add(std::max(sample.value, 0.0), sample.at);
  }
  taken_ = true;
  set_load_summary_basis(cluster::LoadBasis::Usage, std::move(source));
}

void LoadTracker::fall_back(cluster::LoadBasis basis, std::string source, WallTime now) {
  now_ = std::max(now_, now);
  set_load_summary_basis(basis, std::move(source));
}

void LoadTracker::set_load_summary_basis(cluster::LoadBasis basis, std::string source) {
  const bool turned = basis != load_summary_.basis;
  load_summary_.basis = basis;
  load_summary_.source = std::move(source);
  if (!same(load_summary_, cluster_.load_summary())) cluster_.set_load_summary(load_summary_);
  if (!turned) return;
  // Only pods placed under LoadBasis::RoundRobin are counted.
  for (Entry& entry : entries_) {
    for (Reservation& one : entry.reservations) one.round_robin = false;
  }
  for (const NodeIndex index : cluster_.existing_nodes()) {
    NodeLoad load = cluster_.node(index).load;
    if (std::exchange(load.round_robin_count, 0) != 0) cluster_.set_load(index, load);
  }
}

double LoadTracker::remaining(const Reservation& reservation, const Entry& entry, std::size_t resource) const {
  const Measured& measured = entry.measured[resource];
  // Without a fresh sample the load of the node is unknown, and the reservation stays whole.
  if (!is_fresh(measured)) return reservation.load[resource];
  const auto averaged = measured.averaged.value_or(settings_.resources[resource].averaged);
  return reservation.load[resource]
         * unseen(*measured.smoother.newest() - reservation.at, averaged, settings_.smoothing);
}

void LoadTracker::write(NodeIndex index, const Entry& entry) {
  NodeLoad load = cluster_.node(index).load;
  for (std::size_t r = 0; r < settings_.resources.size(); ++r) {
    const Measured& measured = entry.measured[r];
    load.used[r] = is_fresh(measured) ? measured.smoother.value() : cluster::kUnknownLoad;
    load.volatility[r] = is_fresh(measured) ? measured.volatility.deviation() : 0.0;
    // Summed again each time: adding and subtracting would accumulate rounding errors.
    load.reserved[r] = 0.0;
    for (const Reservation& one : entry.reservations) load.reserved[r] += remaining(one, entry, r);
  }
  if (!same(load, cluster_.node(index).load)) cluster_.set_load(index, load);
}

void LoadTracker::look(WallTime now) {
  now_ = std::max(now_, now);
  cluster_.set_load_time(now_);
  for (NodeIndex index{0}; index < entries_.size(); ++index) {
    if (!entries_[index].name.empty() && !cluster_.node(index).exists()) clear(entries_[index]);
  }
  Loads sum{};
  std::array<std::size_t, cluster::kMostLoads> known{};
  for (const NodeIndex index : cluster_.existing_nodes()) {
    Entry& entry = entry_of(cluster_.node(index));
    std::erase_if(entry.reservations, [this](const Reservation& one) {
      const bool past = is_long_past(one.at);
      if (past) where_.erase(one.key);
      return past;
    });
    entry.reservations.shrink_to_fit();
    write(index, entry);
    const NodeLoad& load = cluster_.node(index).load;
    for (std::size_t r = 0; r < settings_.resources.size(); ++r) {
      if (!load.knows(r)) continue;
      sum[r] += load.predicted(r);
      ++known[r];
    }
  }
  const bool measured = std::exchange(taken_, false);
  for (std::size_t r = 0; r < settings_.resources.size(); ++r) {
    const double mean = known[r] == 0 ? cluster::kUnknownLoad : sum[r] / static_cast<double>(known[r]);
    if (measured || !(std::abs(mean - load_summary_.mean[r]) <= kMeanDrift)) load_summary_.mean[r] = mean;
  }
  if (!same(load_summary_, cluster_.load_summary())) cluster_.set_load_summary(load_summary_);
}

void LoadTracker::placed(std::string_view uid,
                         NodeIndex node,
                         const cluster::NodeRequirements& requirements,
                         WallTime at,
                         const WorkloadUsage* workload_usage) {
  if (node >= cluster_.nodes().size() || !cluster_.node(node).exists()) return release(uid);
  reserve(uid, node, expected_loads(requirements.requests, workload_usage, cluster_.node(node).node->allocatable), at);
}

void LoadTracker::reserve(std::string_view key, NodeIndex node, const Loads& load, WallTime at) {
  const Key hash = hash_of(key);
  const auto known = where_.find(hash);
  const bool exists = node < cluster_.nodes().size() && cluster_.node(node).exists();
  if (known != where_.end()) {
    if (exists && known->second == node && entries_[node].name == cluster_.node(node).node->name) return;
    release(key);
  }
  if (!exists || is_long_past(at)) return;
  Entry& entry = entry_of(cluster_.node(node));
  Reservation& reservation = entry.reservations.emplace_back(Reservation{.key = hash, .at = at});
  // Reservations only add load: a negative value or NaN must not make a node look emptier.
  std::ranges::transform(load, reservation.load.begin(), [](double one) { return one > 0.0 ? one : 0.0; });
  reservation.round_robin = load_summary_.basis == cluster::LoadBasis::RoundRobin;
  where_[hash] = node;
  write(node, entry);
  if (!reservation.round_robin) return;
  NodeLoad counted = cluster_.node(node).load;
  ++counted.round_robin_count;
  cluster_.set_load(node, counted);
}

void LoadTracker::release(std::string_view key) {
  const Key hash = hash_of(key);
  const auto known = where_.find(hash);
  if (known == where_.end()) return;
  const NodeIndex node = known->second;
  where_.erase(known);
  Entry& entry = entries_[node];
  const auto reservation = std::ranges::find(entry.reservations, hash, &Reservation::key);
  const bool round_robin = reservation->round_robin;
  entry.reservations.erase(reservation);
  if (!cluster_.node(node).exists() || cluster_.node(node).node->name != entry.name) return;
  write(node, entry);
  NodeLoad counted = cluster_.node(node).load;
  if (!round_robin || counted.round_robin_count == 0) return;
  --counted.round_robin_count;
  cluster_.set_load(node, counted);
}

}  // namespace rescheduler::usage
