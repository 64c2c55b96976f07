// Which source of loads is in charge: the best that answers. Told what became of each reading, it says whom to read
// next, and - once per change - who took over and why.
//
//   sources, best first            then requests           then turns
//   [0 prometheus] [1 metrics-server]  (nothing is read: what pods ask for; where even that cannot be judged, turns)
//
// A round: the one in charge is read. If it fails for good, the others are asked in order and the first that answers
// takes over in the same round. Those ahead of the one in charge are asked in every round, and come back after
// `answers_to_return` answers in a row; a source that comes and goes does not drag everybody with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/node_load.h"

namespace rescheduler::usage {

struct FallbackSettings {
  // One lost answer is an accident while what it said before is still fresh.
  std::uint32_t failures_to_leave = 2;
  std::uint32_t answers_to_return = 2;
};

class Fallback {
 public:
  struct Change {
    std::string from{};  // empty: there was nobody before
    std::string to{};
    cluster::LoadBasis basis = cluster::LoadBasis::Requests;
    std::string why{};  // one sentence
  };

  explicit Fallback(std::vector<std::string> sources, FallbackSettings settings = {});

  void begin_round();
  // Whom to read now; nothing: the round is over.
  std::optional<std::size_t> next() const;
  std::optional<Change> answered(std::size_t source);
  // `fresh`: what it said before may still be used.
  std::optional<Change> failed(std::size_t source, std::string sentence, bool fresh);
  // Do nodes say what they have to give? Without that no request can be judged.
  std::optional<Change> requests_judgeable(bool are);

  // Who is in charge, by place in the list; nothing: requests or turns.
  std::optional<std::size_t> source() const { return charge_; }
  const std::string& name() const;
  cluster::LoadBasis basis() const;

 private:
  struct State {
    std::string name{};
    std::uint32_t failures = 0;  // in a row
    std::uint32_t answers = 0;   // in a row
    std::string sentence{};      // of the last failure
    bool asked = false;          // in this round
  };
  Change change(std::string why);
  std::string complaints(std::size_t before) const;  // of the sources better than this place

  std::vector<State> sources_;
  FallbackSettings settings_;
  std::optional<std::size_t> charge_{};
  bool vacant_ = true;  // nobody has been found yet, or the one in charge was lost: whoever answers first takes over
  bool judgeable_ = true;
  std::string last_{};  // who was in charge when somebody last was; empty at the start
};

}  // namespace rescheduler::usage
