// The state that the view of the demo shows, as plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace rescheduler::cli {

// Usage of one resource of one node, in any unit.
struct Use {
  double used = 0;       // measured load
  double requested = 0;  // by the bound pods
  double capacity = 0;

  double used_share() const { return capacity > 0 ? used / capacity : 0; }
  double requested_share() const { return capacity > 0 ? requested / capacity : 0; }
};

struct NodeRow {
  enum class Health { Ready, Cordoned, NotReady };
  std::string name;
  Health health = Health::Ready;
  Use cpu{};     // cores
  Use memory{};  // bytes
  int pods = 0;
};

struct PodCounts {
  int running = 0;   // and ready
  int starting = 0;  // bound, not ready yet (or no longer)
  int pending = 0;   // not bound
  int stopping = 0;
  int failed = 0;

  int all() const { return running + starting + pending + stopping + failed; }
};

struct TailLine {
  std::chrono::seconds at{0};  // since the start of the scenario
  std::string text;
  bool warning = false;
};

struct ViewState {
  std::string scenario;
  std::string description;
  std::string address{};  // URL of the dashboard; empty: none
  std::string notice;     // a note about the scheduler; empty: none
  std::chrono::seconds elapsed{0};
  double speed = 1;
  std::vector<NodeRow> nodes;  // in natural order of their names
  PodCounts pods{};
  std::uint64_t moves = 0;
  double balance = 100;
  std::size_t events_left = 0;
  std::vector<TailLine> tail;  // the newest lines, newest last
  std::size_t lines = 0;       // number of lines since the start
};

}  // namespace rescheduler::cli
