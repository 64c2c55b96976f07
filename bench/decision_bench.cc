// Decisions alone, without an API server: how many pods a second get a node, and how the time grows with nodes and
// pods. A decision includes compiling the pod, PreFilter, filtering and scoring all nodes with the default profile, and
// adding the pod to its node in the model.
//
//   decision_bench           tables in Markdown; docs/benchmarks.md has the last run
//   decision_bench --quick   a tenth of it, to see that it works
//   decision_bench --load    only the cost of placing by load
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>

#include "base/check.h"
#include "base/rng.h"
#include "cluster/estimate.h"
#include "config/catalog.h"
#include "config/read.h"
#include "kube/codec/json.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "placement/decide.h"
#include "placement/registry.h"

namespace rescheduler {
namespace {

using std::chrono::steady_clock;

constexpr int kZones = 3;
constexpr int kPodsOfAService = 20;  // existing pods with the same label `app`, as of one Deployment

template <class T>
T parsed(std::string_view json) {
  T object;
  const auto read = kube::from_json(json, object, kube::UnknownFields::Refuse);
  RESCHEDULER_CHECK(read.has_value(), "{}", read.error().message);
  return object;
}

// --- The workloads. Those that bench/peers measures too are the same there. ---

struct Workload {
  std::string_view name;
  std::string spec;           // without the containers
  bool each_differs = false;  // every pod has another signature, so nothing can be cached
};

const std::vector<Workload>& workloads() {
  static const std::string term = R"("topologyKey": "{}", "labelSelector": {{"matchLabels": {{"app": "web"}}}})";
  static const std::string host = fmt::format(fmt::runtime(term), "kubernetes.io/hostname");
  static const std::string zone = fmt::format(fmt::runtime(term), "topology.kubernetes.io/zone");
  static const std::vector<Workload> all{
      {"plain", ""},
      {"hard zone spread",
       fmt::format(R"("topologySpreadConstraints": [{{"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", {}}}],)",
                   zone)},
      {"preferred anti-affinity",
       fmt::format(R"("affinity": {{"podAntiAffinity": {{"preferredDuringSchedulingIgnoredDuringExecution":
                     [{{"weight": 1, "podAffinityTerm": {{{}}}}}]}}}},)",
                   host)},
      {"pod affinity",
       fmt::format(R"("affinity": {{"podAffinity": {{"requiredDuringSchedulingIgnoredDuringExecution": [{{{}}}]}}}},)",
                   zone)},
      {"node affinity", R"("affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
         {"nodeSelectorTerms": [{"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In",
                                                       "values": ["zone-0", "zone-1"]}]}]}}},)"},
      {"each pod different", "", true},
  };
  return all;
}

api::Pod model_of(const Workload& workload, std::string_view cpu, std::string_view memory) {
  return parsed<api::Pod>(fmt::format(
      R"({{"metadata": {{"namespace": "default", "labels": {{"app": "web", "pod-template-hash": "7d4b9c6f5d"}}}},
           "spec": {{{} "containers": [{{"name": "main", "image": "registry.example/web:1.2.3",
             "ports": [{{"containerPort": 8080, "name": "http"}}],
             "resources": {{"requests": {{"cpu": "{}", "memory": "{}"}}}}}}]}}}})",
      workload.spec, cpu, memory));
}

void name(api::Pod& pod, std::string_view prefix, int number) {
  pod.mutable_metadata()->set_name(fmt::format("{}-{:06}", prefix, number));
  pod.mutable_metadata()->set_uid(fmt::format("00000000-{}-{:012}", prefix, number));
}

api::Node node_of(int number) {
  return parsed<api::Node>(fmt::format(
      R"({{"metadata": {{"name": "node-{0:05}", "uid": "node-{0}", "labels": {{"kubernetes.io/hostname": "node-{0:05}",
             "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "topology.kubernetes.io/region": "bench",
             "topology.kubernetes.io/zone": "zone-{1}"}}}},
           "status": {{"allocatable": {{"cpu": "4", "memory": "32Gi", "pods": "110"}},
                       "conditions": [{{"type": "Ready", "status": "True"}}]}}}})",
      number, number % kZones));
}

// --- A cluster, and decisions in it. ---

// Of this thread, so other processes of the machine are not included.
double cpu_microseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

// kube-scheduler's default plugins, or the plugin Rescheduler in addition, with the load of every node known.
enum class Judging { Defaults, ByLoadToo };

