#include "cli/doctor/checks.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/composition/installation.h"
#include "kube/value/time.h"
#include "usage/load_feed.h"

namespace rescheduler::cli::doctor {
namespace {

using std::chrono::seconds;

// Synchronized clocks differ by less. A lease that was not renewed for its duration plus this time has no holder.
constexpr seconds kClockSkew{30};
// A certificate is renewed half a year before it expires. If it expires within this time, the renewal does not work.
constexpr std::chrono::hours kSoon{24 * 14};

constexpr std::string_view kInstall = "kubectl apply -f manifests/rescheduler/";

Finding ok(std::string check, std::string message) { return {Severity::Ok, std::move(check), std::move(message)}; }

std::string logs_of(const Facts& facts) { return fmt::format("kubectl logs -n {} -l app={}", facts.ns, facts.name); }
std::string restart_of(const Facts& facts) {
  return fmt::format("kubectl rollout restart -n {} deployment/{}", facts.ns, facts.name);
}

seconds since(WallTime then, const Facts& facts) { return std::chrono::duration_cast<seconds>(facts.now - then); }

bool is_held(const LeaseFacts& lease, const Facts& facts) {
  return !lease.holder.empty() && since(lease.renewed, facts) <= lease.duration + kClockSkew;
}

std::string qualified(const WantedResource& one) {
  return one.group.empty() ? fmt::format("{} ({})", one.plural, one.version)
                           : fmt::format("{}.{} ({})", one.plural, one.group, one.version);
}

bool blocks_forever(const BudgetFacts& budget) { return budget.expected > 0 && budget.desired >= budget.expected; }

}  // namespace

std::string_view to_string(Severity severity) noexcept {
  switch (severity) {
    case Severity::Ok: return "ok";
    case Severity::Note: return "note";
    case Severity::Warning: return "warning";
    case Severity::Error: return "error";
  }
  return "?";
}

Findings check_version(const Facts& facts) {
  const auto supported = kube::check_supported(facts.version);
  if (!supported) return {{Severity::Error, "version", supported.error().message, "kubeadm upgrade plan"}};
  if (*supported) return {{Severity::Note, "version", **supported}};
  return {ok("version", fmt::format("the API server is {}", facts.version.git_version))};
}

Findings check_resources(const Facts& facts) {
  Findings found;
  for (const WantedResource& one : facts.wanted_resources) {
    if (facts.resources.has(one.group, one.version, one.plural)) continue;
    if (facts.resources.is_uncertain(one.group, one.version)) continue;  // reported below
    found.push_back({Severity::Error, "resources", fmt::format("the API server does not serve {}", qualified(one)),
                     "kubectl api-resources"});
  }
  for (const std::string& uncertainty : facts.resources.uncertainties()) {
    found.push_back({Severity::Warning, "resources", fmt::format("an aggregated API does not answer: {}", uncertainty),
                     "kubectl get apiservices | grep False"});
  }
  if (found.empty()) {
    found.push_back(ok("resources", fmt::format("all {} required kinds are served", facts.wanted_resources.size())));
  }
  return found;
}

Findings check_definition(const Facts& facts) {
  const InstallationProblem problem = definition_missing();
  if (facts.resources.has("rescheduler.io", "v1alpha1", "migrations")) {
    if (facts.resources.has("rescheduler.io", "v1alpha1", "migrations/status")) {
      return {ok("definition", "the CustomResourceDefinition of Migration (rescheduler.io/v1alpha1) is installed")};
    }
    return {{Severity::Error, "definition",
             "the CustomResourceDefinition of Migration has no status subresource: moves cannot be recorded",
             problem.fix}};
  }
  if (!facts.installation) {
    return {{Severity::Note, "definition",
             "the CustomResourceDefinition of Migration (rescheduler.io/v1alpha1) is not installed yet", problem.fix}};
  }
  return {{Severity::Error, "definition", problem.sentence, problem.fix}};
}

Findings check_permissions(const Facts& facts) {
  Findings found;
  std::set<std::string> reported;
  for (const kube::Permission& one : facts.missing) {
    const std::string what = kube::describe(one);
    if (!reported.insert(what).second) continue;  // one permission can have two reasons
    found.push_back({Severity::Error, "permissions",
                     fmt::format("{} has no permission to {}, needed {}", facts.subject, what, one.why),
                     std::string(kApplyRbac)});
  }
  if (found.empty()) {
    found.push_back(
        ok("permissions", fmt::format("{} has all {} permissions", facts.subject, facts.wanted_permissions)));
  }
  return found;
}

Findings check_installation(const Facts& facts) {
  if (!facts.installation) {
    return {{Severity::Note, "installation", fmt::format("rescheduler is not installed in namespace {} yet", facts.ns),
             std::string(kInstall)}};
  }
  const auto& [replicas, ready, refusal, missing_priority_class] = *facts.installation;
  if (!missing_priority_class.empty()) {
    return {{Severity::Error, "installation",
             fmt::format("PriorityClass {} does not exist: the API server refuses new pods of the Deployment",
                         missing_priority_class),
             "kubectl apply -f manifests/rescheduler/priority-class.yaml"}};
  }
  if (!refusal.empty()) {
    return {{Severity::Error, "installation", fmt::format("the API server refuses pods of the Deployment: {}", refusal),
             std::string(kInstall)}};
  }
  if (replicas == 0) {
    return {{Severity::Error, "installation", "the Deployment is scaled to 0 replicas",
             fmt::format("kubectl scale -n {} deployment/{} --replicas=2", facts.ns, facts.name)}};
  }
  if (ready == 0) {
    return {{Severity::Error, "installation", fmt::format("none of the {} replicas is ready", replicas),
             fmt::format("kubectl describe pod -n {} -l app={}", facts.ns, facts.name)}};
  }
  if (ready < replicas) {
    return {{Severity::Warning, "installation", fmt::format("only {} of {} replicas are ready", ready, replicas),
             fmt::format("kubectl describe pod -n {} -l app={}", facts.ns, facts.name)}};
  }
  return {ok("installation", fmt::format("{} of {} replicas are ready", ready, replicas))};
}

Findings check_configuration(const Facts& facts) {
  if (!facts.config) return {};
  if (!facts.config->there) {
    return {{Severity::Error, "configuration",
             fmt::format("{} does not exist: the pods do not start", facts.config->where),
             "kubectl apply -f manifests/rescheduler/configmap.yaml"}};
  }
  const bool in_cluster = facts.config->where.starts_with("ConfigMap ");
  const std::string fix = in_cluster ? fmt::format("kubectl edit configmap -n {} rescheduler-config", facts.ns)
                                     : fmt::format("rescheduler validate --config {}", facts.config->where);
  Findings found;
  for (const std::string& problem : facts.config->problems) {
    found.push_back({Severity::Error, "configuration", fmt::format("{}: {}", facts.config->where, problem), fix});
  }
  if (found.empty()) found.push_back(ok("configuration", fmt::format("{} is valid", facts.config->where)));
  return found;
}

Findings check_leader(const Facts& facts) {
  if (!facts.installation) return {};
  if (facts.config && !facts.config->leader_elect) {
    return {{Severity::Note, "leader", "leader election is off: every replica schedules and moves pods"}};
  }
  if (!facts.lease || facts.lease->holder.empty()) {
    return {{Severity::Error, "leader", "no leader: the lease has no holder", logs_of(facts)}};
  }
  const LeaseFacts& lease = *facts.lease;
  if (!is_held(lease, facts)) {
    return {{Severity::Error, "leader",
             fmt::format("no leader: {} renewed the lease {} s ago; it expires after {} s", lease.holder,
                         since(lease.renewed, facts).count(), lease.duration.count()),
             restart_of(facts)}};
  }
  return {ok("leader", fmt::format("{} is the leader; its lease was renewed {} s ago", lease.holder,
                                   std::max<std::int64_t>(0, since(lease.renewed, facts).count())))};
}

Findings check_names(const Facts& facts) {
  Findings found;
  for (const LeaseFacts& other : facts.other_leases) {
    if (!is_held(other, facts)) continue;
    found.push_back(
        {Severity::Error, "names",
         fmt::format("{} is the leader of another installation in namespace {}: two schedulers use the same name",
                     other.holder, other.ns),
         fmt::format("kubectl delete deployment -n {} {}", other.ns, facts.name)});
  }
  if (!facts.config || facts.config->scheduler_names.empty()) return found;  // not valid: the names are not known
  const auto& names = facts.config->scheduler_names;
  const bool takes_default = std::ranges::find(names, "default-scheduler") != names.end();
  if (takes_default && facts.default_lease && is_held(*facts.default_lease, facts)) {
    found.push_back(
        {Severity::Error, "names",
         fmt::format("a profile has the name default-scheduler and {} runs: both schedulers place the same pods",
                     facts.default_lease->holder),
         fmt::format("kubectl edit configmap -n {} rescheduler-config", facts.ns)});
  }
  if (facts.installation && !facts.config->leader_elect && facts.installation->replicas > 1) {
    found.push_back({Severity::Error, "names",
                     fmt::format("leader election is off and there are {} replicas: all of them place the same pods",
                                 facts.installation->replicas),
                     fmt::format("kubectl scale -n {} deployment/{} --replicas=1", facts.ns, facts.name)});
  }
  if (found.empty())
    found.push_back(ok("names", fmt::format("no other scheduler uses the names {}", fmt::join(names, ", "))));
  return found;
}

// The source in use is the first one with a fresh sample.
Findings check_load(const Facts& facts) {
  if (!facts.load) return {};
  const LoadFacts& load = *facts.load;
  const std::string edit = fmt::format("kubectl edit configmap -n {} rescheduler-config", facts.ns);
  if (load.sources.empty()) {
    return {{Severity::Note, "load", "nodes are judged by requests: no load source is configured", edit}};
  }
  const auto used = std::ranges::find_if(load.sources, [](const LoadSourceFacts& one) { return one.fresh > 0; });
  Findings found;
  for (auto source = load.sources.begin(); source != load.sources.end(); ++source) {
    const std::string fix = usage::remedy_of(source->name, source->installed);
    if (source->failure) {
      // A source that is not installed is no problem while another one measures the nodes.
      const bool replaced = !source->installed && used != load.sources.end();
      found.push_back({replaced ? Severity::Note : Severity::Warning, "load", *source->failure, fix});
      continue;
    }
    const std::string name = fmt::format("{} ({})", source->name, source == used ? "in use" : "in reserve");
    const std::size_t silent = load.nodes - std::min(load.nodes, source->fresh);
    if (silent == 0) {
      found.push_back(ok("load", fmt::format("{} measures all {} nodes, the oldest sample is {} s old", name,
                                             load.nodes, source->oldest.value_or(seconds{0}).count())));
      continue;
    }
    std::string message = fmt::format("{} has no fresh sample of {} of {} nodes", name, silent, load.nodes);
    if (source->stale > 0) {
      message += fmt::format(", for {} of them because the sample is older than {} s", source->stale,
                             std::chrono::duration_cast<seconds>(load.freshness).count());
    }
    found.push_back({Severity::Warning, "load", std::move(message), fix});
  }
  if (used == load.sources.end()) {
    found.push_back(
        {Severity::Warning, "load",
         "no load source has a fresh sample: pods are placed by requests and no pod is moved because of load",
         usage::remedy_of("prometheus", false)});
  }
  return found;
}

Findings check_webhook(const Facts& facts) {
  if (!facts.webhook) return {};
  const WebhookFacts& hook = *facts.webhook;
  if (!hook.configured) {
    return {
        {facts.installation ? Severity::Error : Severity::Note, "webhook",
         fmt::format("webhook {} is not registered: replacements of pods of other schedulers can return to the nodes "
                     "that pods had to leave",
                     hook.name),
         facts.installation ? restart_of(facts) : std::string(kInstall)}};
  }
  Findings found;
  if (hook.bundle_failure) {
    found.push_back({Severity::Error, "webhook",
                     fmt::format("the caBundle of the webhook cannot be used: {}", *hook.bundle_failure),
                     restart_of(facts)});
  }
  for (const CertificateFacts& authority : hook.authorities) {
    if (authority.not_after <= facts.now) {
      // The bundle keeps the previous authority for a while.
      const bool other = std::ranges::any_of(hook.authorities, [&](const auto& a) { return a.not_after > facts.now; });
      found.push_back({other ? Severity::Note : Severity::Error, "webhook",
                       fmt::format("the certificate authority {} in the caBundle of the webhook expired on {}",
                                   authority.subject, kube::format_time(authority.not_after)),
                       restart_of(facts)});
    } else if (authority.not_after - facts.now < kSoon) {
      found.push_back(
          {Severity::Warning, "webhook",
           fmt::format("the certificate authority {} in the caBundle of the webhook expires on {} and was not renewed",
                       authority.subject, kube::format_time(authority.not_after)),
           restart_of(facts)});
    }
  }
  if (!hook.service.empty() && !hook.service_there) {
    found.push_back({Severity::Error, "webhook", fmt::format("Service {} of the webhook does not exist", hook.service),
                     "kubectl apply -f manifests/rescheduler/deployment.yaml"});
  } else if (!hook.service.empty() && hook.endpoints == 0) {
    found.push_back({Severity::Error, "webhook",
                     fmt::format("Service {} of the webhook has no ready pods", hook.service),
                     fmt::format("kubectl describe pod -n {} -l app={}", facts.ns, facts.name)});
  } else if (hook.answer_trouble) {
    found.push_back({Severity::Error, "webhook", fmt::format("the webhook does not answer: {}", *hook.answer_trouble),
                     logs_of(facts)});
  }
  if (found.empty()) found.push_back(ok("webhook", fmt::format("webhook {} answers", hook.name)));
  return found;
}

Findings check_budgets(const Facts& facts) {
  Findings found;
  for (const BudgetFacts& budget : facts.budgets) {
    if (!blocks_forever(budget)) continue;
    found.push_back({Severity::Warning, "budgets",
                     fmt::format("PodDisruptionBudget {}/{} ({}) never allows a disruption of its {} pods: the pods "
                                 "are not moved, and their nodes cannot be drained",
                                 budget.ns, budget.name, budget.rule, budget.expected),
                     fmt::format("kubectl patch pdb -n {} {} --type merge -p "
                                 "'{{\"spec\":{{\"minAvailable\":null,\"maxUnavailable\":1}}}}'",
                                 budget.ns, budget.name)});
  }
  // One finding per pair of budgets, with one pod as the example.
  std::map<std::string, std::vector<const BudgetFacts*>> by_pod;
  for (const BudgetFacts& budget : facts.budgets) {
    for (const std::string& pod : budget.pods) by_pod[budget.ns + "/" + pod].push_back(&budget);
  }
  std::set<std::pair<const BudgetFacts*, const BudgetFacts*>> reported;
  for (const auto& [pod, covering] : by_pod) {
    if (covering.size() < 2 || !reported.emplace(covering[0], covering[1]).second) continue;
    found.push_back(
        {Severity::Warning, "budgets",
         fmt::format("two PodDisruptionBudgets match pod {}, {} and {}: the Eviction API refuses such a pod", pod,
                     covering[0]->name, covering[1]->name),
         fmt::format("kubectl delete pdb -n {} {}", covering[1]->ns, covering[1]->name)});
  }
  if (found.empty()) {
    found.push_back(
        ok("budgets", fmt::format("{} PodDisruptionBudgets, none blocks all evictions", facts.budgets.size())));
  }
  return found;
}

Findings check_unread(const Facts& facts) {
  Findings found;
  for (const Unread& one : facts.unread) {
    found.push_back(
        {Severity::Note, "not checked", fmt::format("{}: {}", one.what, one.why), "kubectl auth can-i --list"});
  }
  return found;
}

Findings check_all(const Facts& facts) {
  Findings all;
  for (const auto& check :
       {check_version, check_resources, check_definition, check_permissions, check_installation, check_configuration,
        check_leader, check_names, check_load, check_webhook, check_budgets, check_unread}) {
    for (Finding& finding : check(facts)) all.push_back(std::move(finding));
  }
  return all;
}

int exit_code(const Findings& findings) noexcept {
  return std::ranges::any_of(findings, [](const Finding& one) { return one.severity == Severity::Error; }) ? 1 : 0;
}

}  // namespace rescheduler::cli::doctor
