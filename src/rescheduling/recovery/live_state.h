// Implementation of LiveRecovery. Internal to recovery/.
#pragma once

#include <map>
#include <set>

#include "kube/client/fenced_api.h"
#include "kube/events/event_recorder.h"
#include "kube/informer/reflector.h"
#include "rescheduling/recovery/attribution.h"
#include "rescheduling/recovery/bare_pods.h"
#include "rescheduling/recovery/case_protocol.h"
#include "rescheduling/recovery/detector.h"
#include "rescheduling/recovery/live_recovery.h"
#include "rescheduling/recovery/pod_owners.h"

namespace rescheduler::rescheduling::recovery {

struct LiveRecovery::State : std::enable_shared_from_this<State> {
  State(RecoveryApis the_apis, LiveRecoverySettings the_settings, kube::LoopServices the_services);

  // --- Changes of objects: from own informers, or through sink(). ---
  void follow_kind(const kube::ResourceType& kind);
  void upsert(const kube::ObjectPtr& object);
  void remove(const kube::ObjectPtr& object);
  void upsert_pod(const api::Pod& pod);
  void remove_pod(const api::Pod& pod);
  void upsert_node(const api::Node& node);
  void remove_node(const std::string& name);

  // --- Actions ---
  static net::Task<void> act(std::shared_ptr<State> self);
  net::Task<void> scan();

  // --- Quarantine: live_quarantine.cc ---
  config::StrategyMode quarantine_mode() const;
  bool counts(const Owner& owner) const;
  void record_evidence(const std::vector<Finding>& findings, WallTime now);
  void review_evidence(WallTime now);
  bool healthy_elsewhere(const std::string& node,
                         const std::string& owner,
                         const std::string& release,
                         WallTime now) const;
  void restore_failures(WallTime now);
  net::Task<void> judge_nodes(WallTime now);
  std::vector<QuarantineAction> quarantine_actions(WallTime now);
  void observe(QuarantineAction action);
  net::Task<void> carry_out(QuarantineAction action);
  net::Task<Result<bool>> quarantine_node(QuarantineAction action);
  void report(const QuarantineAction& action, bool observed_only);

  // --- One failing pod ---
  net::Task<void> handle(Finding finding, Owner owner);
  net::Task<CaseInput> perform(const Finding& finding,
                               const Owner& owner,
                               const CaseProtocol& protocol,
                               CaseAction action);
  net::Task<CaseInput> read_owner(OwnerKind kind, std::string ns, std::string name);
  net::Task<Result<void>> write_ledger_of(Owner owner, case_action::Write write);
  net::Task<Result<void>> remove(Finding finding);
  net::Task<void> conclude(Finding finding, Owner owner, std::optional<RetryDecision> decision, case_action::Done done);
  net::Task<void> give_up(Finding finding, Owner owner, RetryDecision decision);
  net::Task<void> mark(Finding finding, std::string reason, std::string message);
  net::Task<void> reset_recovered(WallTime now);
  net::Task<void> reset_owner(Owner owner);
  bool has_recovered(const Owner& owner, const Slot& slot, WallTime now) const;

  // --- Reports ---
  void record_event(const Owner& owner, const Finding* pod, kube::EventType type, std::string reason, std::string note);
  bool first_report(const std::string& what) { return reported.insert(what).second; }
  void count(const std::string& name, const std::string& help, const MetricLabels& labels);

  // --- New pods ---
  net::Task<std::optional<NewPodHint>> hint(api::Pod pod);
  net::Task<bool> read_ahead(WorkloadName workload);
  std::optional<Owner> owner_with_retries(const api::Pod& pod) const;
  std::optional<NewPodHint> hint_from(const Owner& owner, const std::string& pod_name, WallTime now);

  WallTime now() const { return services.clock->wall_now(); }
  bool is_excluded(const std::string& ns) const;

  RecoveryApis apis;
  LiveRecoverySettings settings;
  kube::LoopServices services;
  kube::FencedApi writes;
  kube::Client client;
  kube::EventRecorder recorder;
  PodOwners pod_owners{};
  Detector detector;
  Attribution attribution;
  BarePods bare_pods;
  std::map<std::string, QuarantineStatus> nodes{};
  std::map<std::string, QuarantineStatus> observed{};  // nodes that mode act would have quarantined, as if it had
  std::map<std::string, WallTime> not_before{};        // by uid or owner: earliest next attempt after a refusal
  std::map<std::string, WallTime> handed_out{};        // slots that new pods were given, until these pods are seen
  std::set<std::string> ended_well{};                  // owners with a pod that has just succeeded
  // By owner and slot: the pods that ran when the pod of the slot was removed. Kept until the replacement is seen.
  std::map<std::string, std::set<std::string>> there_before{};
  std::set<std::string> reported{};                // messages that are reported once
  std::map<std::string, RetryVerdict> verdicts{};  // by owner and slot: slots without further retries
  std::vector<std::unique_ptr<kube::Reflector>> reflectors{};
  std::vector<net::Job> jobs{};
  net::Job acting{};
  bool leading = false;
  bool busy = false;
  bool stopping = false;
};

}  // namespace rescheduler::rescheduling::recovery
