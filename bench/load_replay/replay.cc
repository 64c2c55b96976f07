#include "replay.h"

#include <algorithm>
#include <chrono>
#include <tuple>

#include "placer.h"

namespace rescheduler::replay {
namespace {

class Day {
 public:
  Day(const Workload& workload, const NamedRule& rule, const ReplayOptions& options)
      : workload_(workload),
        options_(options),
        placer_(workload.nodes, rule, workload.options.seed),
        meter_(workload.nodes.size()),
        tally_(workload.nodes.size()),
        cpu_(workload.nodes.size()),
        memory_(workload.nodes.size()) {}

  Outcome live();

 private:
  void remove_finished(std::int64_t until);
  void add_up(std::int64_t minute);
  void measure(std::int64_t minute);
  bool try_to_place(const Job& job, std::int64_t now);
  void retry_waiting(std::int64_t now);

  const Workload& workload_;
  ReplayOptions options_;
  Placer placer_;
  Meter meter_;
  Tally tally_;
  std::vector<Placement> running_;
  std::vector<const Job*> waiting_;
  std::vector<double> cpu_;  // demands of the current minute, as shares
  std::vector<double> memory_;
  std::int64_t placed_ = 0;
};

void Day::remove_finished(std::int64_t until) {
  std::erase_if(running_, [&](const Placement& pod) {
    const bool over = pod.bound + pod.job->lifetime <= until;
    if (over) placer_.remove(pod);
    return over;
  });
}

void Day::add_up(std::int64_t minute) {
  std::ranges::fill(cpu_, 0.0);
  std::ranges::fill(memory_, 0.0);
  for (const Placement& pod : running_) {
    cpu_[pod.node] += cpu_demand(*pod.job, *workload_.rows, minute);
    memory_[pod.node] += pod.job->memory_used;
  }
  for (std::size_t node = 0; node < cpu_.size(); ++node) {
    cpu_[node] /= workload_.nodes[node].cores;
    memory_[node] /= workload_.nodes[node].memory_gib;
  }
}

// A node cannot use more than its capacity, whatever the demand.
void Day::measure(std::int64_t minute) {
  std::vector<double> used = cpu_;
  for (double& share : used) share = std::min(share, 1.0);
  meter_.record(used, memory_);
  if (minute % options_.sample_minutes != 0) return;
  placer_.sampled({meter_, minute * 60, workload_.nodes, *workload_.rows});
}

bool Day::try_to_place(const Job& job, std::int64_t now) {
  auto placed = placer_.place(job, now);
  if (!placed) return false;
  running_.push_back(std::move(*placed));
  ++placed_;
  return true;
}

// Retries pending pods every minute. Skips a pod of the same size as one that has just been rejected.
void Day::retry_waiting(std::int64_t now) {
  std::vector<std::tuple<double, double, double>> refused;
  std::erase_if(waiting_, [&](const Job* job) {
    const std::tuple size{job->cpu, job->memory, job->cpu_limit};
    if (std::ranges::find(refused, size) != refused.end()) return false;
    if (try_to_place(*job, now)) return true;
    refused.push_back(size);
    return false;
  });
}

Outcome Day::live() {
  const auto begun = std::chrono::steady_clock::now();
  const std::int64_t warm_up = workload_.options.warm_up_minutes;
  const std::int64_t end = warm_up + workload_.options.minutes;
  auto next = workload_.jobs.begin();
  for (std::int64_t minute = 0; minute < end; ++minute) {
    remove_finished(minute * 60);
    add_up(minute);
    if (minute >= warm_up) tally_.minute(cpu_, memory_, waiting_.size());
    measure(minute);
    retry_waiting(minute * 60);
    for (; next != workload_.jobs.end() && next->arrives < (minute + 1) * 60; ++next) {
      if (!try_to_place(*next, next->arrives)) waiting_.push_back(&*next);
    }
  }
  Outcome outcome = tally_.finish();
  outcome.left_pending = static_cast<double>(waiting_.size());
  outcome.placed = static_cast<double>(placed_);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return outcome;
}

}  // namespace

Outcome replay(const Workload& workload, const NamedRule& rule, const ReplayOptions& options) {
  return Day(workload, rule, options).live();
}

}  // namespace rescheduler::replay
