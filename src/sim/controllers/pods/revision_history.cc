#include "sim/controllers/pods/revision_history.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "kube/codec/json.h"
#include "kube/codec/json_value.h"
#include "kube/codec/metadata.h"
#include "kube/proto/apps.pb.h"
#include "sim/controllers/pods/ownership.h"
#include "sim/controllers/pods/pod_template.h"

namespace rescheduler::sim {

namespace {

// A strategic merge patch that replaces the template.
std::string patch_to(const api::PodTemplateSpec& pod_template) {
  boost::json::object spec = boost::json::parse(kube::to_json(pod_template)).as_object();
  spec["$patch"] = "replace";
  return boost::json::serialize(boost::json::object{{"spec", boost::json::object{{"template", std::move(spec)}}}});
}

std::int64_t next_number(const std::vector<RevisionPtr>& revisions) {
  return revisions.empty() ? 1 : revisions.back()->revision() + 1;
}

void sort_by_number(std::vector<RevisionPtr>& revisions) {
  std::ranges::sort(revisions, {}, [](const RevisionPtr& revision) {
    return std::tuple(revision->revision(), revision->metadata().creation_timestamp().seconds(), name_of(revision));
  });
}

}  // namespace

const std::string& name_of(const RevisionPtr& revision) { return revision->metadata().name(); }

std::string RevisionHistory::hash_of(const RevisionPtr& revision) const {
  const auto found = revision->metadata().labels().find(hash_label_);
  return found == revision->metadata().labels().end() ? std::string() : found->second;
}

api::PodTemplateSpec template_in(const api::ControllerRevision& revision) {
  api::PodTemplateSpec pod_template;
  boost::system::error_code failed;
  const boost::json::value data = boost::json::parse(revision.data().raw(), failed);
  if (failed || !data.is_object()) return pod_template;
  const boost::json::value* found = data.find_pointer("/spec/template", failed);
  if (found != nullptr) static_cast<void>(kube::from_json_value(*found, pod_template));
  return pod_template;
}

RevisionHistory::RevisionHistory(Server& server, std::string_view hash_label)
    : server_(server), hash_label_(hash_label), index_(server, server.kinds().of<api::ControllerRevision>()) {}

std::vector<RevisionPtr> RevisionHistory::of(const Message& owner, const kube::LabelSelector& selector) {
  const api::ObjectMeta& metadata = kube::metadata_of(owner);
  std::vector<std::string> names;
  std::vector<std::string> orphans;
  for (const OwnedIndex::Entry* entry : index_.of_owner(metadata.uid())) names.push_back(entry->name);
  if (!metadata.has_deletion_timestamp()) {
    for (const OwnedIndex::Entry* entry : index_.orphans(metadata.namespace_(), selector)) {
      orphans.push_back(entry->name);
    }
  }
  for (const std::string& name : orphans) {
    const auto adopted = server_.modify<api::ControllerRevision>(
        metadata.namespace_(), name, [&owner](api::ControllerRevision& revision) {
          static_cast<void>(add_controller(*revision.mutable_metadata(), controller_reference(owner)));
        });
    if (adopted) names.push_back(name);
  }
  std::vector<RevisionPtr> revisions;
  for (const std::string& name : names) {
    if (auto revision = server_.find<api::ControllerRevision>(metadata.namespace_(), name)) {
      revisions.push_back(std::move(revision));
    }
  }
  sort_by_number(revisions);
  return revisions;
}

ApiResult<RevisionPtr> RevisionHistory::newest(const Message& owner,
                                               const api::PodTemplateSpec& pod_template,
                                               std::vector<RevisionPtr>& revisions,
                                               std::int32_t& collision_count) {
  const std::string patch = patch_to(pod_template);
  const auto same = [&patch](const RevisionPtr& revision) { return revision->data().raw() == patch; };
  const auto known = std::ranges::find_if(revisions.rbegin(), revisions.rend(), same);
  const api::ObjectMeta& metadata = kube::metadata_of(owner);
  if (known != revisions.rend()) {
    if (known == revisions.rbegin()) return *known;
    const std::int64_t number = next_number(revisions);
    auto raised = server_.modify<api::ControllerRevision>(
        metadata.namespace_(), name_of(*known),
        [number](api::ControllerRevision& revision) { revision.set_revision(number); });
    if (!raised) return refuse(std::move(raised.error()));
    *known = *raised;
    sort_by_number(revisions);
    return revisions.back();
  }
  api::ControllerRevision revision;
  const std::string hash = content_hash(patch, collision_count);
  revision.mutable_metadata()->set_namespace_(metadata.namespace_());
  revision.mutable_metadata()->set_name(metadata.name() + "-" + hash);
  *revision.mutable_metadata()->mutable_labels() = pod_template.metadata().labels();
  (*revision.mutable_metadata()->mutable_labels())[hash_label_] = hash;
  *revision.mutable_metadata()->mutable_annotations() = metadata.annotations();
  *revision.mutable_metadata()->add_owner_references() = controller_reference(owner);
  revision.mutable_data()->set_raw(patch);
  revision.set_revision(next_number(revisions));
  auto created = server_.create(revision);
  if (!created) {
    if (created.error().reason == "AlreadyExists") ++collision_count;
    return refuse(std::move(created.error()));
  }
  revisions.push_back(*created);
  return *created;
}

void RevisionHistory::truncate(const std::vector<RevisionPtr>& revisions,
                               const std::set<std::string>& in_use,
                               std::int32_t limit) {
  std::vector<RevisionPtr> old;
  std::ranges::copy_if(revisions, std::back_inserter(old),
                       [&in_use](const RevisionPtr& revision) { return !in_use.contains(name_of(revision)); });
  if (limit < 0 || old.size() <= static_cast<std::size_t>(limit)) return;
  old.resize(old.size() - static_cast<std::size_t>(limit));
  for (const RevisionPtr& revision : old) {
    static_cast<void>(server_.remove(server_.kinds().of<api::ControllerRevision>(), revision->metadata().namespace_(),
                                     name_of(revision), api::DeleteOptions()));
  }
}

}  // namespace rescheduler::sim
