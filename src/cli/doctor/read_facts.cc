#include "cli/doctor/read_facts.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "cli/daemon/permissions.h"
#include "cli/doctor/webhook_facts.h"
#include "cluster/feed.h"
#include "cluster/objects/pods.h"
#include "config/read.h"
#include "kube/client/client.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/coordination.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/proto/scheduling.pb.h"
#include "kube/value/label_selector.h"
#include "kube/value/time.h"
#include "scheduler/load_sources.h"

namespace rescheduler::cli::doctor {
namespace {

constexpr const char* kConfigMap = "rescheduler-config";
constexpr const char* kDefaultLease = "kube-scheduler";

std::vector<WantedResource> wanted_resources() {
  std::vector<WantedResource> wanted;
  for (const kube::ResourceType* kind : cluster::model_kinds()) {
    wanted.push_back({std::string(kind->group), std::string(kind->version), std::string(kind->plural)});
  }
  // Resources that are only written or used for reviews.
  for (const auto& [group, version, plural] :
       {std::tuple{"", "v1", "pods/binding"}, std::tuple{"", "v1", "pods/eviction"},
        std::tuple{"coordination.k8s.io", "v1", "leases"}, std::tuple{"events.k8s.io", "v1", "events"},
        std::tuple{"authorization.k8s.io", "v1", "subjectaccessreviews"},
        std::tuple{"authentication.k8s.io", "v1", "tokenreviews"}}) {
    wanted.push_back({group, version, plural});
  }
  return wanted;
}

LeaseFacts facts_of(const api::Lease& lease) {
  LeaseFacts facts;
  facts.ns = lease.metadata().namespace_();
  facts.name = lease.metadata().name();
  facts.holder = lease.spec().holder_identity();
  facts.renewed = kube::wall_time(lease.spec().renew_time());
  facts.duration = std::chrono::seconds{lease.spec().lease_duration_seconds()};
  return facts;
}

std::string text_of(const api::IntOrString& amount) {
  return amount.type() == 1 ? amount.str_val() : std::to_string(amount.int_val());
}

kube::LabelSelectorSpec spec_of(const api::LabelSelector& selector) {
  kube::LabelSelectorSpec spec;
  for (const auto& [key, value] : selector.match_labels()) spec.match_labels.emplace_back(key, value);
  for (const auto& one : selector.match_expressions()) {
    spec.match_expressions.push_back({one.key(), one.operator_(), {one.values().begin(), one.values().end()}});
  }
  return spec;
}

BudgetFacts facts_of(const api::PodDisruptionBudget& budget, const std::vector<std::shared_ptr<const api::Pod>>& pods) {
  BudgetFacts facts;
  facts.ns = budget.metadata().namespace_();
  facts.name = budget.metadata().name();
  const auto& spec = budget.spec();
  facts.rule = spec.has_max_unavailable() ? "maxUnavailable " + text_of(spec.max_unavailable())
                                          : "minAvailable " + text_of(spec.min_available());
  facts.expected = budget.status().expected_pods();
  facts.desired = budget.status().desired_healthy();
  facts.healthy = budget.status().current_healthy();
  facts.allowed = budget.status().disruptions_allowed();
  if (!spec.has_selector()) return facts;
  const auto selector = kube::LabelSelector::from(spec_of(spec.selector()));
  if (!selector) return facts;
  for (const auto& pod : pods) {
    const bool ended = cluster::is_finished(*pod);
    if (ended || pod->metadata().namespace_() != facts.ns) continue;
    if (selector->matches(pod->metadata().labels())) facts.pods.push_back(pod->metadata().name());
  }
  return facts;
}

// Reads a cluster once and fills the facts.
class FactsReader {
 public:
  FactsReader(FactsRequest request, kube::LoopServices services)
      : request_(std::move(request)), services_(services), client_(*request_.api) {}

