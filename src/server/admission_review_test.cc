#include "server/admission_review.h"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/codec/json.h"
#include "kube/value/base64.h"
#include "sim/patch/json_patch.h"

namespace rescheduler::server {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

std::string review(const std::string& pod,
                   const std::string& version = "admission.k8s.io/v1",
                   const std::string& operation = "CREATE") {
  return R"({"apiVersion":")" + version + R"(","kind":"AdmissionReview","request":{"uid":"u-1","namespace":"web",)"
         + R"("resource":{"group":"","version":"v1","resource":"pods"},"operation":")" + operation + R"(","object":)"
         + pod + "}}";
}

json::value patched(const std::string& pod, const PodChanges& changes) {
  api::Pod typed;
  EXPECT_TRUE(kube::from_json(pod, typed));
  const std::string patch = patch_for(typed, changes);
  if (patch.empty()) return json::parse(pod);
  const auto done = sim::json_patched(json::parse(pod), json::parse(patch));
  EXPECT_TRUE(done) << patch;
  return done ? *done : json::value();
}

TEST(AdmissionReview, IsReadInBothVersionsAndAnsweredInTheSameVersion) {
  for (const char* version : {"admission.k8s.io/v1", "admission.k8s.io/v1beta1"}) {
    const auto request = read_review(review(R"({"metadata":{"name":"p"},"spec":{}})", version));
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_TRUE(request->new_pod);
    EXPECT_EQ(request->pod.metadata().namespace_(), "web") << "the request has the namespace when the object omits it";
    const json::object answer = json::parse(write_review(*request, "[]")).as_object();
    EXPECT_EQ(answer.at("apiVersion").as_string(), version);
    const json::object& response = answer.at("response").as_object();
    EXPECT_EQ(response.at("uid").as_string(), "u-1");
    EXPECT_TRUE(response.at("allowed").as_bool());
    EXPECT_EQ(response.at("patchType").as_string(), "JSONPatch");
    EXPECT_EQ(kube::base64_decode(std::string_view(response.at("patch").as_string())), "[]");
  }
}

TEST(AdmissionReview, AResponseWithoutAPatchHasNoPatchType) {
  const auto request = read_review(review(R"({"metadata":{"name":"p"}})"));
  EXPECT_EQ(write_review(*request, "").find("patch"), std::string::npos);
}

TEST(AdmissionReview, AnUpdateIsNotReadAsANewPod) {
  const auto update = read_review(review("{}", "admission.k8s.io/v1", "UPDATE"));
  ASSERT_TRUE(update);
  EXPECT_FALSE(update->new_pod);
}

TEST(AdmissionReview, AnInvalidReviewIsRefusedWithAReason) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "JSON"},
      {"[", "JSON"},
      {review("{}").substr(0, 80), "JSON"},
      {"[]", "must be a JSON object"},
      {R"({"apiVersion":"v1","kind":"Pod"})", "not a 'Pod'"},
      {R"({"apiVersion":"admission.k8s.io/v2","kind":"AdmissionReview","request":{"uid":"u"}})",
       "not 'admission.k8s.io/v2'"},
      {R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"})", "has no request"},
      {R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{}})", "has no uid"},
      {review("null"), "has no object"},
      {review(R"({"metadata":7})"), "metadata"}};
  for (const auto& [body, expected] : cases) {
    const auto request = read_review(body);
    ASSERT_FALSE(request) << body;
    EXPECT_THAT(request.error().message, HasSubstr(expected)) << body;
  }
}

TEST(PodPatch, SetsAnnotationsAndKeepsOtherAnnotations) {
  PodChanges changes;
  changes.annotations = {{"kse.com/scheduled-hosts", R"(["a"])"}, {"odd~/key", "x"}};
  for (const char* pod : {R"({"metadata":{"name":"p"}})", R"({"metadata":{"name":"p","annotations":{}}})",
                          R"({"metadata":{"name":"p","annotations":null}})"}) {
    const json::value made = patched(pod, changes);
    const auto& annotations = made.at("metadata").at("annotations").as_object();
    EXPECT_EQ(annotations.at("kse.com/scheduled-hosts").as_string(), R"(["a"])") << pod;
    EXPECT_EQ(annotations.at("odd~/key").as_string(), "x") << pod;
  }
  const json::value kept = patched(
      R"({"metadata":{"name":"p","annotations":{"theirs":"1","a/b":"2","kse.com/scheduled-hosts":"old"}}})", changes);
  const auto& annotations = kept.at("metadata").at("annotations").as_object();
  EXPECT_EQ(annotations.at("theirs").as_string(), "1");
  EXPECT_EQ(annotations.at("a/b").as_string(), "2");
  EXPECT_EQ(annotations.at("kse.com/scheduled-hosts").as_string(), R"(["a"])");
}

std::string fields_of(const json::value& pod, std::size_t term) {
  const json::object& one = pod.at("spec")
                                .at("affinity")
                                .at("nodeAffinity")
                                .at("requiredDuringSchedulingIgnoredDuringExecution")
                                .at("nodeSelectorTerms")
                                .at(term)
                                .as_object();
  const json::value* fields = one.if_contains("matchFields");
  return fields == nullptr ? "null" : json::serialize(*fields);
}

