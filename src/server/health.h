// /healthz, /livez and /readyz in the plain text format of Kubernetes components.
//
//   GET /readyz            ok
//   GET /readyz?verbose    [+]ping ok / [-]informers failed: reason withheld / [i]load: ... / readyz check failed
//   GET /readyz/informers  one check alone, with the reason of a failure
//
// ?exclude=NAME omits a check. All calls on the loop's thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "net/http/http.h"
#include "server/request_target.h"

namespace rescheduler::server {

class HealthChecks {
 public:
  using Check = std::function<Result<void>()>;  // must return at once: it runs on the network thread

  // `endpoint` is for example "readyz". Includes the check "ping", which always passes.
  explicit HealthChecks(std::string endpoint);

  void add(std::string name, Check check);
  // Information that does not affect readiness; nullopt: no line.
  using Note = std::function<std::optional<std::string>()>;
  void add_note(std::string name, Note note) { notes_.emplace_back(std::move(name), std::move(note)); }
  net::HttpResponse answer(const RequestTarget& target) const;

 private:
  net::HttpResponse answer_all(const RequestTarget& target) const;

  std::string endpoint_;
  std::vector<std::pair<std::string, Check>> checks_;
  std::vector<std::pair<std::string, Note>> notes_;
};

}  // namespace rescheduler::server
