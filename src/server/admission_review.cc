#include "server/admission_review.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kube/codec/json_text.h"
#include "kube/codec/json_value.h"
#include "kube/value/base64.h"

namespace rescheduler::server {
namespace {

namespace json = boost::json;

constexpr std::string_view kVersions[] = {"admission.k8s.io/v1", "admission.k8s.io/v1beta1"};

std::string text(const json::object& from, std::string_view field) {
  const json::value* value = from.if_contains(json::string_view(field.data(), field.size()));
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

const json::object* object(const json::object& from, std::string_view field) {
  const json::value* value = from.if_contains(json::string_view(field.data(), field.size()));
  return value != nullptr ? value->if_object() : nullptr;
}

// Escapes a key for a JSON pointer.
std::string escaped(std::string_view key) {
  std::string step;
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

void add(json::array& patch, std::string path, json::value value) {
  patch.push_back(json::object{{"op", "add"}, {"path", std::move(path)}, {"value", std::move(value)}});
}

void annotate(const api::Pod& pod, const PodChanges& changes, json::array& patch) {
  if (changes.annotations.empty()) return;
  if (pod.metadata().annotations().empty()) {
    json::object all;
    for (const auto& [key, value] : changes.annotations) all[key] = value;
    return add(patch, "/metadata/annotations", std::move(all));
  }
  for (const auto& [key, value] : changes.annotations)
    add(patch, "/metadata/annotations/" + escaped(key), json::value(value));
}

// The API server accepts one value per requirement on metadata.name.
json::array requirements(const std::vector<std::string>& nodes) {
  json::array all;
  for (const std::string& node : nodes) {
    all.push_back(json::object{{"key", "metadata.name"}, {"operator", "NotIn"}, {"values", json::array{node}}});
  }
  return all;
}

void keep_off(const api::Pod& pod, const std::vector<std::string>& nodes, json::array& patch) {
  if (nodes.empty()) return;
  json::object term{{"matchFields", requirements(nodes)}};
  json::object required{{"nodeSelectorTerms", json::array{std::move(term)}}};
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  json::object affinity;
  affinity[json::string_view(kRequired.data(), kRequired.size())] = required;
  const api::Affinity& has = pod.spec().affinity();
  if (!pod.spec().has_affinity()) {
    return add(patch, "/spec/affinity", json::object{{"nodeAffinity", std::move(affinity)}});
  }
  if (!has.has_node_affinity()) return add(patch, "/spec/affinity/nodeAffinity", std::move(affinity));
  const std::string path = fmt::format("/spec/affinity/nodeAffinity/{}", kRequired);
  const api::NodeAffinity& node_affinity = has.node_affinity();
  if (!node_affinity.has_required_during_scheduling_ignored_during_execution()) {
    return add(patch, path, std::move(required));
  }
  // Terms are ORed, so each term must exclude the nodes. An empty term matches no node; a requirement would make it
  // match, so it stays empty.
  const auto& terms = node_affinity.required_during_scheduling_ignored_during_execution().node_selector_terms();
  for (int i = 0; i < terms.size(); ++i) {
    if (terms[i].match_expressions().empty() && terms[i].match_fields().empty()) continue;
    const std::string fields = fmt::format("{}/nodeSelectorTerms/{}/matchFields", path, i);
    if (terms[i].match_fields().empty()) {
      add(patch, fields, requirements(nodes));
      continue;
    }
    for (json::value& one : requirements(nodes)) add(patch, fields + "/-", std::move(one));
  }
}

// A scheduler weighs these preferences like any other node affinity preference. If the node is not feasible, the
// preference has no effect. A node to avoid is a preference for all other nodes, because weights are positive.
json::array preferences(const PodChanges& changes) {
  json::array terms;
  const auto prefer = [&](const std::string& node, const char* op, int weight) {
    if (node.empty()) return;
    json::object field{{"key", "metadata.name"}, {"operator", op}, {"values", json::array{node}}};
    terms.push_back(
        json::object{{"weight", weight}, {"preference", json::object{{"matchFields", json::array{std::move(field)}}}}});
  };
  prefer(changes.rather_on, "In", 100);
  prefer(changes.rather_not_on, "NotIn", 50);
  return terms;
}

void lean_to(const api::Pod& pod, const PodChanges& changes, json::array& patch) {
  json::array terms = preferences(changes);
  if (terms.empty()) return;
  constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
  json::object affinity;
  affinity[json::string_view(kPreferred.data(), kPreferred.size())] = terms;
  const bool made = !changes.not_on.empty();  // keep_off() has added a node affinity if the pod had none
  if (!made && !pod.spec().has_affinity()) {
    return add(patch, "/spec/affinity", json::object{{"nodeAffinity", std::move(affinity)}});
  }
  const api::NodeAffinity& has = pod.spec().affinity().node_affinity();
  if (!made && !pod.spec().affinity().has_node_affinity()) {
    return add(patch, "/spec/affinity/nodeAffinity", std::move(affinity));
  }
  const std::string path = fmt::format("/spec/affinity/nodeAffinity/{}", kPreferred);
  if (has.preferred_during_scheduling_ignored_during_execution().empty()) {
    return add(patch, path, std::move(terms));
  }
  for (json::value& term : terms) add(patch, path + "/-", std::move(term));
}

}  // namespace

Result<AdmissionRequest> read_review(std::string_view body) {
  auto parsed = kube::parse_json(body, {});
  if (!parsed) return fail(std::move(parsed.error()));
  const json::object* review = parsed->if_object();
  if (review == nullptr) return fail(Errc::Invalid, "an AdmissionReview must be a JSON object");
  AdmissionRequest asked;
  asked.api_version = text(*review, "apiVersion");
  if (text(*review, "kind") != "AdmissionReview") {
    return fail(Errc::Invalid, "the body must be an AdmissionReview, not a '{}'", text(*review, "kind"));
  }
  if (std::ranges::find(kVersions, asked.api_version) == std::end(kVersions)) {
    return fail(Errc::Invalid, "the apiVersion must be {} or {}, not '{}'", kVersions[0], kVersions[1],
                asked.api_version);
  }
  const json::object* request = object(*review, "request");
  if (request == nullptr) return fail(Errc::Invalid, "the AdmissionReview has no request");
  asked.uid = text(*request, "uid");
  if (asked.uid.empty()) return fail(Errc::Invalid, "the request has no uid");
  const json::object* resource = object(*request, "resource");
  const bool pods = resource != nullptr && text(*resource, "resource") == "pods" && text(*resource, "group").empty();
  if (!pods || text(*request, "operation") != "CREATE" || !text(*request, "subResource").empty()) return asked;
  const json::value* dry_run = request->if_contains("dryRun");
  asked.dry_run = dry_run != nullptr && dry_run->is_bool() && dry_run->get_bool();
  const json::value* pod = request->if_contains("object");
  if (pod == nullptr || !pod->is_object()) return fail(Errc::Invalid, "the request has no object");
  auto read = kube::from_json_value(*pod, asked.pod);
  if (!read) return fail(std::move(read.error()));
  if (asked.pod.metadata().namespace_().empty()) {
    asked.pod.mutable_metadata()->set_namespace_(text(*request, "namespace"));
  }
  asked.new_pod = true;
  return asked;
}

std::string patch_for(const api::Pod& pod, const PodChanges& changes) {
  json::array patch;
  annotate(pod, changes, patch);
  keep_off(pod, changes.not_on, patch);
  lean_to(pod, changes, patch);
  return patch.empty() ? std::string() : json::serialize(patch);
}

std::string write_review(const AdmissionRequest& asked, const std::string& patch) {
  json::object response{{"uid", asked.uid}, {"allowed", true}};
  if (!patch.empty()) {
    response["patchType"] = "JSONPatch";
    response["patch"] = kube::base64_encode(patch);
  }
  return json::serialize(
      json::object{{"apiVersion", asked.api_version}, {"kind", "AdmissionReview"}, {"response", std::move(response)}});
}

}  // namespace rescheduler::server
