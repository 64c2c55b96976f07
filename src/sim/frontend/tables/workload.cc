// Workloads: Deployments and similar kinds, Jobs, and PodDisruptionBudgets.
#include <cctype>
#include <string>

#include "kube/value/time.h"
#include "sim/frontend/tables/age.h"
#include "sim/frontend/tables/printer.h"

namespace rescheduler::sim {
namespace {

std::vector<Column> with_template(std::vector<Column> columns, bool selector = true) {
  columns.push_back(wide_column("Containers"));
  columns.push_back(wide_column("Images"));
  if (selector) columns.push_back(wide_column("Selector"));
  return columns;
}

void append_containers(boost::json::array& cells, const Field& pod_template) {
  const Field containers = pod_template["spec"]["containers"];
  cells.emplace_back(containers_text(containers, "name"));
  cells.emplace_back(containers_text(containers, "image"));
}

std::string out_of(const Field& part, const Field& whole) {
  return std::to_string(part.number()) + "/" + std::to_string(whole.number());
}

boost::json::array deployment_cells(const Field& object, WallTime now) {
  const Field spec = object["spec"];
  const Field status = object["status"];
  boost::json::array cells{name_of(object), out_of(status["readyReplicas"], spec["replicas"]),
                           status["updatedReplicas"].number(), status["availableReplicas"].number(),
                           age_of(object, now)};
  append_containers(cells, spec["template"]);
  cells.emplace_back(selector_text(spec["selector"]));
  return cells;
}

boost::json::array replicas_cells(const Field& object, WallTime now) {
  const Field spec = object["spec"];
  const Field status = object["status"];
  boost::json::array cells{name_of(object), spec["replicas"].number(), status["replicas"].number(),
                           status["readyReplicas"].number(), age_of(object, now)};
  append_containers(cells, spec["template"]);
  return cells;
}
boost::json::array replica_set_cells(const Field& object, WallTime now) {
  boost::json::array cells = replicas_cells(object, now);
  cells.emplace_back(selector_text(object["spec"]["selector"]));
  return cells;
}
boost::json::array stateful_set_cells(const Field& object, WallTime now) {
  boost::json::array cells{name_of(object), out_of(object["status"]["readyReplicas"], object["spec"]["replicas"]),
                           age_of(object, now)};
  append_containers(cells, object["spec"]["template"]);
  return cells;
}

boost::json::array daemon_set_cells(const Field& object, WallTime now) {
  const Field status = object["status"];
  const Field pod_template = object["spec"]["template"];
  boost::json::array cells{name_of(object),
                           status["desiredNumberScheduled"].number(),
                           status["currentNumberScheduled"].number(),
                           status["numberReady"].number(),
                           status["updatedNumberScheduled"].number(),
                           status["numberAvailable"].number(),
                           labels_text(pod_template["spec"]["nodeSelector"]),
                           age_of(object, now)};
  append_containers(cells, pod_template);
  cells.emplace_back(selector_text(object["spec"]["selector"]));
  return cells;
}

std::string job_state(const Field& job) {
  const Field conditions = job["status"]["conditions"];
  const auto holds = [&](std::string_view type) { return conditions.where("type", type)["status"].text() == "True"; };
  if (holds("Complete")) return "Complete";
  if (holds("Failed")) return "Failed";
  if (job["metadata"]["deletionTimestamp"].present()) return "Terminating";
  for (const std::string_view type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (holds(type)) return std::string(type);
  }
  return "Running";
}

std::string job_completions(const Field& job) {
  const std::string done = std::to_string(job["status"]["succeeded"].number()) + "/";
  const Field completions = job["spec"]["completions"];
  if (completions.present()) return done + std::to_string(completions.number());
  const std::int64_t parallelism = job["spec"]["parallelism"].number();
  return done + (parallelism > 1 ? "1 of " + std::to_string(parallelism) : "1");
}

std::string job_duration(const Field& job, WallTime now) {
  const std::string_view start = job["status"]["startTime"].text();
  const std::string_view end = job["status"]["completionTime"].text();
  if (start.empty()) return {};
  const Result<WallTime> until = end.empty() ? Result<WallTime>(now) : kube::parse_time(end);
  return until ? human_age(start, *until) : "<invalid>";
}

boost::json::array job_cells(const Field& object, WallTime now) {
  boost::json::array cells{name_of(object), job_state(object), job_completions(object), job_duration(object, now),
                           age_of(object, now)};
  append_containers(cells, object["spec"]["template"]);
  cells.emplace_back(selector_text(object["spec"]["selector"]));
  return cells;
}

boost::json::array cron_job_cells(const Field& object, WallTime now) {
  const Field spec = object["spec"];
  const Field job = spec["jobTemplate"]["spec"];
  const std::string_view last = object["status"]["lastScheduleTime"].text();
  std::string suspended = "<unset>";
  if (spec["suspend"].present()) suspended = spec["suspend"].flag() ? "True" : "False";
  boost::json::array cells{
      name_of(object),    spec["schedule"].text(),           spec["timeZone"].text("<none>"),
      suspended,          object["status"]["active"].size(), last.empty() ? "<none>" : human_age(last, now),
      age_of(object, now)};
  append_containers(cells, job["template"]);
  cells.emplace_back(selector_text(job["selector"]));
  return cells;
}

boost::json::array budget_cells(const Field& object, WallTime now) {
  return {name_of(object), object["spec"]["minAvailable"].printed("N/A"),
          object["spec"]["maxUnavailable"].printed("N/A"), object["status"]["disruptionsAllowed"].number(),
          age_of(object, now)};
}

boost::json::array revision_cells(const Field& object, WallTime now) {
  std::string controller = "<none>";
  for (const boost::json::value& item : object["metadata"]["ownerReferences"].items()) {
    const Field owner(&item);
    if (!owner["controller"].flag()) continue;
    std::string kind(owner["kind"].text());
    for (char& letter : kind) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    const std::string_view api_version = owner["apiVersion"].text();
    const std::size_t slash = api_version.find('/');
    controller = kind;
    if (slash != std::string_view::npos) controller += "." + std::string(api_version.substr(0, slash));
    controller += "/" + std::string(owner["name"].text());
  }
  return {name_of(object), controller, object["revision"].number(), age_of(object, now)};
}

boost::json::array scale_cells(const Field& object, WallTime now) {
  return {name_of(object), object["spec"]["replicas"].number(), object["status"]["replicas"].number(),
          age_of(object, now)};
}

std::vector<Column> replica_columns() {
  return with_template(
      {name_column(), integer_column("Desired"), integer_column("Current"), integer_column("Ready"), age_column()});
}

const std::vector<NamedPrinter>& printers() {
  static const std::vector<NamedPrinter> all{
      {"apps",
       "Deployment",
       {with_template(
            {name_column(), text_column("Ready"), text_column("Up-to-date"), text_column("Available"), age_column()}),
        deployment_cells}},
      {"apps", "ReplicaSet", {replica_columns(), replica_set_cells}},
      {"apps",
       "StatefulSet",
       {with_template({name_column(), text_column("Ready"), age_column()}, false), stateful_set_cells}},
      {"apps",
       "DaemonSet",
       {with_template({name_column(), integer_column("Desired"), integer_column("Current"), integer_column("Ready"),
                       integer_column("Up-to-date"), integer_column("Available"), text_column("Node Selector"),
                       age_column()}),
        daemon_set_cells}},
      {"batch",
       "Job",
       {with_template(
            {name_column(), text_column("Status"), text_column("Completions"), text_column("Duration"), age_column()}),
        job_cells}},
      {"batch",
       "CronJob",
       {with_template({name_column(),
                       text_column("Schedule"),
                       text_column("Timezone"),
                       {.name = "Suspend", .type = "boolean"},
                       integer_column("Active"),
                       text_column("Last Schedule"),
                       age_column()}),
        cron_job_cells}},
      {"policy",
       "PodDisruptionBudget",
       {{name_column(), text_column("Min Available"), text_column("Max Unavailable"),
         integer_column("Allowed Disruptions"), age_column()},
        budget_cells}},
      {"autoscaling",
       "Scale",
       {{text_column("Name"), integer_column("Desired"), integer_column("Available"), age_column()}, scale_cells}},
      {"apps",
       "ControllerRevision",
       {{name_column(), text_column("Controller"), text_column("Revision"), age_column()}, revision_cells}}};
  return all;
}

}  // namespace

const Printer* workload_printer(std::string_view group, std::string_view kind) {
  return find_printer(printers(), group, kind);
}

}  // namespace rescheduler::sim
