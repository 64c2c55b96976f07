// Reads loads at intervals from the best source that answers and passes them on. The rules are in fallback.h and
// sample.h. This class waits, reads, counts and keeps the status.
//
// It runs on the loop's thread, and so do the callbacks. A caller that needs a reading on another thread passes it on.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.h"
#include "kube/client/loop_services.h"
#include "usage/fallback.h"
#include "usage/node_finder.h"
#include "usage/sample.h"
#include "usage/source.h"

namespace rescheduler::usage {

struct LoadFeedSettings {
  // Prometheus scrapes and metrics-server measures every 15 s at most. More frequent reads return nothing new.
  std::chrono::nanoseconds interval = std::chrono::seconds{15};
  SampleRules rules{};
  FallbackSettings fallback{};
};

struct LoadFeedCallbacks {
  // The nodes of the cluster. Returning the same pointer while nothing changes saves work. While there are no nodes
  // (the informers are not synced), nothing is read.
  std::function<NodeList()> nodes{};
  // A reading of the current source after sift(): for LoadTracker::take().
  std::function<void(Reading, const std::string& source)> taken{};
  // No source has data: for LoadTracker::fall_back(). Called in every round while this lasts.
  std::function<void(cluster::LoadBasis, const std::string& source)> fell_back{};
  // Called once per change, for an event and the log.
  std::function<void(const Fallback::Change&)> changed{};
};

struct SourceStatus {
  std::string name{};
  std::string last_error{};  // empty: the last read succeeded, or there was none
  bool installed = true;     // false: the last read found that the source is not in the cluster
  std::optional<WallTime> last_answer{};
  std::optional<WallTime> newest_sample{};
};

// The command that installs a source, or shows why it does not answer; empty: none is known.
std::string remedy_of(std::string_view source, bool installed);

struct LoadFeedStatus {
  std::string in_charge{};
  cluster::LoadBasis basis = cluster::LoadBasis::Requests;
  std::size_t nodes = 0;           // known
  std::size_t nodes_measured = 0;  // by the last reading, for CPU
  DropCounts dropped{};            // of the last reading that was passed on or was empty
  std::vector<SourceStatus> sources{};
  std::string pods_by{};  // the source of the last usage of pods; empty: none

  // For users: "prometheus: 12 of 12 nodes, newest sample 8 s old", or "requests; prometheus http://...: why". At the
  // end the command that would bring back a better source.
  std::string text(WallTime now) const;
};

class LoadFeed {
 public:
  LoadFeed(kube::LoopServices services,
           LoadFeedSettings settings,
           std::vector<std::unique_ptr<Source>> sources,
           LoadFeedCallbacks callbacks);

  // Runs until its job is cancelled.
  net::Task<void> run();
  // Reads the sources of one round. Fails only with Errc::Cancelled.
  net::Task<Result<void>> round();

  // The usage of pods from the source in use, or from a source after it that measures pods.
  net::Task<Result<std::vector<PodUse>>> read_pods();

  const LoadFeedStatus& status() const { return status_; }

 private:
  net::Task<Result<void>> read(std::size_t source, NodeList nodes);
  void answered(std::size_t source, Reading reading, const NodeList& nodes);
  void failed(std::size_t source, Error error);
  Counter& failures(const std::string& source);
  void notify_changed(const std::optional<Fallback::Change>& change);
  void show();
  bool has_fresh_data(std::size_t source) const;

  kube::LoopServices services_;
  LoadFeedSettings settings_;
  std::vector<std::unique_ptr<Source>> sources_;
  LoadFeedCallbacks callbacks_;
  Fallback fallback_;
  LoadFeedStatus status_;
};

}  // namespace rescheduler::usage
