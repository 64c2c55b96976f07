#include "support/objects.h"

#include "base/check.h"
#include "kube/codec/json.h"

namespace rescheduler::test {
namespace {

template <class T>
T parsed(const std::string& ns, const std::string& name, std::string_view json) {
  T object;
  const auto read = kube::from_json(json, object, kube::UnknownFields::Refuse);
  RESCHEDULER_CHECK(read.has_value(), "a test's own object: {}", read.error().message);
  object.mutable_metadata()->set_namespace_(ns);
  object.mutable_metadata()->set_name(name);
  return object;
}

}  // namespace

api::ConfigMap config_map(const std::string& ns,
                          const std::string& name,
                          const std::map<std::string, std::string>& data) {
  api::ConfigMap map;
  map.mutable_metadata()->set_namespace_(ns);
  map.mutable_metadata()->set_name(name);
  for (const auto& [key, value] : data) (*map.mutable_data())[key] = value;
  return map;
}

api::Pod pod_of(const std::string& ns, const std::string& name, const std::string& node) {
  auto pod = parsed<api::Pod>(ns, name, R"({
    "spec": {
      "containers": [{"name": "main", "image": "registry.example/app:1",
                      "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}}}],
      "terminationGracePeriodSeconds": 30
    }
  })");
  if (!node.empty()) pod.mutable_spec()->set_node_name(node);
  return pod;
}

api::Pod elaborate_pod(const std::string& ns, const std::string& name) {
  return parsed<api::Pod>(ns, name, R"({
    "metadata": {"labels": {"app": "web"}, "annotations": {"note": "a \"quoted\" word, ünïcode"}},
    "spec": {
      "initContainers": [{"name": "init", "image": "registry.example/init:1", "restartPolicy": "Always"}],
      "containers": [{
        "name": "main", "image": "registry.example/app:1", "args": ["--a", ""],
        "env": [{"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}, {"name": "X", "value": "1"}],
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "resources": {"requests": {"cpu": "250m", "memory": "1Gi", "example.com/gpu": "1"},
                      "limits": {"cpu": "1", "memory": "1.5Gi", "example.com/gpu": "1"}},
        "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}, "periodSeconds": 5},
        "livenessProbe": {"tcpSocket": {"port": 8080}, "initialDelaySeconds": 3},
        "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}]
      }],
      "volumes": [{"name": "scratch", "emptyDir": {"sizeLimit": "500Mi"}},
                  {"name": "conf", "configMap": {"name": "none", "optional": true, "defaultMode": 420}},
                  {"name": "data", "persistentVolumeClaim": {"claimName": "none"}}],
      "nodeSelector": {"disk": "ssd"},
      "affinity": {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
          {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}],
           "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n7"]}]}]}},
        "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
          {"weight": 50, "podAffinityTerm": {"topologyKey": "kubernetes.io/hostname",
                                             "labelSelector": {"matchLabels": {"app": "web"}}}}]}
      },
      "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "web"}}, "minDomains": 2}],
      "tolerations": [{"key": "dedicated", "operator": "Equal", "value": "web", "effect": "NoSchedule"},
                      {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30}],
      "schedulingGates": [{"name": "example.com/hold"}]
    }
  })");
}

api::Node node_of(const std::string& name) {
  auto node = parsed<api::Node>("", name, R"({
    "metadata": {"labels": {"kubernetes.io/os": "linux", "topology.kubernetes.io/zone": "a"}},
    "status": {"allocatable": {"cpu": "32", "memory": "256Gi", "pods": "110"},
               "capacity": {"cpu": "32", "memory": "256Gi", "pods": "110"}}
  })");
  (*node.mutable_metadata()->mutable_labels())["kubernetes.io/hostname"] = name;
  node.mutable_metadata()->clear_namespace_();
  return node;
}

api::Deployment deployment_of(const std::string& ns, const std::string& name, int replicas) {
  auto deployment = parsed<api::Deployment>(ns, name, R"({
    "spec": {
      "selector": {"matchLabels": {"app": "web"}},
      "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}},
      "template": {"metadata": {"labels": {"app": "web"}},
                   "spec": {"containers": [{"name": "main", "image": "registry.example/app:1"}]}}
    }
  })");
  deployment.mutable_spec()->set_replicas(replicas);
  return deployment;
}

api::Binding binding_to(const std::string& ns, const std::string& pod, const std::string& node) {
  api::Binding binding;
  binding.mutable_metadata()->set_namespace_(ns);
  binding.mutable_metadata()->set_name(pod);
  binding.mutable_target()->set_kind("Node");
  binding.mutable_target()->set_name(node);
  return binding;
}

kube::PatchOptions status_patch() {
  kube::PatchOptions options;
  options.subresource = "status";
  return options;
}

}  // namespace rescheduler::test
