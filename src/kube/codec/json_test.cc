#include "kube/codec/json.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/codec/json_text.h"
#include "kube/codec/protobuf.h"
#include "kube/proto/admission.pb.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/authentication.pb.h"
#include "kube/proto/coordination.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/discovery.pb.h"
#include "kube/proto/metrics.pb.h"

namespace rescheduler::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Contains every special form at least once, in the order of the writer.
constexpr std::string_view kPod = R"({
  "apiVersion": "v1",
  "kind": "Pod",
  "metadata": {
    "name": "web-0",
    "namespace": "shop",
    "uid": "5d0f2a3e",
    "resourceVersion": "4711",
    "creationTimestamp": "2024-02-29T12:34:56Z",
    "deletionGracePeriodSeconds": 0,
    "labels": {
      "app": "web",
      "zone": "中"
    },
    "ownerReferences": [
      {
        "kind": "StatefulSet",
        "name": "web",
        "uid": "77",
        "apiVersion": "apps/v1",
        "controller": true,
        "blockOwnerDeletion": false
      }
    ]
  },
  "spec": {
    "volumes": [
      {
        "name": "scratch",
        "emptyDir": {
          "sizeLimit": "1Gi"
        }
      },
      {
        "name": "nothing",
        "emptyDir": {}
      },
      {
        "name": "cfg",
        "configMap": {
          "name": "settings",
          "optional": false
        }
      }
    ],
    "containers": [
      {
        "name": "main",
        "image": "registry.example/web:1",
        "ports": [
          {
            "name": "http",
            "containerPort": 8080,
            "protocol": "TCP"
          }
        ],
        "env": [
          {
            "name": "KEY",
            "valueFrom": {
              "secretKeyRef": {
                "name": "vault",
                "key": "k"
              }
            }
          }
        ],
        "resources": {
          "limits": {
            "memory": "256Mi"
          },
          "requests": {
            "cpu": "500m",
            "memory": "128Mi"
          }
        },
        "livenessProbe": {
          "httpGet": {
            "path": "/healthz",
            "port": "http"
          },
          "periodSeconds": 10
        },
        "readinessProbe": {
          "tcpSocket": {
            "port": 8080
          }
        }
      }
    ],
    "terminationGracePeriodSeconds": 0,
    "hostPID": true,
    "securityContext": {
      "seLinuxOptions": {
        "level": "s0"
      },
      "runAsUser": 0,
      "supplementalGroups": [
        1,
        9223372036854775807
      ]
    },
    "enableServiceLinks": false,
    "ephemeralContainers": [
      {
        "name": "debug",
        "tty": true,
        "targetContainerName": "main"
      }
    ]
  },
  "status": {
    "phase": "Running",
    "hostIP": "10.0.0.1",
    "podIP": "10.1.0.7",
    "containerStatuses": [
      {
        "name": "main",
        "state": {
          "running": {
            "startedAt": "2024-02-29T12:35:00Z"
          }
        },
        "ready": false,
        "restartCount": 0,
        "imageID": "sha256:1"
      }
    ],
    "podIPs": [
      {
        "ip": "10.1.0.7"
      }
    ]
  }
})";

