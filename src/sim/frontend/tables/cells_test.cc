#include <chrono>
#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "kube/value/time.h"
#include "sim/frontend/tables/age.h"
#include "sim/frontend/tables/custom.h"
#include "sim/frontend/tables/printer.h"
#include "sim/kinds/custom/custom_version.h"

namespace rescheduler::sim {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

WallTime now() { return *kube::parse_time("2026-01-01T12:00:00Z"); }

// The cells of an object as JSON, including those for -o wide.
std::string cells(std::string_view group, std::string_view kind, std::string_view object) {
  const Printer* printer = printer_of(group, kind);
  if (!printer) return "no printer";
  const json::value value = json::parse(object);
  const json::array cells = printer->cells(Field(&value), now());
  EXPECT_EQ(cells.size(), printer->columns.size()) << kind;
  return json::serialize(cells);
}

// NAME READY STATUS RESTARTS of a pod with this spec and status.
std::string pod(std::string_view spec, std::string_view status, std::string_view metadata = "") {
  const json::value value = json::parse(R"({"metadata":{"name":"p")" + std::string(metadata) + R"(},"spec":)"
                                        + std::string(spec) + R"(,"status":)" + std::string(status) + "}");
  const json::array cells = printer_of("", "Pod")->cells(Field(&value), now());
  return std::string(cells[1].get_string()) + " " + std::string(cells[2].get_string()) + " "
         + std::string(cells[3].get_string());
}

TEST(HumanDuration, FormatsDurationsLikeKubectl) {
  EXPECT_EQ(human_duration(-2s), "<invalid>");
  EXPECT_EQ(human_duration(-1s), "0s");
  EXPECT_EQ(human_duration(5s), "5s");
  EXPECT_EQ(human_duration(119s), "119s");
  EXPECT_EQ(human_duration(2min), "2m");
  EXPECT_EQ(human_duration(150s), "2m30s");
  EXPECT_EQ(human_duration(10min + 5s), "10m");
  EXPECT_EQ(human_duration(179min), "179m");
  EXPECT_EQ(human_duration(3h + 12min), "3h12m");
  EXPECT_EQ(human_duration(8h + 12min), "8h");
  EXPECT_EQ(human_duration(47h), "47h");
  EXPECT_EQ(human_duration(24h * 5 + 2h), "5d2h");
  EXPECT_EQ(human_duration(24h * 8 + 2h), "8d");
  EXPECT_EQ(human_duration(24h * 400), "400d");
  EXPECT_EQ(human_duration(24h * 740), "2y10d");
  EXPECT_EQ(human_duration(24h * 365 * 9), "9y");
}

TEST(PodCells, ShowTheNodeAndTheAddressOfThePod) {
  EXPECT_EQ(cells("", "Pod", R"({"metadata":{"name":"web-1","creationTimestamp":"2026-01-01T11:55:00Z"},
      "spec":{"nodeName":"n1","containers":[{"name":"a"}],"readinessGates":[{"conditionType":"x"},{"conditionType":"y"}]},
      "status":{"phase":"Running","podIPs":[{"ip":"10.0.0.7"}],"conditions":[{"type":"y","status":"True"}],
      "containerStatuses":[{"name":"a","ready":true,"state":{"running":{}}}]}})"),
            R"(["web-1","1/1","Running","0","5m","10.0.0.7","n1","<none>","1/2"])");
}

TEST(PodCells, RestartsShowTheTimeOfTheLastRestart) {
  const std::string status = R"({"phase":"Running","containerStatuses":[
      {"restartCount":1,"ready":true,"state":{"running":{}},"lastState":{"terminated":{"finishedAt":"2026-01-01T11:00:00Z"}}},
      {"restartCount":2,"state":{"waiting":{"reason":"CrashLoopBackOff"}},
       "lastState":{"terminated":{"finishedAt":"2026-01-01T11:55:00Z"}}}]})";
  EXPECT_EQ(pod(R"({"containers":[{},{}]})", status), "1/2 CrashLoopBackOff 3 (5m ago)");
}

TEST(PodCells, TheReasonOfTheFirstWaitingContainerIsTheStatus) {
  EXPECT_EQ(pod(R"({"containers":[{},{}]})", R"({"phase":"Pending","containerStatuses":[
      {"state":{"waiting":{"reason":"ErrImagePull"}}},{"state":{"waiting":{"reason":"ContainerCreating"}}}]})"),
            "0/2 ErrImagePull 0");
}

