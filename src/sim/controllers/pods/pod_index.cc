#include "sim/controllers/pods/pod_index.h"

#include <algorithm>

#include "base/check.h"
#include "cluster/objects/pods.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::sim {

namespace {

PodPhase phase_of(std::string_view text) {
  if (text == "Pending") return PodPhase::Pending;
  if (text == "Running") return PodPhase::Running;
  if (text == "Succeeded") return PodPhase::Succeeded;
  if (text == "Failed") return PodPhase::Failed;
  return text.empty() ? PodPhase::None : PodPhase::Unknown;
}

// The node of the pod's required affinity, for pods of DaemonSets.
std::string_view pinned_node(const api::Pod& pod) {
  const auto& terms =
      pod.spec().affinity().node_affinity().required_during_scheduling_ignored_during_execution().node_selector_terms();
  for (const auto& term : terms) {
    for (const auto& field : term.match_fields()) {
      if (field.key() == "metadata.name" && field.operator_() == "In" && field.values_size() == 1) {
        return field.values(0);
      }
    }
  }
  return {};
}

std::int32_t sidecar_restarts(const api::Pod& pod) {
  std::int32_t most = 0;
  for (const auto& status : pod.status().init_container_statuses()) {
    const bool stays = std::ranges::any_of(pod.spec().init_containers(), [&status](const api::Container& container) {
      return container.name() == status.name() && container.restart_policy() == "Always";
    });
    if (stays) most = std::max(most, status.restart_count());
  }
  return most;
}

void append(std::vector<PodView*>& list, PodView& view, std::uint32_t& place) {
  place = static_cast<std::uint32_t>(list.size());
  list.push_back(&view);
}

// The last element moves to the position of the removed one.
void take_out(std::vector<PodView*>& list, std::uint32_t place, std::uint32_t PodView::* where) {
  list[place] = list.back();
  list[place]->*where = place;
  list.pop_back();
}

PodIndex::Pods as_pods(const std::vector<PodView*>& list) { return {list.data(), list.size()}; }

}  // namespace

std::optional<std::string_view> LabelSet::find(std::string_view key) const {
  const auto found =
      std::ranges::lower_bound(pairs, key, {}, [](const auto& pair) -> std::string_view { return pair.first; });
  if (found == pairs.end() || found->first != key) return std::nullopt;
  return std::string_view(found->second);
}

PodIndex::PodIndex(Server& server) {
  const Kind& kind = server.kinds().of<api::Pod>();
  server.store().for_each(kind, "", "", [this](const VersionPtr& version) {
    take_in(Change{version->number(), Change::What::Added, nullptr, version});
    return true;
  });
  subscription_ = server.store().subscribe(&kind, [this](const Change& change) { take_in(change); });
}

PodIndex::~PodIndex() = default;

const PodView* PodIndex::find(std::string_view ns, std::string_view name) const {
  const auto space = namespaces_.find(ns);
  if (space == namespaces_.end()) return nullptr;
  const auto found = space->second.by_name.find(name);
  return found == space->second.by_name.end() ? nullptr : found->second.get();
}

PodIndex::Pods PodIndex::of_owner(std::string_view controller_uid) const {
  const auto found = by_owner_.find(controller_uid);
  return found == by_owner_.end() ? Pods{} : as_pods(found->second);
}

PodIndex::Pods PodIndex::on_node(std::string_view node) const {
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? Pods{} : as_pods(found->second);
}

void PodIndex::collect(std::string_view ns,
                       const kube::LabelSelector& selector,
                       std::vector<PodView*> Group::* which,
                       std::vector<const PodView*>& into) const {
  const auto from = [&](const Namespace& space) {
    for (const auto& [labels, group] : space.groups) {
      if ((group.*which).empty() || !selector.matches(labels->lookup())) continue;
      into.insert(into.end(), (group.*which).begin(), (group.*which).end());
    }
  };
  if (ns.empty()) {
    for (const auto& [name, space] : namespaces_) from(space);
  } else if (const auto space = namespaces_.find(ns); space != namespaces_.end()) {
    from(space->second);
  }
}

std::vector<const PodView*> PodIndex::select(std::string_view ns, const kube::LabelSelector& selector) const {
  std::vector<const PodView*> found;
  collect(ns, selector, &Group::pods, found);
  return found;
}

std::vector<const PodView*> PodIndex::orphans(std::string_view ns, const kube::LabelSelector& selector) const {
  std::vector<const PodView*> found;
  collect(ns, selector, &Group::orphans, found);
  return found;
}

PodIndex::Subscription PodIndex::subscribe(Listener listener) {
  auto kept = std::make_shared<const Listener>(std::move(listener));
  std::erase_if(listeners_, [](const auto& known) { return known.expired(); });
  listeners_.push_back(kept);
  return kept;
}

void PodIndex::notify(const PodView* before, const PodView* after) {
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    if (const Subscription listener = listeners_[i].lock()) (*listener)(before, after);
  }
}

PodIndex::Namespace& PodIndex::namespace_of(std::string_view ns) {
  const auto found = namespaces_.find(ns);
  if (found != namespaces_.end()) return found->second;
  Namespace& space = namespaces_[std::string(ns)];
  space.name = ns;
  return space;
}