TEST(Json, ReadsEverySpecialFormOfAPod) {
  api::Pod pod;
  const auto read = from_json(kPod, pod, UnknownFields::Refuse);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(pod.metadata().namespace_(), "shop");
  EXPECT_EQ(pod.metadata().creation_timestamp().seconds(), 1'709'210'096);
  EXPECT_TRUE(pod.metadata().has_deletion_grace_period_seconds());
  EXPECT_EQ(pod.metadata().labels().at("zone"), "中");
  EXPECT_TRUE(pod.metadata().owner_references(0).controller());
  EXPECT_TRUE(pod.metadata().owner_references(0).has_block_owner_deletion());

  EXPECT_EQ(pod.spec().volumes(0).volume_source().empty_dir().size_limit().string(), "1Gi");
  EXPECT_TRUE(pod.spec().volumes(1).volume_source().has_empty_dir());
  EXPECT_EQ(pod.spec().volumes(2).volume_source().config_map().local_object_reference().name(), "settings");
  const api::Container& main = pod.spec().containers(0);
  EXPECT_EQ(main.resources().requests().at("cpu").string(), "500m");
  EXPECT_EQ(main.env(0).value_from().secret_key_ref().local_object_reference().name(), "vault");
  EXPECT_EQ(main.env(0).value_from().secret_key_ref().key(), "k");
  EXPECT_EQ(main.liveness_probe().handler().http_get().port().type(), 1);
  EXPECT_EQ(main.liveness_probe().handler().http_get().port().str_val(), "http");
  EXPECT_EQ(main.liveness_probe().period_seconds(), 10);
  EXPECT_EQ(main.readiness_probe().handler().tcp_socket().port().type(), 0);
  EXPECT_EQ(main.readiness_probe().handler().tcp_socket().port().int_val(), 8080);
  EXPECT_TRUE(pod.spec().host_pid());
  EXPECT_THAT(pod.spec().security_context().supplemental_groups(), ElementsAre(1, 9'223'372'036'854'775'807));
  EXPECT_EQ(pod.spec().ephemeral_containers(0).ephemeral_container_common().name(), "debug");
  EXPECT_EQ(pod.spec().ephemeral_containers(0).target_container_name(), "main");
  EXPECT_EQ(pod.status().pod_ips(0).ip(), "10.1.0.7");
  EXPECT_EQ(pod.status().container_statuses(0).image_id(), "sha256:1");
}

TEST(Json, WritesAPodAsItWasRead) {
  api::Pod pod;
  ASSERT_TRUE(from_json(kPod, pod));
  EXPECT_EQ(to_json(pod), boost::json::serialize(boost::json::parse(kPod)));
}

TEST(Json, OmitsTheZeroValuesThatGoClientsSend) {
  api::Pod pod;
  pod.mutable_metadata()->set_generate_name("");
  pod.mutable_metadata()->mutable_creation_timestamp();
  pod.mutable_spec()->set_host_network(false);
  pod.mutable_spec()->set_priority(0);
  EXPECT_EQ(to_json(pod, {.with_type_meta = false}), R"({"metadata":{},"spec":{"priority":0}})");
}

TEST(Json, AnEmptyListIsWrittenWithAnItemsArray) {
  EXPECT_EQ(to_json(api::PodList{}), R"({"apiVersion":"v1","kind":"PodList","items":[]})");
}

TEST(Json, ReadsNullAsAnAbsentField) {
  api::Pod pod;
  ASSERT_TRUE(from_json(R"({"metadata":{"creationTimestamp":null,"labels":{"a":null}},"spec":null})", pod));
  EXPECT_FALSE(pod.metadata().has_creation_timestamp());
  EXPECT_FALSE(pod.has_spec());
  EXPECT_EQ(pod.metadata().labels().at("a"), "");
}

TEST(Json, ReadsBareNumbersAsQuantities) {
  api::ResourceRequirements resources;
  ASSERT_TRUE(from_json(R"({"limits":{"cpu":2,"memory":1e9,"x":0.5}})", resources));
  EXPECT_EQ(resources.limits().at("cpu").string(), "2");
  EXPECT_EQ(resources.limits().at("memory").string(), "1000000000");
  EXPECT_EQ(resources.limits().at("x").string(), "0.5");
}

TEST(Json, ReadsAndWritesBytesAsBase64) {
  api::Secret secret;
  ASSERT_TRUE(from_json(R"({"data":{"token":"c2VjcmV0"}})", secret));
  EXPECT_EQ(secret.data().at("token"), "secret");
  EXPECT_EQ(to_json(secret, {.with_type_meta = false}), R"({"data":{"token":"c2VjcmV0"}})");
}

TEST(Json, ConvertsMicroTimesDurationsAndStringLists) {
  const std::string lease =
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","spec":{"renewTime":"2024-02-29T12:34:56.001234Z"}})";
  api::Lease read_lease;
  ASSERT_TRUE(from_json(lease, read_lease));
  EXPECT_EQ(read_lease.spec().renew_time().nanos(), 1'234'000);
  EXPECT_EQ(to_json(read_lease), lease);

  api::NodeMetrics metrics;
  ASSERT_TRUE(from_json(R"({"window":"1m30s","usage":{"cpu":"137m"}})", metrics));
  EXPECT_EQ(metrics.window().duration(), 90'000'000'000);

  api::UserInfo user;
  ASSERT_TRUE(from_json(R"({"username":"x","extra":{"scopes":["a","b"]}})", user));
  EXPECT_THAT(user.extra().at("scopes").items(), ElementsAre("a", "b"));
  EXPECT_EQ(to_json(user), R"({"username":"x","extra":{"scopes":["a","b"]}})");

  api::APIResource resource;
  ASSERT_TRUE(from_json(R"({"name":"pods","namespaced":true,"verbs":["get"]})", resource));
  EXPECT_THAT(resource.verbs().items(), ElementsAre("get"));
}

TEST(Json, KeepsEmbeddedDocumentsUnchanged) {
  const std::string text = R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
                           R"("request":{"uid":"1","object":{"kind":"Pod","list":[1,null,{"deep":"x"}]}}})";
  api::AdmissionReview review;
  ASSERT_TRUE(from_json(text, review));
  EXPECT_EQ(review.request().object().raw(), R"({"kind":"Pod","list":[1,null,{"deep":"x"}]})");
  EXPECT_EQ(to_json(review), text);
}

TEST(Json, WritesAnEmbeddedProtobufObjectAsJson) {
  api::Pod pod;
  pod.mutable_metadata()->set_name("a");
  api::WatchEvent event;
  event.set_type("ADDED");
  event.mutable_object()->set_raw(encode_protobuf(pod));
  EXPECT_EQ(to_json(event, {.with_type_meta = false}),
            R"({"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}})");
}