TEST(PodCells, ACompletedContainerDoesNotHideARunningContainer) {
  const std::string done = R"({"state":{"terminated":{"reason":"Completed","exitCode":0}}})";
  const std::string runs = R"({"ready":true,"state":{"running":{}}})";
  const auto status = [&](const std::string& conditions) {
    return R"({"phase":"Running","conditions":)" + conditions + R"(,"containerStatuses":[)" + done + "," + runs + "]}";
  };
  EXPECT_EQ(pod(R"({"containers":[{},{}]})", status(R"([{"type":"Ready","status":"True"}])")), "1/2 Running 0");
  EXPECT_EQ(pod(R"({"containers":[{},{}]})", status(R"([{"type":"Ready","status":"False"}])")), "1/2 NotReady 0");
  EXPECT_EQ(pod(R"({"containers":[{}]})", R"({"phase":"Succeeded","containerStatuses":[)" + done + "]}"),
            "0/1 Completed 0");
}

TEST(PodCells, ATerminationWithoutReasonShowsTheExitCodeOrSignal) {
  EXPECT_EQ(pod(R"({"containers":[{}]})",
                R"({"phase":"Failed","containerStatuses":[{"state":{"terminated":{"exitCode":3}}}]})"),
            "0/1 ExitCode:3 0");
  EXPECT_EQ(pod(R"({"containers":[{}]})",
                R"({"phase":"Failed","containerStatuses":[{"state":{"terminated":{"exitCode":137,"signal":9}}}]})"),
            "0/1 Signal:9 0");
}

TEST(PodCells, TheStatusShowsTheProgressOrFailureOfInitContainers) {
  const std::string spec = R"({"containers":[{}],"initContainers":[{"name":"a"},{"name":"b"}]})";
  EXPECT_EQ(pod(spec, R"({"phase":"Pending","initContainerStatuses":[
      {"name":"a","state":{"terminated":{"exitCode":0}}},{"name":"b","restartCount":2,"state":{"running":{}}}]})"),
            "0/1 Init:1/2 2");
  EXPECT_EQ(pod(spec, R"({"phase":"Pending","initContainerStatuses":[
      {"name":"a","state":{"waiting":{"reason":"CrashLoopBackOff"}}}]})"),
            "0/1 Init:CrashLoopBackOff 0");
  EXPECT_EQ(pod(spec, R"({"phase":"Pending","initContainerStatuses":[
      {"name":"a","state":{"terminated":{"exitCode":1,"reason":"Error"}}}]})"),
            "0/1 Init:Error 0");
}

TEST(PodCells, ReadyAndRestartCountsIncludeSidecarsButNotFinishedInitContainers) {
  EXPECT_EQ(pod(R"({"containers":[{}],"initContainers":[{"name":"s","restartPolicy":"Always"},{"name":"i"}]})",
                R"({"phase":"Running","initContainerStatuses":[
      {"name":"s","started":true,"ready":true,"restartCount":1,"state":{"running":{}}},
      {"name":"i","restartCount":4,"state":{"terminated":{"exitCode":0}}}],
      "containerStatuses":[{"ready":true,"state":{"running":{}}}]})"),
            "2/2 Running 1");
}

TEST(PodCells, DeletionEvictionAndSchedulingGatesReplaceThePhase) {
  EXPECT_EQ(pod(R"({"containers":[{}]})", R"({"phase":"Running"})", R"(,"deletionTimestamp":"2026-01-01T11:00:00Z")"),
            "0/1 Terminating 0");
  EXPECT_EQ(pod(R"({"containers":[{}]})", R"({"phase":"Failed","reason":"Evicted"})",
                R"(,"deletionTimestamp":"2026-01-01T11:00:00Z")"),
            "0/1 Evicted 0");
  EXPECT_EQ(pod(R"({"containers":[{}]})",
                R"({"phase":"Pending","conditions":[{"type":"PodScheduled","reason":"SchedulingGated"}]})"),
            "0/1 SchedulingGated 0");
}