void PodIndex::take_in(const Change& change) {
  const auto pod = change.after->as<api::Pod>();
  const api::ObjectMeta& metadata = pod->metadata();
  Namespace& space = namespace_of(metadata.namespace_());
  if (change.what == Change::What::Added) {
    auto view = std::make_unique<PodView>();
    view->ns_ = &space.name;
    view->text_.reserve(metadata.name().size() + metadata.uid().size());
    view->text_.append(metadata.name()).append(metadata.uid());
    view->name_size_ = static_cast<std::uint16_t>(metadata.name().size());
    fill(*view, *pod, nullptr);
    PodView& added = *view;
    space.by_name.emplace(added.name(), std::move(view));
    ++size_;
    link(added);
    notify(nullptr, &added);
    return;
  }
  const auto found = space.by_name.find(metadata.name());
  RESCHEDULER_CHECK(found != space.by_name.end(), "pod {} changed but was never added", metadata.name());
  PodView& view = *found->second;
  if (change.what == Change::What::Deleted) {
    unlink(view);
    const std::unique_ptr<PodView> gone = std::move(found->second);
    space.by_name.erase(found);
    --size_;
    notify(gone.get(), nullptr);
    return;
  }
  const PodView before = view;
  fill(view, *pod, &before);
  if (view.owner_ != before.owner_ || view.labels_ != before.labels_ || view.bound_ != before.bound_
      || view.node_ != before.node_) {
    unlink(before);
    link(view);
  }
  notify(&before, &view);
}

void PodIndex::fill(PodView& view, const api::Pod& pod, const PodView* before) {
  const api::ObjectMeta& metadata = pod.metadata();
  view.owner_ = owner_of(metadata, before);
  view.labels_ = labels_of(metadata, before);
  view.bound_ = !pod.spec().node_name().empty();
  const std::string_view node = view.bound_ ? std::string_view(pod.spec().node_name()) : pinned_node(pod);
  if (!view.node_ || *view.node_ != node) view.node_ = node.empty() ? nullptr : node_of(node);
  view.created_ = metadata.creation_timestamp().seconds();
  view.deletes_at_ = metadata.deletion_timestamp().seconds();
  view.has_finalizers_ = metadata.finalizers_size() > 0;
  view.deletion_cost_ = cluster::deletion_cost_of(metadata);
  view.phase_ = phase_of(pod.status().phase());
  view.ready_ = false;
  view.ready_since_ = 0;
  for (const auto& condition : pod.status().conditions()) {
    if (condition.type() != "Ready") continue;
    view.ready_ = condition.status() == "True";
    view.ready_since_ = condition.last_transition_time().seconds();
  }
  view.restarts_ = 0;
  for (const auto& container : pod.status().container_statuses()) {
    view.restarts_ = std::max(view.restarts_, container.restart_count());
  }
  view.sidecar_restarts_ = sidecar_restarts(pod);
}

OwnerPtr PodIndex::owner_of(const api::ObjectMeta& metadata, const PodView* before) {
  for (const auto& reference : metadata.owner_references()) {
    if (!reference.controller()) continue;
    if (before && before->owner_uid() == reference.uid()) return before->owner_;
    sweep();
    OwnerPtr& owner = owners_[reference.uid()];
    if (!owner) {
      owner = std::make_shared<const Owner>(
          Owner{reference.uid(), reference.api_version(), reference.kind(), reference.name()});
    }
    return owner;
  }
  return nullptr;
}

LabelSetPtr PodIndex::labels_of(const api::ObjectMeta& metadata, const PodView* before) {
  const auto& labels = metadata.labels();
  if (before && before->labels().pairs.size() == labels.size()
      && std::ranges::all_of(before->labels().pairs, [&labels](const auto& pair) {
           const auto found = labels.find(pair.first);
           return found != labels.end() && found->second == pair.second;
         })) {
    return before->labels_;
  }
  sweep();
  auto set = std::make_shared<LabelSet>();
  set->pairs.assign(labels.begin(), labels.end());
  std::ranges::sort(set->pairs);
  const LabelSetPtr made = std::move(set);
  return label_sets_.emplace(made, made).first->second;
}

PodIndex::Shared PodIndex::node_of(std::string_view name) {
  const auto found = nodes_.find(name);
  if (found != nodes_.end()) return found->second;
  return nodes_[std::string(name)] = std::make_shared<const std::string>(name);
}

void PodIndex::sweep() {
  if (owners_.size() + label_sets_.size() + nodes_.size() < sweep_at_) return;
  std::erase_if(owners_, [](const auto& entry) { return entry.second.use_count() == 1; });
  std::erase_if(label_sets_, [](const auto& entry) { return entry.second.use_count() == 2; });  // key and value
  std::erase_if(nodes_, [](const auto& entry) { return entry.second.use_count() == 1; });
  sweep_at_ = std::max<std::size_t>(1024, 2 * (owners_.size() + label_sets_.size() + nodes_.size()));
}

std::vector<PodView*>& PodIndex::owner_list(const PodView& view) {
  if (view.owner_) return by_owner_[view.owner_->uid];
  return namespaces_.find(view.ns())->second.groups[view.labels_].orphans;
}

void PodIndex::link(PodView& view) {
  append(namespaces_.find(view.ns())->second.groups[view.labels_].pods, view, view.at_labels_);
  append(owner_list(view), view, view.at_owner_);
  if (view.bound_) append(by_node_[*view.node_], view, view.at_node_);
}

void PodIndex::unlink(const PodView& view) {
  auto& groups = namespaces_.find(view.ns())->second.groups;
  take_out(owner_list(view), view.at_owner_, &PodView::at_owner_);
  if (view.owner_ && by_owner_[view.owner_->uid].empty()) by_owner_.erase(view.owner_->uid);
  const auto group = groups.find(view.labels_);
  take_out(group->second.pods, view.at_labels_, &PodView::at_labels_);
  if (group->second.pods.empty()) groups.erase(group);
  if (view.bound_) {
    const auto node = by_node_.find(*view.node_);
    take_out(node->second, view.at_node_, &PodView::at_node_);
    if (node->second.empty()) by_node_.erase(node);
  }
}

}  // namespace rescheduler::sim
