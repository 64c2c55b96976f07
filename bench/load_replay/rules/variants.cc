#include "rules/variants.h"

#include <algorithm>
#include <cmath>

#include "rules/load_plugin.h"
#include "rules/numbers.h"

namespace rescheduler::replay {
namespace {

double square(double value) { return value * value; }

class Variant final : public Rule {
 public:
  static constexpr bool kFilters = true;
  Variant(const VariantOptions& options, const std::vector<NodeShape>& nodes)
      : options_(options), shapes_(nodes), nodes_(nodes.size()) {}

  void enlist(placement::Registry& registry, placement::Profile& profile, int weight) override {
    enlist_judge("Variant", *this, registry, profile, weight);
  }
  void sampled(cluster::Cluster& /*cluster*/, const Knowledge& known) override;
  void bound(cluster::Cluster& /*cluster*/, const Placement& pod) override {
    Node& node = nodes_[pod.node];
    node.recent.push_back(pod);
    node.booked.cpu += options_.estimate * pod.job->cpu / shapes_[pod.node].cores;
    node.booked.memory += options_.estimate * pod.job->memory / shapes_[pod.node].memory_gib;
    node.requested.cpu += pod.job->cpu / shapes_[pod.node].cores;
    node.squares += square(pod.job->cpu / shapes_[pod.node].cores);
    node.requested.memory += pod.job->memory / shapes_[pod.node].memory_gib;
  }
  void gone(cluster::Cluster& /*cluster*/, const Placement& pod) override {
    Node& node = nodes_[pod.node];
    std::erase_if(node.recent, [&](const Placement& one) { return one.job == pod.job; });
    node.requested.cpu -= pod.job->cpu / shapes_[pod.node].cores;
    node.squares = std::max(0.0, node.squares - square(pod.job->cpu / shapes_[pod.node].cores));
    node.requested.memory -= pod.job->memory / shapes_[pod.node].memory_gib;
  }
  bool refuses(cluster::NodeIndex node, const Asked& asked) const {
    const Pair load = predicted(node, asked, options_.filtered);
    return load.cpu > options_.threshold || load.memory > options_.threshold;
  }
  std::int64_t score(cluster::NodeIndex node, const Asked& asked) const {
    const Pair load = predicted(node, asked, options_.incoming);
    const auto left = [&](double used) { return 1 - std::pow(std::clamp(used, 0.0, 1.0), options_.power); };
    const double both = options_.cpu_weight * left(load.cpu) + options_.memory_weight * left(load.memory);
    double score = 100 * ((1 - options_.worst) * both + options_.worst * std::min(left(load.cpu), left(load.memory)));
    if (options_.norm > 0) {
      const auto part = [&](double weight, double used) {
        return weight * std::pow(std::max(0.0, used), options_.norm);
      };
      const double sum = part(options_.cpu_weight, load.cpu) + part(options_.memory_weight, load.memory);
      const double whole = std::pow(sum / (options_.cpu_weight + options_.memory_weight), 1 / options_.norm);
      score = (100 - options_.bonus) * left(whole);
    }
    const double own = options_.cpu_weight * load.cpu + options_.memory_weight * load.memory;
    const double mean = options_.cpu_weight * mean_.cpu + options_.memory_weight * mean_.memory;
    if (own < mean) score += options_.bonus * (options_.ramp > 0 ? (mean - own) / mean : 1);
    if (load.cpu > options_.threshold || load.memory > options_.threshold) score -= options_.cliff;
    return std::clamp<std::int64_t>(std::llround(score), 0, 100);
  }

 private:
  struct Pair {
    double cpu = 0;
    double memory = 0;
  };
  struct Node {
    Pair used{};
    Pair booked{};
    Pair requested{};
    double squares = 0;  // of the CPU requests there
    std::vector<Placement> recent{};
  };
  Pair predicted(cluster::NodeIndex index, const Asked& asked, double factor) const {
    const Node& node = nodes_[index];
    const Pair own{asked.cpu / shapes_[index].cores, asked.memory / shapes_[index].memory_gib};
    Pair load{node.used.cpu + node.booked.cpu + factor * own.cpu,
              node.used.memory + node.booked.memory + factor * own.memory};
    load.cpu = (1 - options_.requests) * load.cpu + options_.requests * (node.requested.cpu + own.cpu);
    if (options_.lumps > 0) load.cpu += options_.lumps * std::sqrt(node.squares + own.cpu * own.cpu);
    return load;
  }
  static std::int64_t minutes(double value) { return std::llround(value); }
  double used(const Knowledge& known, Measured what, std::size_t node) const {
    const double mean = known.meter.mean(what, node, minutes(options_.window));
    double used = mean;
    if (options_.percentile > 0) {
      used = known.meter.percentile(what, node, minutes(options_.peak), options_.percentile);
    }
    if (options_.deviations > 0) {
      used += options_.deviations * known.meter.deviation(what, node, minutes(options_.peak));
    }
    if (options_.largest > 0) {
      used = (1 - options_.largest) * used
             + options_.largest * known.meter.largest_mean(what, node, minutes(options_.peak));
    }
    return used;
  }

  VariantOptions options_;
  std::vector<NodeShape> shapes_;
  std::vector<Node> nodes_;
  Pair mean_;
};

void Variant::sampled(cluster::Cluster& /*cluster*/, const Knowledge& known) {
  const std::int64_t seen_after = minutes(options_.fading * options_.window * 60);
  mean_ = {};
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    node.used = {used(known, Measured::Cpu, i), used(known, Measured::Memory, i)};
    std::erase_if(node.recent, [&](const Placement& pod) { return pod.bound <= known.now - seen_after; });
    node.booked = {};
    for (const Placement& pod : node.recent) {
      const double unseen = 1 - static_cast<double>(known.now - pod.bound) / static_cast<double>(seen_after);
      node.booked.cpu += unseen * options_.estimate * pod.job->cpu / shapes_[i].cores;
      node.booked.memory += unseen * options_.estimate * pod.job->memory / shapes_[i].memory_gib;
    }
    mean_.cpu += (node.used.cpu + node.booked.cpu) / static_cast<double>(nodes_.size());
    mean_.memory += (node.used.memory + node.booked.memory) / static_cast<double>(nodes_.size());
  }
}

}  // namespace

Result<VariantOptions> parse_variant(std::string_view text) {
  VariantOptions options;
  const NumbersByName fields{
      {"window", &options.window},
      {"percentile", &options.percentile},
      {"deviations", &options.deviations},
      {"largest", &options.largest},
      {"peak", &options.peak},
      {"estimate", &options.estimate},
      {"incoming", &options.incoming},
      {"filtered", &options.filtered},
      {"fading", &options.fading},
      {"cpu", &options.cpu_weight},
      {"memory", &options.memory_weight},
      {"worst", &options.worst},
      {"norm", &options.norm},
      {"bonus", &options.bonus},
      {"ramp", &options.ramp},
      {"threshold", &options.threshold},
      {"cliff", &options.cliff},
      {"power", &options.power},
      {"requests", &options.requests},
      {"lumps", &options.lumps},
  };
  if (auto read = read_numbers(text, fields); !read) return fail(std::move(read.error()));
  return options;
}

RuleFactory variant(const VariantOptions& options) {
  return [options](const std::vector<NodeShape>& nodes) { return std::make_unique<Variant>(options, nodes); };
}

}  // namespace rescheduler::replay