TEST(NodeCells, ShowReadinessRolesAndSystem) {
  EXPECT_EQ(
      cells("", "Node", R"({"metadata":{"name":"n","creationTimestamp":"2026-01-01T11:59:00Z","labels":
      {"node-role.kubernetes.io/worker":"","node-role.kubernetes.io/edge":"","kubernetes.io/role":"db"}},
      "spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}],
      "addresses":[{"type":"Hostname","address":"n"},{"type":"InternalIP","address":"10.0.0.1"}],
      "nodeInfo":{"kubeletVersion":"v1","kernelVersion":"6.1","architecture":"amd64"}}})"),
      R"j(["n","Ready,SchedulingDisabled","db,edge,worker","60s","v1","10.0.0.1","<none>","<unknown>","6.1 (amd64)","<unknown>"])j");
  EXPECT_EQ(
      cells("", "Node", R"({"metadata":{"name":"n"},"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})"),
      R"(["n","NotReady","<none>","<unknown>","","<none>","<none>","<unknown>","<unknown>","<unknown>"])");
  EXPECT_EQ(cells("", "Node", R"({"metadata":{"name":"n"}})").substr(0, 15), R"(["n","Unknown",)");
}

constexpr std::string_view kTemplate =
    R"("template":{"spec":{"nodeSelector":{"b":"2","a":"1"},"containers":[{"name":"a","image":"x:1"},{"name":"b","image":"y"}]}})";

std::string workload(std::string_view spec, std::string_view status) {
  return R"({"metadata":{"name":"w","creationTimestamp":"2026-01-01T11:59:00Z"},"spec":{)" + std::string(spec) + ","
         + std::string(kTemplate) + R"(},"status":)" + std::string(status) + "}";
}

TEST(WorkloadCells, CountPodsAndListImages) {
  const std::string selector = R"("replicas":3,"selector":{"matchLabels":{"app":"w"},
      "matchExpressions":[{"key":"tier","operator":"In","values":["b","a"]}]})";
  EXPECT_EQ(cells("apps", "Deployment",
                  workload(selector, R"({"readyReplicas":2,"updatedReplicas":1,"availableReplicas":2})")),
            R"j(["w","2/3",1,2,"60s","a,b","x:1,y","app=w,tier in (a,b)"])j");
  EXPECT_EQ(cells("apps", "ReplicaSet", workload(selector, R"({"replicas":3,"readyReplicas":2})")),
            R"j(["w",3,3,2,"60s","a,b","x:1,y","app=w,tier in (a,b)"])j");
  EXPECT_EQ(cells("apps", "StatefulSet", workload(selector, "{}")), R"(["w","0/3","60s","a,b","x:1,y"])");
  EXPECT_EQ(cells("apps", "DaemonSet", workload(selector, R"({"desiredNumberScheduled":5,"numberReady":4})")),
            R"j(["w",5,0,4,0,0,"a=1,b=2","60s","a,b","x:1,y","app=w,tier in (a,b)"])j");
}

TEST(WorkloadCells, JobsAndCronJobsShowTheirProgress) {
  EXPECT_EQ(
      cells(
          "batch", "Job",
          workload(
              R"("completions":2)",
              R"({"succeeded":2,"startTime":"2026-01-01T11:00:00Z","completionTime":"2026-01-01T11:00:30Z","conditions":[{"type":"Complete","status":"True"}]})")),
      R"(["w","Complete","2/2","30s","60s","a,b","x:1,y","<none>"])");
  EXPECT_EQ(cells("batch", "Job", workload(R"("parallelism":4)", R"({"startTime":"2026-01-01T11:59:10Z"})")),
            R"(["w","Running","0/1 of 4","50s","60s","a,b","x:1,y","<none>"])");
  EXPECT_EQ(cells("batch", "CronJob", R"({"metadata":{"name":"c"},"spec":{"schedule":"* * * * *","suspend":false,
      "jobTemplate":{"spec":{"template":{"spec":{"containers":[{"name":"a","image":"i"}]}}}}},
      "status":{"active":[{}],"lastScheduleTime":"2026-01-01T11:59:30Z"}})"),
            R"(["c","* * * * *","<none>","False",1,"30s","<unknown>","a","i","<none>"])");
}

TEST(WorkloadCells, BudgetsPrintNumbersAndPercentages) {
  EXPECT_EQ(cells("policy", "PodDisruptionBudget",
                  R"({"metadata":{"name":"b"},"spec":{"minAvailable":0},"status":{"disruptionsAllowed":1}})"),
            R"(["b","0","N/A",1,"<unknown>"])");
  EXPECT_EQ(cells("policy", "PodDisruptionBudget", R"({"metadata":{"name":"b"},"spec":{"maxUnavailable":"25%"}})"),
            R"(["b","N/A","25%",0,"<unknown>"])");
}

