// Calls one scheduler extender of the configuration over HTTP with JSON, as kube-scheduler does.
//
// The scheduling cycle (ExtenderChain) decides when an extender is called and what a failure means:
//   - Extenders that are not ignorable are called first. If an ignorable extender fails, it is skipped; any other
//     failure ends the cycle.
//   - Failures of prioritize are ignored.
//   - The first interested extender with a bind verb binds the pod.
//
// All calls on the loop's thread. The client must outlive its calls. Every call ends within the configured timeout.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "kube/extender/wire.h"
#include "net/http/http_client.h"
#include "scheduler/extender/settings.h"

namespace rescheduler::scheduler {

using PodPtr = std::shared_ptr<const api::Pod>;
using NodePtr = std::shared_ptr<const api::Node>;

struct ExtenderFiltered {
  std::vector<NodePtr> passing;  // in the extender's order
  bool fresh = false;            // the nodes are objects of the extender: the cluster model does not apply to them
  kube::NodeReasons failed{};
  kube::NodeReasons failed_and_unresolvable{};  // takes precedence over `failed` if a node is in both
};

struct ExtenderPriorities {
  std::vector<kube::HostPriority> scores;
  std::int64_t weight = 0;
};

// Returns the pod with this UID on this node; null: no such pod.
using PodLookup = std::function<PodPtr(const std::string& node, const std::string& uid)>;

class ExtenderClient {
 public:
  static Result<std::unique_ptr<ExtenderClient>> make(net::Executor executor, ExtenderSettings settings);

  const ExtenderSettings& settings() const { return settings_; }
  const std::string& name() const { return settings_.url_prefix; }
  bool is_ignorable() const { return settings_.ignorable; }
  bool is_filter() const { return !settings_.filter_verb.empty(); }
  bool is_prioritizer() const { return !settings_.prioritize_verb.empty(); }
  bool is_binder() const { return !settings_.bind_verb.empty(); }
  bool supports_preemption() const { return !settings_.preempt_verb.empty(); }
  // True if the extender has no managed resources, or if a container of the pod requests one of them.
  bool is_interested(const api::Pod& pod) const;

  // Without the verb every node passes.
  net::Task<Result<ExtenderFiltered>> filter(PodPtr pod, std::vector<NodePtr> nodes);
  // Without the verb every score is 0, and so is the weight.
  net::Task<Result<ExtenderPriorities>> prioritize(PodPtr pod, std::vector<NodePtr> nodes);
  // Errc::Invalid without the verb, or if the extender names an unknown pod. The result can have nodes without victims.
  net::Task<Result<kube::VictimsByNode>> process_preemption(PodPtr pod, kube::VictimsByNode victims, PodLookup lookup);
  // Errc::Invalid without the verb.
  net::Task<Result<void>> bind(kube::ExtenderBindingArgs args);

 private:
  ExtenderClient(ExtenderSettings settings, std::string base_path, std::unique_ptr<net::HttpClient> http);
  kube::ExtenderArgs arguments(PodPtr pod, const std::vector<NodePtr>& nodes) const;
  Result<ExtenderFiltered> filtered(const std::vector<NodePtr>& asked, kube::ExtenderFilterResult result) const;
  // Returns the body of a response with status 200.
  net::Task<Result<std::string>> post(std::string verb, std::string body);
  Unexpected failure(std::string_view verb, Error error) const;
  Unexpected complaint(std::string_view verb, std::string message) const;

  ExtenderSettings settings_;
  std::string base_path_;
  std::unique_ptr<net::HttpClient> http_;
};

}  // namespace rescheduler::scheduler
