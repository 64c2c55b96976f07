// The server side of the scheduler extender protocol: POST /extender/{filter,prioritize,preempt,bind}.
//
// A response has the form of its request: nodes for nodes, names for names. Errors of filter and bind are in the Error
// field of the response; prioritize and preempt have no such field and answer 500. An unreadable request gets 400.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "kube/extender/wire.h"
#include "net/task.h"

namespace rescheduler::server {

class Server;

struct FilterResult {
  std::vector<std::string> passing;
  kube::NodeReasons failed{};                   // preemption might help
  kube::NodeReasons failed_and_unresolvable{};  // preemption would not help
};

// Answers the requests. The arguments live until the task has ended; the node names are in `nodes` or `node_names`.
class ExtenderService {
 public:
  virtual ~ExtenderService() = default;
  virtual net::Task<Result<FilterResult>> filter(const kube::ExtenderArgs& args) = 0;
  virtual net::Task<Result<std::vector<kube::HostPriority>>> prioritize(const kube::ExtenderArgs& args) = 0;
  // The victims that remain on each node; an omitted node is no longer a candidate.
  virtual net::Task<Result<kube::MetaVictimsByNode>> preempt(const kube::ExtenderPreemptionArgs& args) = 0;
  virtual net::Task<Result<void>> bind(const kube::ExtenderBindingArgs& args) = 0;
};

// The node names in either form of the request.
std::vector<std::string> node_names_of(const kube::ExtenderArgs& args);

// The service must outlive the last response of the server.
void add_extender_routes(Server& server, ExtenderService& service);

}  // namespace rescheduler::server
