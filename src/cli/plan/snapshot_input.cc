#include "cli/plan/snapshot_input.h"

#include <algorithm>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "cluster/feed.h"
#include "kube/client/client.h"
#include "kube/codec/json.h"
#include "kube/codec/json_value.h"
#include "kube/config/yaml.h"
#include "kube/config/yaml_json.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/metrics.pb.h"
#include "kube/value/quantity.h"
#include "kube/value/time.h"
#include "usage/metrics_server_source.h"

namespace rescheduler::cli {
namespace {

using google::protobuf::Message;

// Limits for a dump of a large cluster. The limits of configuration files are lower, to catch mistakes.
constexpr kube::YamlLimits kDumpLimits{.text_bytes = std::size_t{2} << 30U, .nodes = 500'000'000, .depth = 200};

double amount_of(const google::protobuf::Map<std::string, api::Quantity>& usage, const std::string& resource) {
  const auto found = usage.find(resource);
  if (found == usage.end()) return cluster::kUnknownLoad;
  const auto amount = kube::Quantity::parse(found->second.string());
  return amount ? amount->to_double() : cluster::kUnknownLoad;
}

// In cores and bytes; they become shares when all nodes are known.
void take_node_metrics(const api::NodeMetrics& metrics, SnapshotInput& into) {
  usage::Sample sample{.node = metrics.metadata().name(), .at = kube::wall_time(metrics.timestamp())};
  into.newest = std::max(into.newest, sample.at);
  for (const auto& [resource, name] :
       {std::pair{cluster::kCpuLoad, "cpu"}, std::pair{cluster::kMemoryLoad, "memory"}}) {
    sample.resource = resource;
    sample.value = amount_of(metrics.usage(), name);
    into.measured.samples.push_back(sample);
  }
}

void take(const usage::PodUse& pod, SnapshotInput& into) {
  into.pods[fmt::format("{}/{}", pod.ns, pod.name)] = {pod.cpu, pod.memory};
}

void take(const Message& object, SnapshotInput& into) {
  const auto* what = object.GetDescriptor();
  if (what == api::NodeMetrics::descriptor())
    return take_node_metrics(static_cast<const api::NodeMetrics&>(object), into);
  if (what == api::PodMetrics::descriptor()) {
    return take(usage::pod_use_of(static_cast<const api::PodMetrics&>(object)), into);
  }
  if (what == api::Node::descriptor()) {
    const auto& node = static_cast<const api::Node&>(object);
    into.nodes.push_back(usage::node_identity_of(node));
    for (const api::NodeCondition& one : node.status().conditions()) {
      into.newest = std::max(into.newest, kube::wall_time(one.last_heartbeat_time()));
    }
  }
  if (what == api::Pod::descriptor()) {
    const auto& pod = static_cast<const api::Pod&>(object);
    const auto& meta = pod.metadata();
    into.newest =
        std::max({into.newest, kube::wall_time(meta.creation_timestamp()), kube::wall_time(pod.status().start_time())});
    const std::string name = fmt::format("{}/{}", meta.namespace_(), meta.name());
    into.uids[name] = meta.uid().empty() ? name : meta.uid();
  }
  into.snapshot.upsert(object);
}

bool is_wanted(const kube::ResourceType* kind) {
  if (kind == nullptr) return false;
  if (kind->message == api::NodeMetrics::descriptor() || kind->message == api::PodMetrics::descriptor()) return true;
  return std::ranges::find(rescheduling::Snapshot::kinds(), kind) != rescheduling::Snapshot::kinds().end();
}

std::string_view text_of(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view{};
}

Result<void> take_value(const boost::json::value& value, SnapshotInput& into) {
  const auto* object = value.if_object();
  if (object == nullptr) return fail(Errc::Invalid, "an item is not a JSON object");
  if (const auto* items = object->if_contains("items"); items != nullptr && items->is_array()) {
    for (const boost::json::value& item : items->get_array()) {
      if (auto done = take_value(item, into); !done) return done;
    }
    return {};
  }
  const std::string_view kind_name = text_of(*object, "kind");
  if (kind_name.empty()) {
    return fail(Errc::Invalid, "no list of objects found; give the output of `kubectl get ... -o json`");
  }
  const kube::ResourceType* kind = kube::find_type(text_of(*object, "apiVersion"), kind_name);
  if (!is_wanted(kind)) {
    ++into.skipped;
    return {};
  }
  const auto message = kind->make();
  if (auto read = kube::from_json_value(value, *message); !read) {
    return fail(std::move(read.error()).within(fmt::format("an object of kind {}", kind_name)));
  }
  take(*message, into);
  return {};
}

Result<void> take_json(std::string_view text, SnapshotInput& into) {
  boost::system::error_code problem;
  const boost::json::value document = boost::json::parse(text, problem);
  if (problem) return fail(Errc::Invalid, "not JSON: {}", problem.message());
  return take_value(document, into);
}

}  // namespace

Result<void> read_dump(std::string_view text, std::string_view file, SnapshotInput& into) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return fail(Errc::Invalid, "{}: the file is empty", file);
  if (text[first] == '{') {
    auto done = take_json(text, into);
    if (!done) return fail(std::move(done.error()).within(std::string(file)));
    return {};
  }
  const auto documents = kube::parse_yaml_documents(text, file, kDumpLimits);
  if (!documents) return fail(documents.error());
  for (const kube::YamlNode& document : *documents) {
    auto done = take_value(kube::yaml_value(document), into);
    if (!done) return fail(std::move(done.error()).within(std::string(file)));
  }
  return {};
}

net::Task<Result<void>> read_live(kube::Api& api, SnapshotInput& into, std::vector<std::string>& notes) {
  kube::Client client(api);
  const auto& needed = cluster::model_kinds();
  for (const kube::ResourceType* kind : rescheduling::Snapshot::kinds()) {
    const std::string everywhere;
    auto objects = co_await client.list_any(*kind, everywhere);
    if (!objects && std::ranges::find(needed, kind) != needed.end()) co_return fail(std::move(objects.error()));
    if (!objects) {
      notes.push_back(fmt::format("{} could not be read: {}", kind->plural, objects.error().message));
      continue;
    }
    for (const kube::ObjectPtr& object : *objects) take(*object, into);
  }
  co_return Result<void>{};
}

}  // namespace rescheduler::cli
