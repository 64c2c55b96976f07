// The past templates of a StatefulSet or DaemonSet, stored as ControllerRevisions. kubectl rollout history and undo
// read them.
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
  // `hash_label` is the label of a revision that has its hash.
  RevisionHistory(Server& server, std::string_view hash_label);

  // Lowest revision number first. Adopts matching orphans.
  std::vector<RevisionPtr> of(const Message& owner, const kube::LabelSelector& selector);

  // The revision for this template, which gets the highest number. An existing revision gets a new number if there are
  // later ones. Else a new revision is added to `revisions`. If the name of the new revision is taken, increments
  // `collision_count` and returns the error.
  ApiResult<RevisionPtr> newest(const Message& owner,
                                const api::PodTemplateSpec& pod_template,
                                std::vector<RevisionPtr>& revisions,
                                std::int32_t& collision_count);

  // Deletes the oldest unused revisions until at most `limit` unused ones are left.
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
