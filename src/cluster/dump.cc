#include "cluster/dump.h"

#include <algorithm>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "cluster/feed.h"
#include "cluster/objects/pods.h"
#include "kube/codec/json.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cluster {
namespace {

std::string_view text_of(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view{};
}

}  // namespace

void take_object(const google::protobuf::Message& object, Cluster& into, Dump& dump) {
  apply(object, FeedAction::Upsert, into);
  if (object.GetDescriptor() != api::Pod::descriptor()) return;
  const auto& pod = static_cast<const api::Pod&>(object);
  if (is_finished(pod) || !pod.spec().node_name().empty()) return;
  auto waiting = std::make_shared<api::Pod>(pod);
  waiting->mutable_metadata()->set_uid(uid_of(pod));
  dump.waiting.push_back(std::move(waiting));
}

Result<Dump> read_dump(std::string_view text, Cluster& into) {
  boost::system::error_code problem;
  const boost::json::value document = boost::json::parse(text, problem);
  if (problem)
    return fail(Errc::Invalid, "not JSON: {}; give the output of `kubectl get ... -o json`", problem.message());
  const auto* list = document.if_object();
  const auto* items = list == nullptr ? nullptr : list->if_contains("items");
  if (items == nullptr || !items->is_array()) {
    return fail(Errc::Invalid, "no list of objects found; give the output of `kubectl get ... -o json`");
  }
  Dump dump;
  dump.pod = text_of(*list, "pod");
  if (const auto* start = list->if_contains("nextStartNodeIndex"); start != nullptr && start->is_int64()) {
    dump.next_start = static_cast<std::size_t>(start->get_int64());
  }
  for (const boost::json::value& item : items->get_array()) {
    const auto* object = item.if_object();
    if (object == nullptr) return fail(Errc::Invalid, "the list contains an item that is not an object");
    const auto kind_name = text_of(*object, "kind");
    const kube::ResourceType* kind = kube::find_type(text_of(*object, "apiVersion"), kind_name);
    if (std::ranges::find(model_kinds(), kind) == model_kinds().end()) {
      dump.skipped.emplace_back(kind_name);
      continue;
    }
    const auto message = kind->make();
    if (auto read = kube::from_json(boost::json::serialize(item), *message); !read) {
      return fail(std::move(read.error()).within(fmt::format("an object of kind {}", kind_name)));
    }
    take_object(*message, into, dump);
  }
  return dump;
}

}  // namespace rescheduler::cluster
