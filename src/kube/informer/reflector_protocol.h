// The list and watch state machine of an informer: decides the next action after each input. No sockets, clock or
// sleeps.
//
//            +-------------------- Expired ---------------------+
//            v                                                  |
//   start -> StreamList --Unsupported--> List --Listed--> Watch(version) <--- Woke --- Sleep
//              |   ^                      |  ^              |  |                        ^
//              |   +--- Woke (no version) |  |    Ended ----+  +--- Failed, or Ended ---+
//              +-------- progress --------+--+    (progress)       without progress
//
// StreamList starts a watch with the current state and continues as a watch, so one request is enough where the server
// supports it. The version survives every failure except Expired: a reconnect resumes exactly where the stream broke,
// so no event is lost and none is delivered twice.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>

#include "base/backoff.h"
#include "base/error.h"

namespace rescheduler::kube {

namespace reflector {

// Inputs.
struct Started {};
struct Ended {};                 // the server closed the stream in order
struct Expired {};               // the version is too old for the server
struct StreamingUnsupported {};  // the server does not support streaming lists
struct Listed {
  std::string version;
};
struct Failed {
  std::optional<std::chrono::milliseconds> retry_after{};
};
struct Woke {};
using Input = std::variant<Started, Ended, Expired, StreamingUnsupported, Listed, Failed, Woke>;

// Actions.
struct StreamList {};
struct List {};
struct Watch {
  std::string version;
};
struct Sleep {
  std::chrono::milliseconds duration;
};
using Action = std::variant<StreamList, List, Watch, Sleep>;

}  // namespace reflector

class ReflectorProtocol {
 public:
  ReflectorProtocol(Backoff backoff, bool streaming) : backoff_(backoff), streaming_(streaming) {}

  reflector::Action next(const reflector::Input& happened);

  // While a stream runs: all events up to this version have been delivered. This is progress, so it resets the backoff.
  void progressed(const std::string& version);

  const std::optional<std::string>& version() const { return version_; }

 private:
  reflector::Action resume();
  reflector::Action wait(std::optional<std::chrono::milliseconds> retry_after);

  Backoff backoff_;
  bool streaming_;
  bool progressed_ = false;             // since the last action was returned
  std::optional<std::string> version_;  // empty until the first complete state
};

}  // namespace rescheduler::kube
