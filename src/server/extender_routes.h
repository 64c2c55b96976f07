// Being a scheduler extender: POST /extender/{filter,prioritize,preempt,bind} as kube-scheduler calls it.
//
// An answer has the form of its question: nodes for nodes, names for names. What goes wrong in filter and bind is told
// in the answer's Error field; prioritize and preempt have none and answer 500. What cannot be read is 400.
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
  kube::NodeReasons failed{};                   // preempting pods there might help
  kube::NodeReasons failed_and_unresolvable{};  // it would not
};

// What answers. The arguments live until the task has ended; the names asked about are in nodes or node_names.
class ExtenderService {
 public:
  virtual ~ExtenderService() = default;
  virtual net::Task<Result<FilterResult>> filter(const kube::ExtenderArgs& args) = 0;
  virtual net::Task<Result<std::vector<kube::HostPriority>>> prioritize(const kube::ExtenderArgs& args) = 0;
  // The victims that remain on each node; a node left out is no longer a candidate.
  virtual net::Task<Result<kube::MetaVictimsByNode>> preempt(const kube::ExtenderPreemptionArgs& args) = 0;
  virtual net::Task<Result<void>> bind(const kube::ExtenderBindingArgs& args) = 0;
};

// The names in either form of the question.
std::vector<std::string> node_names_of(const kube::ExtenderArgs& args);

// The service outlives the server's last answer.
void add_extender_routes(Server& server, ExtenderService& service);

}  // namespace rescheduler::server
