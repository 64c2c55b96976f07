// /healthz, /livez and /readyz in the plain text that Kubernetes' own components answer with.
//
//   GET /readyz            ok
//   GET /readyz?verbose    [+]ping ok / [-]informers failed: reason withheld / [i]load: ... / readyz check failed
//   GET /readyz/informers  one check alone, and why it fails
//
// ?exclude=NAME leaves a check out. Belongs to the loop's thread.
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
  using Check = std::function<Result<void>()>;  // answers at once: it runs on the network thread

  // "readyz"; with the check "ping", which passes whenever there is somebody to ask.
  explicit HealthChecks(std::string endpoint);

  void add(std::string name, Check check);
  // Something worth knowing that makes nobody less ready; nothing to say: no line.
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