TEST(Json, WritesInvalidEmbeddedTextAsNull) {
  api::WatchEvent event;
  event.mutable_object()->set_raw("\"},{");
  EXPECT_EQ(to_json(event, {.with_type_meta = false}), R"({"object":null})");
}

TEST(Json, EmbeddedDocumentsBeyondTheDepthLimitAreDropped) {
  for (const std::size_t depth : {126U, 127U, 128U, 129U}) {
    api::WatchEvent event;
    event.mutable_object()->set_raw(std::string(depth, '[') + std::string(depth, ']'));
    api::WatchEvent back;
    ASSERT_TRUE(from_json(to_json(event), back));
    EXPECT_EQ(back.has_object(), depth < kDeepestJson) << depth;
  }
}

std::string error_of(std::string_view text, UnknownFields unknown = UnknownFields::Drop) {
  api::Pod pod;
  const auto read = from_json(text, pod, unknown);
  return read ? "no error" : read.error().message;
}

TEST(Json, ErrorsNameTheFieldWithTheWrongType) {
  EXPECT_EQ(error_of(R"({"spec":{"containers":[{"ports":[{},{"containerPort":"http"}]}]}})"),
            R"(spec.containers[0].ports[1].containerPort: expected a number, got string "http")");
  EXPECT_EQ(error_of(R"({"metadata":{"labels":{"a.b/c":1}}})"),
            R"(metadata.labels["a.b/c"]: expected a string, got number 1)");
  EXPECT_EQ(error_of(R"({"spec":{"containers":{}}})"), "spec.containers: expected an array, got an object");
  EXPECT_EQ(error_of(R"({"spec":{"hostNetwork":"yes"}})"),
            R"(spec.hostNetwork: expected true or false, got string "yes")");
  EXPECT_EQ(error_of(R"({"metadata":{"creationTimestamp":"today"}})"),
            R"(metadata.creationTimestamp: expected an RFC 3339 time, got string "today")");
  EXPECT_EQ(error_of(R"({"spec":{"overhead":{"cpu":true}}})"),
            R"(spec.overhead["cpu"]: expected a quantity, got true)");
  EXPECT_EQ(error_of(R"({"spec":{"volumes":[{"emptyDir":[]}]}})"),
            "spec.volumes[0].emptyDir: expected an object, got an array");
  EXPECT_EQ(error_of("[]"), "expected an object, got an array");
}