class Bench {
 public:
  Bench(int nodes, int present, const Workload& workload, Judging judging = Judging::Defaults);
  // CPU time of each decision in microseconds, for `count` decisions or as many as the time limit allows.
  std::vector<double> decide(int count, std::chrono::seconds at_most);

 private:
  api::Pod next_pod(int number) const;
  void measure_loads();
  void place(const api::Pod& pod);
  void reserve(const cluster::CompiledPodSpec& compiled_spec, cluster::NodeIndex node);

  const Workload& workload_;
  Judging judging_;
  api::Pod model_;
  cluster::Cluster cluster_;
  std::unique_ptr<placement::Framework> framework_;
  Rng rng_{20240601};
  int decided_ = 0;
};

// One in ten of the existing pods is like the new pods; the others belong to other services.
Bench::Bench(int nodes, int present, const Workload& workload, Judging judging)
    : workload_(workload), judging_(judging), model_(model_of(workload, "100m", "500Mi")) {
  const auto configuration = config::default_configuration(config::default_catalog());
  placement::Profile profile = configuration.profiles.front();
  if (judging == Judging::ByLoadToo) {
    for (const auto point : {placement::Point::Filter, placement::Point::Score}) {
      profile.plugins[static_cast<std::size_t>(point)].push_back({"Rescheduler"});
    }
  }
  auto made = placement::Framework::make(profile, placement::Registry::standard());
  RESCHEDULER_CHECK(made.has_value(), "{}", made.error().message);
  framework_ = std::move(*made);
  cluster_.listen(false);
  for (int number = 0; number < nodes; ++number) cluster_.upsert_node(node_of(number));

  // Small: a hundred pods must fit on a node.
  api::Pod like = model_of(workload, "10m", "16Mi");
  api::Pod other = model_of(workloads().front(), "10m", "16Mi");
  for (int number = 0; number < present; ++number) {
    api::Pod& pod = number % 10 == 0 ? like : other;
    name(pod, "present", number);
    pod.mutable_spec()->set_node_name(fmt::format("node-{:05}", number % nodes));
    if (&pod == &other) {
      (*pod.mutable_metadata()->mutable_labels())["app"] = fmt::format("service-{}", number / kPodsOfAService);
    }
    cluster_.upsert_pod(pod);
  }
  if (judging == Judging::ByLoadToo) measure_loads();
}

// All nodes have the same load below the threshold. So the feasible nodes and their ranking stay the same, and only the
// cost of the plugin is added. Rejected nodes, or fewer best nodes to choose from, would make decisions cheaper.
void Bench::measure_loads() {
  cluster::NodeLoad load;
  cluster::LoadSummary load_summary;
  for (const std::size_t resource : {cluster::kCpuLoad, cluster::kMemoryLoad}) {
    load.used[resource] = load_summary.mean[resource] = 0.3;
  }
  for (const cluster::NodeIndex node : cluster_.existing_nodes()) cluster_.set_load(node, load);
  load_summary.basis = cluster::LoadBasis::Usage;
  cluster_.set_load_summary(load_summary);
}

void Bench::reserve(const cluster::CompiledPodSpec& compiled_spec, cluster::NodeIndex node) {
  cluster::NodeLoad load = cluster_.node(node).load;
  const auto added =
      cluster::estimated_loads(compiled_spec.requirements->requests, cluster_.node(node).node->allocatable);
  for (const std::size_t resource : {cluster::kCpuLoad, cluster::kMemoryLoad})
    load.reserved[resource] += added[resource];
  cluster_.set_load(node, load);
}

