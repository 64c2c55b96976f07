// The cost of one pod: time to encode and decode it in each encoding, and the heap that it occupies afterwards.
//
// The pod is one that an API server sends for a plain Deployment: two containers, projected token, probes, default
// tolerations, full status. As protobuf it also carries the zeros that Go writes; as JSON it does not.
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <malloc.h>

#include "kube/codec/json.h"
#include "kube/codec/list_reader.h"
#include "kube/codec/protobuf.h"
#include "kube/codec/random_message.h"
#include "kube/proto/core_pod.pb.h"

namespace {

using namespace rescheduler;
using kube::UnknownFields;

constexpr std::string_view kPodText = R"({
 "apiVersion":"v1","kind":"Pod",
 "metadata":{"name":"checkout-7d9c5b6f4d-x2x9k","generateName":"checkout-7d9c5b6f4d-","namespace":"shop",
  "uid":"5d0f2a3e-8f0a-4d0c-9a55-0f6f3c1d2b7e","resourceVersion":"84213977","generation":1,
  "creationTimestamp":"2024-02-29T12:34:56Z",
  "labels":{"app.kubernetes.io/name":"checkout","app.kubernetes.io/instance":"checkout-prod",
   "app.kubernetes.io/version":"1.14.2","pod-template-hash":"7d9c5b6f4d","team":"payments"},
  "annotations":{"prometheus.io/scrape":"true","prometheus.io/port":"9102",
   "checksum/config":"0f343b0931126a20f133d67c2b018a3b5ac8d1c8c8c8f0f343b0931126a20f13"},
  "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"checkout-7d9c5b6f4d",
   "uid":"0b6f3c1d-2b7e-4d0c-9a55-5d0f2a3e8f0a","controller":true,"blockOwnerDeletion":true}]},
 "spec":{"volumes":[
   {"name":"config","configMap":{"name":"checkout-config","defaultMode":420}},
   {"name":"cache","emptyDir":{"sizeLimit":"1Gi"}},
   {"name":"kube-api-access-9xk2p","projected":{"defaultMode":420,"sources":[
     {"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},
     {"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},
     {"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}]}}],
  "containers":[
   {"name":"checkout","image":"registry.example.com/shop/checkout:1.14.2","args":["--listen=:8080","--log=json"],
    "ports":[{"name":"http","containerPort":8080,"protocol":"TCP"},{"name":"metrics","containerPort":9102,"protocol":"TCP"}],
    "env":[{"name":"DATABASE_URL","valueFrom":{"secretKeyRef":{"name":"checkout-db","key":"url"}}},
     {"name":"REGION","value":"eu-central-1"},{"name":"POD_NAME","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}],
    "resources":{"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"500m","memory":"512Mi"}},
    "volumeMounts":[{"name":"config","readOnly":true,"mountPath":"/etc/checkout"},{"name":"cache","mountPath":"/var/cache"},
     {"name":"kube-api-access-9xk2p","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],
    "livenessProbe":{"httpGet":{"path":"/healthz","port":"http","scheme":"HTTP"},"initialDelaySeconds":10,"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},
    "readinessProbe":{"httpGet":{"path":"/ready","port":"http","scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":5,"successThreshold":1,"failureThreshold":3},
    "terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent",
    "securityContext":{"allowPrivilegeEscalation":false,"runAsNonRoot":true}},
   {"name":"proxy","image":"registry.example.com/mesh/proxy:v1.29.0","args":["proxy","--port","15001"],
    "ports":[{"name":"inbound","containerPort":15001,"protocol":"TCP"}],
    "resources":{"limits":{"cpu":"1","memory":"256Mi"},"requests":{"cpu":"100m","memory":"64Mi"}},
    "volumeMounts":[{"name":"kube-api-access-9xk2p","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],
    "readinessProbe":{"tcpSocket":{"port":15021},"timeoutSeconds":1,"periodSeconds":15,"successThreshold":1,"failureThreshold":4},
    "terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],
  "restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","nodeSelector":{"kubernetes.io/os":"linux"},
  "serviceAccountName":"checkout","serviceAccount":"checkout","nodeName":"ip-10-0-41-7.eu-central-1.compute.internal",
  "securityContext":{"fsGroup":2000},"schedulerName":"rescheduler-scheduler",
  "affinity":{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"podAffinityTerm":{
    "labelSelector":{"matchLabels":{"app.kubernetes.io/name":"checkout"}},"topologyKey":"kubernetes.io/hostname"}}]}},
  "tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},
   {"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],
  "priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority",
  "topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":"ScheduleAnyway",
   "labelSelector":{"matchLabels":{"app.kubernetes.io/name":"checkout"}}}]},
 "status":{"phase":"Running","conditions":[
   {"type":"PodReadyToStartContainers","status":"True","lastTransitionTime":"2024-02-29T12:35:01Z"},
   {"type":"Initialized","status":"True","lastTransitionTime":"2024-02-29T12:34:56Z"},
   {"type":"Ready","status":"True","lastTransitionTime":"2024-02-29T12:35:08Z"},
   {"type":"ContainersReady","status":"True","lastTransitionTime":"2024-02-29T12:35:08Z"},
   {"type":"PodScheduled","status":"True","lastTransitionTime":"2024-02-29T12:34:56Z"}],
  "hostIP":"10.0.41.7","hostIPs":[{"ip":"10.0.41.7"}],"podIP":"10.1.7.23","podIPs":[{"ip":"10.1.7.23"}],
  "startTime":"2024-02-29T12:34:56Z","qosClass":"Burstable",
  "containerStatuses":[
   {"name":"checkout","state":{"running":{"startedAt":"2024-02-29T12:35:00Z"}},"lastState":{},"ready":true,"restartCount":0,
    "image":"registry.example.com/shop/checkout:1.14.2","started":true,
    "imageID":"registry.example.com/shop/checkout@sha256:7b1c0f343b0931126a20f133d67c2b018a3b5ac8d1c8c8c8f0f343b0931126a2",
    "containerID":"containerd://0f343b0931126a20f133d67c2b018a3b5ac8d1c8c8c8f0f343b0931126a20f13"},
   {"name":"proxy","state":{"running":{"startedAt":"2024-02-29T12:35:01Z"}},"lastState":{},"ready":true,"restartCount":0,
    "image":"registry.example.com/mesh/proxy:v1.29.0","started":true,
    "imageID":"registry.example.com/mesh/proxy@sha256:a20f133d67c2b018a3b5ac8d1c8c8c8f0f343b0931126a27b1c0f343b0931126",
    "containerID":"containerd://d1c8c8c8f0f343b0931126a20f130f343b0931126a20f133d67c2b018a3b5ac8"}]}})";

struct Samples {
  api::Pod pod;
  std::string json;
  std::string protobuf;  // includes the zeros
  std::string list;      // 1000 pods
};

const Samples& samples() {
  static const Samples made = [] {
    Samples samples;
    if (!kube::from_json(kPodText, samples.pod, UnknownFields::Refuse)) std::abort();
    samples.json = kube::to_json(samples.pod);
    api::Pod as_go_writes = samples.pod;
    kube::add_go_zeros(as_go_writes);
    samples.protobuf = kube::encode_protobuf(as_go_writes);
    api::PodList list;
    for (int i = 0; i < 1000; ++i) *list.add_items() = as_go_writes;
    samples.list = kube::encode_protobuf(list);
    return samples;
  }();
  return made;
}

void count(benchmark::State& state, std::size_t bytes_each, double objects_each = 1) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes_each) * state.iterations());
  state.counters["pods/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * objects_each, benchmark::Counter::kIsRate);
  state.counters["bytes"] = static_cast<double>(bytes_each);
}

void decode_protobuf_pod(benchmark::State& state) {
  const auto unknown = state.range(0) == 0 ? UnknownFields::Drop : UnknownFields::Keep;
  for (auto _ : state) {
    api::Pod pod;
    benchmark::DoNotOptimize(kube::decode_protobuf(samples().protobuf, pod, unknown));
  }
  count(state, samples().protobuf.size());
}
BENCHMARK(decode_protobuf_pod)->ArgName("keep")->Arg(0)->Arg(1);

void decode_protobuf_list(benchmark::State& state) {
  for (auto _ : state) {
    const auto answer = kube::read_list<api::Pod>(kube::Encoding::Protobuf, samples().list, UnknownFields::Drop,
                                                  [](std::unique_ptr<api::Pod> pod) -> Result<void> {
                                                    benchmark::DoNotOptimize(pod);
                                                    return {};
                                                  });
    if (!answer) state.SkipWithError("the list cannot be read");
  }
  count(state, samples().list.size(), 1000);
}
BENCHMARK(decode_protobuf_list);

void decode_json_pod(benchmark::State& state) {
  for (auto _ : state) {
    api::Pod pod;
    benchmark::DoNotOptimize(kube::from_json(samples().json, pod));
  }
  count(state, samples().json.size());
}
BENCHMARK(decode_json_pod);

void encode_protobuf_pod(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(kube::encode_protobuf(samples().pod));
  count(state, kube::encode_protobuf(samples().pod).size());
}
BENCHMARK(encode_protobuf_pod);

void encode_json_pod(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(kube::to_json(samples().pod));
  count(state, samples().json.size());
}
BENCHMARK(encode_json_pod);

// Heap of 10,000 decoded pods, allocator overhead included.
void heap_per_pod(benchmark::State& state) {
  constexpr std::size_t kPods = 10'000;
  double bytes = 0;
  for (auto _ : state) {
    const auto before = mallinfo2();
    std::vector<std::unique_ptr<api::Pod>> pods(kPods);
    for (auto& pod : pods) {
      pod = std::make_unique<api::Pod>();
      const bool ok = state.range(0) == 0
                          ? kube::decode_protobuf(samples().protobuf, *pod, UnknownFields::Drop).has_value()
                          : kube::from_json(samples().json, *pod).has_value();
      if (!ok) state.SkipWithError("the pod cannot be read");
    }
    const auto after = mallinfo2();
    bytes = static_cast<double>(after.uordblks + after.hblkhd - before.uordblks - before.hblkhd) / kPods;
  }
  state.counters["heap_bytes"] = bytes;
}
BENCHMARK(heap_per_pod)->ArgName("json")->Arg(0)->Arg(1)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
