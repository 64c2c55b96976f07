// Chooses the load source: the best one that answers. It gets the result of each read, returns the source to read next,
// and reports each change once, with the reason.
//
//   sources, best first                then            then
//   [0 prometheus] [1 metrics-server]  "requests"      "turns": LoadBasis::RoundRobin, if requests cannot be judged
//
// A round starts with the current source (source()). If it has failed `failures_to_leave` times in a row, or once
// without fresh samples, the others are read in order. The first that answers replaces it in the same round. The
// sources before the current one are read in every round. Such a source becomes current again after `answers_to_return`
// answers in a row, and not earlier than `return_after` after the last change, so that an unstable source does not
// cause repeated changes. A source that fails is left without this wait: its load would be stale.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cluster/node_load.h"

namespace rescheduler::usage {

struct FallbackSettings {
  // One failed read is tolerated while the previous samples are still fresh.
  std::uint32_t failures_to_leave = 2;
  std::uint32_t answers_to_return = 2;
  // Smoothing starts again at each change. Five minutes are the half-life of the default smoothing.
  std::chrono::nanoseconds return_after = std::chrono::minutes{5};
};

class Fallback {
 public:
  struct Change {
    std::string from{};  // empty: the first choice
    std::string to{};
    cluster::LoadBasis basis = cluster::LoadBasis::Requests;
    std::string why{};  // one sentence
    bool loss = false;  // a better source is installed and does not answer, or no source answers
  };

  explicit Fallback(std::vector<std::string> sources, FallbackSettings settings = {});

  void begin_round(SteadyTime now);
  // The source to read now; nothing: the round is over.
  std::optional<std::size_t> next() const;
  std::optional<Change> answered(std::size_t source);
  struct Failure {
    std::string sentence{};
    bool fresh = false;     // the previous samples of the source can still be used
    bool installed = true;  // false: the source is not in the cluster
  };
  std::optional<Change> failed(std::size_t source, Failure failure);
  // Do nodes report their allocatable? Requests cannot be judged without it.
  std::optional<Change> requests_judgeable(bool are);

  // The index of the current source in the list; nothing: requests or turns.
  std::optional<std::size_t> source() const { return charge_; }
  const std::string& name() const;
  cluster::LoadBasis basis() const;

 private:
  struct State {
    std::string name{};
    std::uint32_t failures = 0;  // in a row
    std::uint32_t answers = 0;   // in a row
    Failure last{};              // the last failure
    bool asked = false;          // in this round
  };
  Change change(std::string why);
  std::string complaints(std::size_t before) const;  // the last errors of the sources before this index

  std::vector<State> sources_;
  FallbackSettings settings_;
  std::optional<std::size_t> charge_{};
  bool vacant_ = true;  // no source chosen yet, or the current one failed: the first that answers becomes current
  bool judgeable_ = true;
  std::string last_{};    // the name at the last change; empty at the start
  SteadyTime now_{};      // of this round
  SteadyTime changed_{};  // of the last change
};

}  // namespace rescheduler::usage