api::Pod Bench::next_pod(int number) const {
  api::Pod pod = model_;
  name(pod, "new", number);
  if (workload_.each_differs) {
    (*pod.mutable_metadata()->mutable_labels())["app"] = fmt::format("job-{}", number);
    auto& requests = *pod.mutable_spec()->mutable_containers(0)->mutable_resources()->mutable_requests();
    requests["memory"].set_string(fmt::format("{}Ki", 100'000 + number));
  }
  return pod;
}

void Bench::place(const api::Pod& pod) {
  static const placement::NominatedPods no_nominated_pods;
  const auto compiled_spec = cluster_.compiled_spec_of(pod);
  const auto context = placement::make_pod_context(cluster_, pod, *compiled_spec);
  framework_->prepare(cluster_, context);
  placement::DecideOptions options;
  options.tie_break = rng_.next();
  const auto decision = placement::decide(*framework_, context, no_nominated_pods, options);
  RESCHEDULER_CHECK(decision.outcome == placement::Outcome::Scheduled, "{}", decision.message);
  cluster_.assume(pod, compiled_spec, decision.node);
  if (judging_ == Judging::ByLoadToo) reserve(*compiled_spec, decision.node);
}

std::vector<double> Bench::decide(int count, std::chrono::seconds at_most) {
  std::vector<double> took;
  took.reserve(static_cast<std::size_t>(count));
  const auto end = steady_clock::now() + at_most;
  for (int number = 0; number < count && steady_clock::now() < end; ++number) {
    const api::Pod pod = next_pod(decided_++);
    const double begun = cpu_microseconds();
    place(pod);
    took.push_back(cpu_microseconds() - begun);
  }
  return took;
}

// --- The report. ---

double mean(const std::vector<double>& all) {
  double sum = 0;
  for (const double one : all) sum += one;
  return sum / static_cast<double>(all.size());
}

double percentile(std::vector<double> all, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(all.size() - 1));
  std::ranges::nth_element(all, all.begin() + at);
  return all[static_cast<std::size_t>(at)];
}

double resident_megabytes() {
  malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return static_cast<double>(resident) * 4096 / 1e6;
}

void row(const std::string& text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

void speeds(int decisions) {
  row("\nAs many pods present as nodes, one in ten like those that come.\n");
  row("| workload | nodes | decisions/s | mean µs | median µs | p99 µs |\n|---|---|---|---|---|---|");
  for (const int nodes : {1'000, 5'000, 15'000}) {
    for (const Workload& workload : workloads()) {
      Bench bench(nodes, nodes, workload);
      const auto took = bench.decide(decisions, std::chrono::seconds{10});
      row(fmt::format("| {} | {} | {:.0f} | {:.1f} | {:.1f} | {:.1f} |", workload.name, nodes, 1e6 / mean(took),
                      mean(took), percentile(took, 0.5), percentile(took, 0.99)));
    }
  }
}

void growth(int decisions) {
  row("\nMean µs a decision; the last column is the whole process with the most pods.\n");
  row("| workload | nodes | no pods | 20,000 pods | 100,000 pods | memory |\n|---|---|---|---|---|---|");
  for (const Workload& workload : workloads()) {
    for (const int nodes : {1'000, 5'000, 15'000}) {
      std::string line = fmt::format("| {} | {} |", workload.name, nodes);
      double megabytes = 0;
      for (const int present : {0, 20'000, 100'000}) {
        Bench bench(nodes, present, workload);
        line += fmt::format(" {:.1f} |", mean(bench.decide(decisions, std::chrono::seconds{5})));
        megabytes = resident_megabytes();
      }
      row(fmt::format("{} {:.0f} MB |", line, megabytes));
    }
  }
}

// The runs with and without the plugin alternate in turns of some decisions, and each is first in every other pair. The
// report has the median over the pairs, so that other load of the machine affects both runs equally.
void price_of_load(int decisions) {
  constexpr int kNodes = 5'000;
  constexpr int kTurn = 25;
  row("\nMedian µs a decision on 5,000 nodes, with the default plugins and with Rescheduler as well, in turns of "
      "25.\n");
  row("| workload | without | with | more |\n|---|---|---|---|");
  for (const Workload& workload : workloads()) {
    Bench without(kNodes, kNodes, workload, Judging::Defaults);
    Bench with(kNodes, kNodes, workload, Judging::ByLoadToo);
    std::vector<double> plain;
    std::vector<double> loaded;
    std::vector<double> ratios;
    for (int turn = 0; turn < decisions / kTurn; ++turn) {
      const auto decide = [](Bench& bench, std::vector<double>& took) {
        took.push_back(mean(bench.decide(kTurn, std::chrono::seconds{5})));
      };
      if (turn % 2 == 0) decide(without, plain);
      decide(with, loaded);
      if (turn % 2 != 0) decide(without, plain);
      if (turn > 0) ratios.push_back(loaded.back() / plain.back());  // skip the first turn: the caches are still empty
    }
    row(fmt::format("| {} | {:.1f} | {:.1f} | {:+.1f} % |", workload.name, percentile(plain, 0.5),
                    percentile(loaded, 0.5), 100 * (percentile(ratios, 0.5) - 1)));
  }
}

}  // namespace
}  // namespace rescheduler

int main(int argc, char** argv) {
  const std::string_view context = argc > 1 ? argv[1] : "";
  const bool quick = context == "--quick";
  rescheduler::price_of_load(quick ? 200 : 4'000);
  if (context == "--load") return 0;
  rescheduler::speeds(quick ? 500 : 5'000);
  rescheduler::growth(quick ? 200 : 2'000);
}