  net::Task<Result<Facts>> all() {
    facts_.now = services_.clock->wall_now();
    facts_.ns = request_.ns;
    facts_.name = request_.name;
    facts_.subject = request_.subject_name;
    facts_.wanted_resources = wanted_resources();
    auto version = co_await kube::read_server_version(*request_.api);
    if (!version) co_return fail(std::move(version.error()));
    facts_.version = std::move(*version);
    auto resources = co_await kube::discover_resources(*request_.api);
    if (!resources) co_return fail(std::move(resources.error()));
    facts_.resources = std::move(*resources);
    co_await permissions();
    co_await installation();
    co_await configuration();
    co_await leases();
    co_await pods_and_budgets();
    co_await load();
    co_await webhook();
    co_return std::move(facts_);
  }

 private:
  // NotFound is an answer; other errors mean that the object could not be read.
  template <class T>
  bool seen(const Result<T>& answer, std::string what) {
    if (answer) return true;
    if (answer.error().code != Errc::NotFound) facts_.unread.push_back({std::move(what), answer.error().message});
    return false;
  }

  net::Task<void> permissions() {
    facts_.wanted_permissions = needed_permissions().size();
    auto missing = co_await kube::find_missing(*request_.subject, needed_permissions(), services_);
    if (seen(missing, "permissions")) facts_.missing = std::move(*missing);
  }

  net::Task<void> installation() {
    auto found = co_await client_.get<api::Deployment>(request_.ns, request_.name);
    if (!seen(found, fmt::format("the Deployment {}/{}", request_.ns, request_.name))) co_return;
    InstallationFacts facts{found->spec().replicas(), found->status().ready_replicas()};
    for (const auto& condition : found->status().conditions()) {
      if (condition.type() == "ReplicaFailure" && condition.status() == "True") facts.refusal = condition.message();
    }
    const std::string name = found->spec().template_().spec().priority_class_name();
    if (!name.empty()) {
      auto priority_class = co_await client_.get<api::PriorityClass>("", name);
      if (!seen(priority_class, fmt::format("the PriorityClass {}", name))
          && priority_class.error().code == Errc::NotFound) {
        facts.missing_priority_class = name;
      }
    }
    facts_.installation = std::move(facts);
  }

  net::Task<void> configuration() {
    std::string text = request_.config_text;
    std::string where = request_.config_file;
    if (where.empty()) {
      where = fmt::format("ConfigMap {}/{}", request_.ns, kConfigMap);
      auto found = co_await client_.get<api::ConfigMap>(request_.ns, kConfigMap);
      if (!seen(found, where)) {
        // Before the installation, a missing ConfigMap is no problem.
        if (found.error().code == Errc::NotFound && facts_.installation) {
          facts_.config = ConfigFacts{where};
          facts_.config->there = false;
        }
        co_return;
      }
      const auto held = found->data().find("config.yaml");
      if (held == found->data().end()) {
        facts_.config = ConfigFacts{where, {"the ConfigMap has no key config.yaml"}};
        co_return;
      }
      text = held->second;
    }
    auto reading = config::read_configuration(text, where, config::default_catalog());
    ConfigFacts facts{where};
    for (const kube::YamlRemark& problem : reading.problems) facts.problems.push_back(config::sentence(problem));
    if (reading.problems.empty()) {
      configured_ = std::move(reading.configuration);
      facts.leader_elect = configured_->leader_election.leader_elect;
      for (const auto& profile : configured_->profiles) facts.scheduler_names.push_back(profile.scheduler_name);
    }
    facts_.config = std::move(facts);
  }

