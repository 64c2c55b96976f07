// How an informer follows a collection: what to do next, given what happened. No sockets, no clock, no sleeping.
//
//            +-------------------- Expired ---------------------+
//            v                                                  |
//   start -> StreamList --Unsupported--> List --Listed--> Watch(version) <--- Woke --- Sleep
//              |   ^                      |  ^              |  |                        ^
//              |   +--- Woke (no version) |  |    Ended ----+  +--- Failed, or Ended ---+
//              +-------- progress --------+--+    (progress)       without progress
//
// StreamList begins a watch with the present state and goes on as a watch, so a server that offers it is asked
// once. The version survives every failure but Expired: a reconnect resumes exactly where the stream broke, so
// nothing is missed and nothing is told twice.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>

#include "base/backoff.h"
#include "base/error.h"

namespace rescheduler::kube {

namespace reflector {

// What happened.
struct Started {};
struct Ended {};                 // the server ended the stream in good order
struct Expired {};               // the version is too old for the server
struct StreamingUnsupported {};  // this server cannot begin a watch with the present state
struct Listed {
  std::string version;
};
struct Failed {
  std::optional<std::chrono::milliseconds> retry_after{};
};
struct Woke {};
using Input = std::variant<Started, Ended, Expired, StreamingUnsupported, Listed, Failed, Woke>;

// What to do.
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

  // While a stream runs: everything up to this version has been told. Real progress, so back-off starts over.
  void progressed(const std::string& version);

  const std::optional<std::string>& version() const { return version_; }

 private:
  reflector::Action resume();
  reflector::Action wait(std::optional<std::chrono::milliseconds> retry_after);

  Backoff backoff_;
  bool streaming_;
  bool progressed_ = false;             // since the last action was handed out
  std::optional<std::string> version_;  // empty until the first whole state is known
};

}  // namespace rescheduler::kube
