// The log of a cluster: one line per change of its store.
//
//   2024-01-01T00:00:01.005000Z ADDED Pod shop/web-6d4cf56db6-x2k9p 412 9c0f21aa
//
// time, change, kind, namespace/name, resourceVersion, and a hash of the object. Two runs with the same seed in virtual
// time write the same bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sim/server/server.h"

namespace rescheduler::sim {

class Journal {
 public:
  using Line = std::function<void(std::string_view line)>;  // with the line break
  Journal(Server& server, Line line);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  std::uint64_t lines() const { return lines_; }

 private:
  void write(const Change& change);

  const Agenda& agenda_;
  Line line_;
  std::string text_;
  std::uint64_t lines_ = 0;
  std::unique_ptr<Store::Subscription> subscription_;
};

}  // namespace rescheduler::sim
