// The templates a StatefulSet or a DaemonSet has had, kept as ControllerRevisions: what kubectl's rollout history and
// undo read.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/value/label_selector.h"
#include "sim/controllers/pods/owned_index.h"
#include "sim/server/server.h"

namespace rescheduler::api {
class ControllerRevision;
class PodTemplateSpec;
}  // namespace rescheduler::api

namespace rescheduler::sim {

using RevisionPtr = std::shared_ptr<const api::ControllerRevision>;

class RevisionHistory {
 public:
  // The label of a revision that carries its hash.
  RevisionHistory(Server& server, std::string_view hash_label);

  // Lowest number first; orphans that match are adopted.
  std::vector<RevisionPtr> of(const Message& owner, const kube::LabelSelector& selector);

  // The revision for this template, which is from then on the one of the highest number: one that is there already (it
  // gets a new number if there are later ones), or a new one, added to `revisions`. A name that is taken by something
  // else raises `collision_count`.
  ApiResult<RevisionPtr> newest(const Message& owner,
                                const api::PodTemplateSpec& pod_template,
                                std::vector<RevisionPtr>& revisions,
                                std::int32_t& collision_count);

  // Removes the oldest that are not in use until no more than `limit` of those are left.
  void truncate(const std::vector<RevisionPtr>& revisions, const std::set<std::string>& in_use, std::int32_t limit);
  std::string hash_of(const RevisionPtr& revision) const;

 private:
  Server& server_;
  std::string hash_label_;
  OwnedIndex index_;
};

const std::string& name_of(const RevisionPtr& revision);
api::PodTemplateSpec template_in(const api::ControllerRevision& revision);

}  // namespace rescheduler::sim