constexpr const char* kNotA = R"({"key":"metadata.name","operator":"NotIn","values":["a"]})";
constexpr const char* kNotB = R"({"key":"metadata.name","operator":"NotIn","values":["b"]})";

TEST(PodAffinity, ExcludesEachNodeByNameForAnyExistingAffinity) {
  PodChanges changes;
  changes.not_on = {"a", "b"};
  for (const char* spec :
       {R"({})", R"({"affinity":{}})", R"({"affinity":{"podAffinity":{}}})", R"({"affinity":{"nodeAffinity":{}}})",
        R"({"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[]}}})"}) {
    const json::value made = patched(fmt::format(R"({{"metadata":{{"name":"p"}},"spec":{}}})", spec), changes);
    EXPECT_EQ(fields_of(made, 0), fmt::format("[{},{}]", kNotA, kNotB)) << spec;
  }
}

TEST(PodAffinity, ExcludesNodesInEveryTermExceptEmptyTerms) {
  PodChanges changes;
  changes.not_on = {"a"};
  const json::value made = patched(
      R"({"metadata":{"name":"p"},"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
      {"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"Exists"}]},{},
      {"matchFields":[{"key":"metadata.name","operator":"In","values":["c"]}]}]}}}}})",
      changes);
  EXPECT_EQ(fields_of(made, 0), fmt::format("[{}]", kNotA));
  EXPECT_EQ(fields_of(made, 1), "null") << "an empty term selects no node, and that must not change";
  EXPECT_EQ(fields_of(made, 2), fmt::format(R"([{{"key":"metadata.name","operator":"In","values":["c"]}},{}])", kNotA));
}

TEST(PodAffinity, PrefersANodeAndKeepsOtherPreferencesAndExclusions) {
  const auto preferences = [](const json::value& pod) {
    return pod.at("spec").at("affinity").at("nodeAffinity").at("preferredDuringSchedulingIgnoredDuringExecution");
  };
  constexpr const char* kToT =
      R"({"weight":100,"preference":{"matchFields":[{"key":"metadata.name","operator":"In","values":["t"]}]}})";
  constexpr const char* kTheirs = R"({"weight":7,"preference":{"matchExpressions":[{"key":"k","operator":"Exists"}]}})";
  for (const bool forbids : {false, true}) {
    PodChanges changes;
    changes.rather_on = "t";
    if (forbids) changes.not_on = {"a"};
    for (const char* spec :
         {R"({})", R"({"affinity":{}})", R"({"affinity":{"podAffinity":{}}})", R"({"affinity":{"nodeAffinity":{}}})",
          R"({"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[]}}})"}) {
      const json::value made = patched(fmt::format(R"({{"metadata":{{"name":"p"}},"spec":{}}})", spec), changes);
      EXPECT_EQ(json::serialize(preferences(made)), fmt::format("[{}]", kToT)) << spec;
      if (forbids) {
        EXPECT_EQ(fields_of(made, 0), fmt::format("[{}]", kNotA)) << spec;
      }
    }
    const json::value made = patched(
        fmt::format(
            R"({{"metadata":{{"name":"p"}},"spec":{{"affinity":{{"nodeAffinity":{{"preferredDuringSchedulingIgnoredDuringExecution":[{}]}}}}}}}})",
            kTheirs),
        changes);
    EXPECT_EQ(json::serialize(preferences(made)), fmt::format("[{},{}]", kTheirs, kToT));
  }
}

TEST(PodAffinity, PrefersEveryNodeToTheNodeToAvoid) {
  PodChanges changes;
  changes.rather_on = "t";
  changes.rather_not_on = "s";
  constexpr const char* kBoth =
      R"([{"weight":100,"preference":{"matchFields":[{"key":"metadata.name","operator":"In","values":["t"]}]}},)"
      R"({"weight":50,"preference":{"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["s"]}]}}])";
  constexpr const char* kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const json::value made = patched(R"({"metadata":{"name":"p"},"spec":{}})", changes);
  EXPECT_EQ(json::serialize(made.at("spec").at("affinity").at("nodeAffinity").at(kPreferred)), kBoth);
  const json::value kept = patched(
      R"({"metadata":{"name":"p"},"spec":{"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":
      [{"weight":7,"preference":{"matchExpressions":[{"key":"k","operator":"Exists"}]}}]}}}})",
      changes);
  EXPECT_EQ(kept.at("spec").at("affinity").at("nodeAffinity").at(kPreferred).as_array().size(), 3U);
}

RC_GTEST_PROP(AdmissionReviewProperty, CorruptedReviewsAreReadOrRefusedWithAMessage, (const std::string& noise)) {
  std::string body = review(R"({"metadata":{"name":"p"}})");
  const std::size_t at = *rc::gen::inRange<std::size_t>(0, body.size());
  body.replace(at, std::min<std::size_t>(noise.size(), body.size() - at), noise);
  const auto request = read_review(body);
  RC_ASSERT(request.has_value() || !request.error().message.empty());
}

}  // namespace
}  // namespace rescheduler::server
