// Calling a scheduler extender that the configuration names, over HTTP with JSON, as kube-scheduler does.
//
// Which extenders are called when, and what becomes of their failures, is the cycle's to decide:
//   - those that are not ignorable go first; one that is ignorable and fails is skipped, any other failure ends the
//   cycle;
//   - prioritize runs in parallel and its failures are forgotten;
//   - the first interested one with a bind verb binds.
//
// Belongs to the loop's thread and outlives its calls. Every call ends within the configured timeout.
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
  bool fresh = false;            // they are the extender's own objects: what is known about their pods does not apply
  kube::NodeReasons failed{};
  kube::NodeReasons failed_and_unresolvable{};  // goes before `failed` where a node is in both
};

struct ExtenderPriorities {
  std::vector<kube::HostPriority> scores;
  std::int64_t weight = 0;
};

// The pod with this UID on this node; null: not there.
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
  // It manages nothing in particular, or something that a container of the pod asks for.
  bool is_interested(const api::Pod& pod) const;

  // Without the verb every node passes.
  net::Task<Result<ExtenderFiltered>> filter(PodPtr pod, std::vector<NodePtr> nodes);
  // Without the verb every score is 0, and so is the weight.
  net::Task<Result<ExtenderPriorities>> prioritize(PodPtr pod, std::vector<NodePtr> nodes);
  // Errc::Invalid without the verb, or when it names a pod that is not there. A node may come back without victims.
  net::Task<Result<kube::VictimsByNode>> process_preemption(PodPtr pod, kube::VictimsByNode victims, PodLookup lookup);
  // Errc::Invalid without the verb.
  net::Task<Result<void>> bind(kube::ExtenderBindingArgs args);

 private:
  ExtenderClient(ExtenderSettings settings, std::string base_path, std::unique_ptr<net::HttpClient> http);
  kube::ExtenderArgs arguments(PodPtr pod, const std::vector<NodePtr>& nodes) const;
  Result<ExtenderFiltered> filtered(const std::vector<NodePtr>& asked, kube::ExtenderFilterResult result) const;
  // The body of a 200.
  net::Task<Result<std::string>> post(std::string verb, std::string body);
  Unexpected failure(std::string_view verb, Error error) const;
  Unexpected complaint(std::string_view verb, std::string said) const;

  ExtenderSettings settings_;
  std::string base_path_;
  std::unique_ptr<net::HttpClient> http_;
};

}  // namespace rescheduler::scheduler
