// Reads loads at intervals from the best source that answers and passes them on. What decides is in fallback.h and
// sample.h; this waits, reads, counts and remembers.
//
// Belongs to the loop's thread, and so do the callbacks: whoever needs a reading elsewhere takes it there.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "kube/client/loop_services.h"
#include "usage/fallback.h"
#include "usage/node_finder.h"
#include "usage/sample.h"
#include "usage/source.h"

namespace rescheduler::usage {

struct LoadFeedSettings {
  // Prometheus scrapes and metrics-server measures every 15 s at most; to ask more often tells nothing new.
  std::chrono::nanoseconds interval = std::chrono::seconds{15};
  SampleRules rules{};
  FallbackSettings fallback{};
};

struct LoadFeedCallbacks {
  // The nodes there are; the same pointer for as long as nothing changes saves work. While there are none (the
  // informers are not ready) nothing is read.
  std::function<NodeList()> nodes{};
  // What the source in charge measured, sifted: for LoadTracker::take().
  std::function<void(Reading, const std::string& source)> taken{};
  // Nothing is measured: for LoadTracker::fall_back(). In every round for as long as that lasts.
  std::function<void(cluster::LoadBasis, const std::string& source)> fell_back{};
  // Once per change; for an event and the log.
  std::function<void(const Fallback::Change&)> changed{};
};

struct SourceStatus {
  std::string name{};
  std::string last_error{};  // empty: it answered when it was last read, or was never read
  std::optional<WallTime> last_answer{};
  std::optional<WallTime> newest_sample{};
};

struct LoadFeedStatus {
  std::string in_charge{};
  cluster::LoadBasis basis = cluster::LoadBasis::Requests;
  std::size_t nodes = 0;           // known
  std::size_t nodes_measured = 0;  // by the last reading, for CPU
  DropCounts dropped{};            // of the last reading that was passed on or found empty
  std::vector<SourceStatus> sources{};

  bool is_best() const { return sources.empty() || in_charge == sources.front().name; }
  // "prometheus: 12 of 12 nodes, newest sample 8 s old", or "requests; prometheus http://...: why": for people.
  std::string text(WallTime now) const;
};

class LoadFeed {
 public:
  LoadFeed(kube::LoopServices services,
           LoadFeedSettings settings,
           std::vector<std::unique_ptr<Source>> sources,
           LoadFeedCallbacks callbacks);

  // Until its job is cancelled.
  net::Task<void> run();
  // One reading of whoever is to be read. Fails only with Errc::Cancelled.
  net::Task<Result<void>> round();

  const LoadFeedStatus& status() const { return status_; }

 private:
  net::Task<Result<void>> read(std::size_t source, NodeList nodes);
  void answered(std::size_t source, Reading reading, const NodeList& nodes);
  void failed(std::size_t source, std::string sentence);
  Counter& failures(const std::string& source);
  void tell(const std::optional<Fallback::Change>& change);
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
