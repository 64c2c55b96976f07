// The plugin Rescheduler and the LoadTracker, as the scheduler uses them.
#include "rules/ours.h"

#include <chrono>

#include "rules/numbers.h"
#include "usage/load_tracker.h"

namespace rescheduler::replay {
namespace {

WallTime wall(std::int64_t seconds) { return WallTime{std::chrono::seconds{1'800'000'000 + seconds}}; }

class Ours final : public Rule {
 public:
  explicit Ours(OurSettings settings) : settings_(std::move(settings)) {}

  void register_plugins(placement::Registry& /*registry*/, placement::Profile& profile, int weight) override {
    profile.args["Rescheduler"] = settings_.args;
    for (const auto point : {placement::Point::Filter, placement::Point::Score}) {
      profile.at(point).push_back({"Rescheduler", weight});
    }
  }
  // As the default queries measure: CPU as a rate over five minutes, memory at the moment.
  void sampled(cluster::Cluster& cluster, const Knowledge& known) override {
    usage::Reading reading;
    for (std::size_t i = 0; i < known.nodes.size(); ++i) {
      const std::string& name = cluster.node(static_cast<cluster::NodeIndex>(i)).node->name;
      reading.samples.push_back({name, cluster::kCpuLoad, known.meter.mean(Measured::Cpu, i, 5), wall(known.now)});
      reading.samples.push_back({name, cluster::kMemoryLoad, known.meter.latest(Measured::Memory, i), wall(known.now)});
    }
    usage::LoadTracker& tracker = tracker_of(cluster);
    tracker.take(reading, "recorded", wall(known.now));
    tracker.look(wall(known.now));
  }
  void bound(cluster::Cluster& cluster, const Placement& pod) override {
    const auto index = cluster.find_pod(pod.uid);
    tracker_of(cluster).placed(pod.uid, pod.node, *cluster.pod(*index).compiled_spec->requirements, wall(pod.bound));
  }
  void remove(cluster::Cluster& cluster, const Placement& pod) override { tracker_of(cluster).release(pod.uid); }

 private:
  usage::LoadTracker& tracker_of(cluster::Cluster& cluster) {
    if (!tracker_) tracker_ = std::make_unique<usage::LoadTracker>(settings_.tracker, cluster);
    return *tracker_;
  }

  OurSettings settings_;
  std::unique_ptr<usage::LoadTracker> tracker_;
};

}  // namespace

Result<OurSettings> parse_our_settings(std::string_view text) {
  OurSettings settings;
  auto& smoothing = settings.tracker.smoothing;
  double half_life = std::chrono::duration<double>(smoothing.half_life).count();
  double window = std::chrono::duration<double>(smoothing.window).count();
  double percentile = 0;
  double threshold = settings.args.cpu_threshold;
  const NumbersByName fields{{"halfLife", &half_life},
                             {"window", &window},
                             {"percentile", &percentile},
                             {"threshold", &threshold},
                             {"bonus", &settings.args.load_balance_bonus},
                             {"cpu", &settings.args.cpu_score_weight},
                             {"memory", &settings.args.memory_score_weight}};
  if (auto read = read_numbers(text, fields); !read) return fail(std::move(read.error()));
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  smoothing.half_life = duration_cast<nanoseconds>(std::chrono::duration<double>(half_life));
  smoothing.window = duration_cast<nanoseconds>(std::chrono::duration<double>(window));
  if (percentile > 0) smoothing.kind = usage::Smoothing::Percentile;
  if (percentile > 0) smoothing.percentile = percentile * 100;
  settings.args.cpu_threshold = settings.args.memory_threshold = threshold;
  return settings;
}

RuleFactory rescheduler_plugin(const OurSettings& settings) {
  return [settings](const std::vector<NodeShape>&) { return std::make_unique<Ours>(settings); };
}

}  // namespace rescheduler::replay