TEST(WorkloadCells, RevisionsShowTheirController) {
  EXPECT_EQ(cells("apps", "ControllerRevision", R"({"metadata":{"name":"r","ownerReferences":[
      {"kind":"DaemonSet","apiVersion":"apps/v1","name":"d","controller":true}]},"revision":3})"),
            R"(["r","daemonset.apps/d",3,"<unknown>"])");
}

TEST(NetworkCells, ServicesShowTheirAddresses) {
  EXPECT_EQ(
      cells("", "Service",
            R"({"metadata":{"name":"s"},"spec":{"type":"NodePort","clusterIP":"10.1.1.1","clusterIPs":["10.1.1.1"],
      "selector":{"app":"w"},"ports":[{"port":80,"protocol":"TCP","nodePort":30000},{"port":53,"protocol":"UDP"}]}})"),
      R"(["s","NodePort","10.1.1.1","<none>","80:30000/TCP,53/UDP","<unknown>","app=w"])");
  EXPECT_EQ(cells("", "Service", R"({"metadata":{"name":"s"},"spec":{"type":"LoadBalancer","clusterIP":"None"}})"),
            R"(["s","LoadBalancer","None","<pending>","<none>","<unknown>","<none>"])");
}

TEST(EventCells, ShowTheSameForTheCoreAndTheEventsApi) {
  const std::string expected =
      R"(["30s","Warning","BackOff","pod/p","spec.containers{a}","kubelet, n1","Back-off","5m",7,"e"])";
  EXPECT_EQ(cells("", "Event",
                  R"({"metadata":{"name":"e"},"type":"Warning","reason":"BackOff","message":"Back-off \n","count":7,
      "involvedObject":{"kind":"Pod","name":"p","fieldPath":"spec.containers{a}"},"source":{"component":"kubelet","host":"n1"},
      "firstTimestamp":"2026-01-01T11:55:00Z","lastTimestamp":"2026-01-01T11:59:30Z"})"),
            expected);
  EXPECT_EQ(
      cells("events.k8s.io", "Event", R"({"metadata":{"name":"e"},"type":"Warning","reason":"BackOff","note":"Back-off",
      "regarding":{"kind":"Pod","name":"p","fieldPath":"spec.containers{a}"},"reportingController":"kubelet","reportingInstance":"n1",
      "eventTime":"2026-01-01T11:55:00.000001Z","series":{"count":7,"lastObservedTime":"2026-01-01T11:59:30.000000Z"}})"),
      expected.substr(0, expected.find("\"5m\"")) + R"("4m59s",7,"e"])");
}

TEST(PlainCells, ShowEntryCounts) {
  EXPECT_EQ(cells("", "ConfigMap", R"({"metadata":{"name":"c"},"data":{"a":"b"},"binaryData":{"x":"eA=="}})"),
            R"(["c",2,"<unknown>"])");
  EXPECT_EQ(printer_of("rbac.authorization.k8s.io", "Role"), nullptr);
}

TEST(CustomCells, FollowThePrinterColumnsOfTheDefinition) {
  Kind kind{.group = "x.io",
            .version = "v1",
            .kind = "Thing",
            .list_kind = "",
            .plural = "things",
            .singular = "",
            .custom = true};
  const json::value object = json::parse(R"({"metadata":{"name":"t","creationTimestamp":"2026-01-01T11:58:00Z"},
      "spec":{"size":3,"label":"big","list":[1,2]},"status":{"conditions":[{"type":"Old","status":"False"},{"type":"Ready","status":"True"}]}})");
  EXPECT_EQ(json::serialize(CustomColumns(kind).cells(object, now())), R"(["t","2m"])");
  CustomVersion version;
  version.columns = {
      {.name = "Size", .type = "integer", .json_path = ".spec.size"},
      {.name = "Ready", .type = "string", .json_path = R"j(.status.conditions[?(@.type=="Ready")].status)j"},
      {.name = "SizeText", .type = "string", .json_path = ".spec.size"},
      {.name = "List", .type = "string", .json_path = ".spec.list"},
      {.name = "Wrong", .type = "boolean", .json_path = ".spec.size"},
      {.name = "None", .type = "string", .json_path = ".spec.none"},
      {.name = "Since", .type = "date", .json_path = ".metadata.creationTimestamp", .priority = 1}};
  kind.definition = std::make_shared<const CustomVersion>(version);
  const CustomColumns columns(kind);
  EXPECT_EQ(json::serialize(columns.cells(object, now())), R"(["t",3,"True","3","[1,2]",null,null,"2m"])");
  EXPECT_EQ(columns.columns().back().priority, 1);
}

}  // namespace
}  // namespace rescheduler::sim