TEST(Json, ChecksTheRangeOfIntegers) {
  EXPECT_EQ(error_of(R"({"spec":{"priority":2147483648}})"),
            "spec.priority: 2147483648 is out of range: -2147483648 to 2147483647 is allowed");
  EXPECT_EQ(error_of(R"({"spec":{"priority":-2147483648}})"), "no error");
  EXPECT_THAT(error_of(R"({"metadata":{"generation":9223372036854775808}})"), HasSubstr("out of range"));
  EXPECT_EQ(error_of(R"({"spec":{"priority":1.5}})"), "spec.priority: expected a whole number, got number 1.5E0");
}

TEST(Json, GivesLineAndColumnOfSyntaxErrors) {
  EXPECT_THAT(error_of("{\n  \"metadata\": {\n    \"name\": oops\n  }\n}"), HasSubstr("line 3, column 13: "));
  EXPECT_EQ(error_of("{\"metadata\":"), "line 1, column 13: the JSON text ends too early");
  EXPECT_EQ(error_of("{} x"), "line 1, column 4: there is more after the end of the JSON value");
  EXPECT_EQ(error_of(""), "line 1, column 1: the JSON text ends too early");
}

TEST(Json, RefusesTextNestedDeeperThanTheLimit) {
  const std::string text = R"({"x":)" + std::string(100'000, '[');
  EXPECT_THAT(error_of(text), HasSubstr("more than 128 levels deep"));
}

TEST(Json, UnknownFieldsAreAnErrorOnlyWithRefuse) {
  constexpr std::string_view kTypo = R"({"spec":{"nodename":"n1"}})";
  EXPECT_EQ(error_of(kTypo), "no error");
  EXPECT_EQ(error_of(kTypo, UnknownFields::Refuse), "spec.nodename: PodSpec has no such field");
}

TEST(Json, TheLastOfDuplicateKeysWinsUnlessDuplicatesAreRefused) {
  constexpr std::string_view kTwice = "{\"metadata\":{\"name\":\"a\",\n \"n\\u0061me\":\"b\"}}";
  api::Pod pod;
  ASSERT_TRUE(from_json(kTwice, pod));
  EXPECT_EQ(pod.metadata().name(), "b");
  EXPECT_THAT(error_of(kTwice, UnknownFields::Refuse), HasSubstr("the key \"name\" appears twice"));
  EXPECT_THAT(error_of(kTwice, UnknownFields::Refuse), HasSubstr("line 2"));
  // The same key in two different objects is not a duplicate.
  EXPECT_EQ(
      error_of(R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"a"},{"name":"a"}]}})", UnknownFields::Refuse),
      "no error");
}

TEST(Json, RefusesAnObjectOfAnotherKind) {
  EXPECT_EQ(error_of(R"({"apiVersion":"v1","kind":"Node"})"), R"(kind: expected "Pod", got string "Node")");
  EXPECT_EQ(error_of(R"({"apiVersion":"v2","kind":"Pod"})"), R"(apiVersion: expected "v1", got string "v2")");
  EXPECT_EQ(error_of(R"({"kind":"Pod"})"), "no error");
}

TEST(Json, AFailedReadDoesNotChangeTheTarget) {
  api::Pod pod;
  pod.mutable_metadata()->set_name("before");
  EXPECT_FALSE(from_json(R"({"metadata":{"name":"after"},"spec":{"priority":"x"}})", pod));
  EXPECT_EQ(pod.metadata().name(), "before");
  EXPECT_FALSE(pod.has_spec());
}

TEST(Json, ReturnsAStatusThatCameInsteadOfTheObject) {
  api::Pod pod;
  const auto decoded =
      decode_json(R"({"apiVersion":"v1","kind":"Status","code":409,"reason":"Conflict"})", pod, UnknownFields::Drop);
  ASSERT_TRUE(decoded);
  ASSERT_TRUE(decoded->is_status());
  EXPECT_EQ(decoded->status->code(), 409);
}

TEST(Json, ErrorsDoNotContainTheSecret) {
  api::Secret secret;
  const auto read = from_json(R"({"data":{"password":"hunter2!"}})", secret);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, R"(data["password"]: this string is not base64)");
}

}  // namespace
}  // namespace rescheduler::kube