  net::Task<void> leases() {
    std::string ns = request_.ns;
    std::string name = request_.name;
    if (configured_) {
      ns = configured_->leader_election.resource_namespace;
      name = configured_->leader_election.resource_name;
    }
    auto lease = co_await client_.get<api::Lease>(ns, name);
    if (seen(lease, fmt::format("the lease {}/{}", ns, name))) facts_.lease = facts_of(*lease);
    auto theirs = co_await client_.get<api::Lease>("kube-system", kDefaultLease);
    if (seen(theirs, "the lease of kube-scheduler")) facts_.default_lease = facts_of(*theirs);
    kube::ListSettings same_name;
    same_name.field_selector = "metadata.name=" + name;
    auto others = co_await client_.list<api::Lease>("", same_name);
    if (!seen(others, "leases of other namespaces")) co_return;
    for (const auto& other : *others) {
      if (other->metadata().namespace_() != ns) facts_.other_leases.push_back(facts_of(*other));
    }
  }

  net::Task<void> pods_and_budgets() {
    auto pods = co_await client_.list<api::Pod>("");
    if (seen(pods, "pods")) pods_ = std::move(*pods);
    auto budgets = co_await client_.list<api::PodDisruptionBudget>("");
    if (!seen(budgets, "PodDisruptionBudgets")) co_return;
    for (const auto& budget : *budgets) facts_.budgets.push_back(facts_of(*budget, pods_));
  }

  net::Task<void> load() {
    const auto settings = configured_ ? configured_->load : std::optional(cluster::LoadSettings{});
    if (!settings) co_return;
    auto nodes = co_await client_.list<api::Node>("");
    if (!seen(nodes, "nodes")) co_return;
    auto known = std::make_shared<std::vector<usage::NodeIdentity>>();
    for (const auto& node : *nodes) known->push_back(usage::node_identity_of(*node));
    LoadFacts facts{known->size(), settings->freshness};
    auto sources = scheduler::make_sources(*settings, *request_.api, services_);
    if (!sources) {
      facts.sources.push_back({"the load sources", sources.error().message});
      facts_.load = std::move(facts);
      co_return;
    }
    for (const auto& source : *sources) {
      auto reading = co_await source->read(known, facts_.now);
      facts.sources.push_back(judged(*source, reading, settings->freshness));
    }
    facts_.load = std::move(facts);
  }

  LoadSourceFacts judged(const usage::Source& source,
                         const Result<usage::Reading>& reading,
                         std::chrono::nanoseconds freshness) const {
    LoadSourceFacts facts{std::string(source.name())};
    if (!reading) {
      facts.failure = reading.error().message;
      facts.installed = reading.error().code != Errc::NotFound;
      return facts;
    }
    std::map<std::string, WallTime> newest;
    for (const usage::Sample& sample : reading->samples) {
      WallTime& at = newest[sample.node];
      at = std::max(at, sample.at);
    }
    for (const auto& [node, at] : newest) {
      const auto age = std::chrono::duration_cast<std::chrono::seconds>(facts_.now - at);
      if (facts_.now - at > freshness) {
        ++facts.stale;
      } else {
        ++facts.fresh;
        facts.oldest = std::max(facts.oldest.value_or(age), age);
      }
    }
    return facts;
  }

  net::Task<void> webhook() {
    if (!configured_ || !configured_->serves_webhook()) co_return;
    const std::string name = configured_->webhook.name;
    auto found = co_await read_webhook(*request_.api, name, services_);
    if (!seen(found, fmt::format("the MutatingWebhookConfiguration {}", name))) {
      if (found.error().code == Errc::NotFound) facts_.webhook = WebhookFacts{name};
      co_return;
    }
    facts_.webhook = std::move(*found);
  }

  FactsRequest request_;
  kube::LoopServices services_;
  kube::Client client_;
  Facts facts_{};
  std::optional<config::Configuration> configured_{};
  std::vector<std::shared_ptr<const api::Pod>> pods_{};
};

}  // namespace

net::Task<Result<Facts>> read_facts(FactsRequest request, kube::LoopServices services) {
  FactsReader reader(std::move(request), services);
  auto facts = co_await reader.all();
  co_return facts;
}

}  // namespace rescheduler::cli::doctor
