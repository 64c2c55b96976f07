#include <map>
#include <tuple>
#include <unordered_map>

#include <google/protobuf/message.h>

#include "base/check.h"
#include "sim/kinds/builtin_kinds.h"
#include "sim/kinds/custom/custom_version.h"
#include "sim/kinds/kind.h"
#include "sim/kinds/rules.h"
#include "sim/proto/custom.pb.h"

namespace rescheduler::sim {

MessagePtr Kind::make() const {
  if (type == nullptr) return std::make_unique<CustomObject>();
  return type->make();
}

namespace {

// Group, plural (or kind), version. The string_views point into the Kind.
using Name = std::tuple<std::string_view, std::string_view, std::string_view>;
using Names = std::map<Name, Kind*>;

const Kind* find_in(const Names& names, std::string_view group, std::string_view word, std::string_view version) {
  if (!version.empty()) {
    const auto found = names.find(Name{group, word, version});
    return found == names.end() ? nullptr : found->second;
  }
  const Kind* best = nullptr;
  for (auto it = names.lower_bound(Name{group, word, {}}); it != names.end(); ++it) {
    const auto& [its_group, its_word, its_version] = it->first;
    if (its_group != group || its_word != word) break;
    if (best == nullptr || is_preferred_version(its_version, best->version)) best = it->second;
  }
  return best;
}

}  // namespace

struct KindRegistry::State {
  std::vector<std::unique_ptr<Kind>> kinds;  // never removed
  Names by_plural;                           // served kinds only, as in by_kind
  Names by_kind;
  std::unordered_map<const kube::ResourceType*, const Kind*> by_type;
  std::map<std::tuple<std::string, std::string, std::string>, Kind*> ever_defined;  // group, plural, version
  // The kind under which objects of a custom kind are stored: the first storage version, for ever. So a definition can
  // change its storage version without moving objects.
  std::map<std::pair<std::string, std::string>, Kind*> homes;
  std::uint64_t revision = 1;

  void serve(Kind& kind) {
    by_plural[Name{kind.group, kind.plural, kind.version}] = &kind;
    by_kind[Name{kind.group, kind.kind, kind.version}] = &kind;
  }

  void take_down(const Kind& kind) {
    const auto erase = [&](Names& names, const Name& name) {
      const auto found = names.find(name);
      if (found != names.end() && found->second == &kind) names.erase(found);
    };
    erase(by_plural, Name{kind.group, kind.plural, kind.version});
    erase(by_kind, Name{kind.group, kind.kind, kind.version});
  }

  void take_down_all(std::string_view group, std::string_view plural) {
    for (const auto& [name, kind] : ever_defined) {
      if (std::get<0>(name) == group && std::get<1>(name) == plural) take_down(*kind);
    }
  }

  Kind& keep(Kind kind) {
    kinds.push_back(std::make_unique<Kind>(std::move(kind)));
    return *kinds.back();
  }

  Kind& custom_kind(const std::string& group, const std::string& plural, const std::string& version) {
    Kind*& known = ever_defined[{group, plural, version}];
    if (known == nullptr) {
      known = &keep({});
      known->group = group;
      known->plural = plural;
      known->version = version;
    }
    return *known;
  }
};

KindRegistry::KindRegistry() : state_(std::make_unique<State>()) {
  for (Kind& kind : builtin_kinds()) {
    Kind& kept = state_->keep(std::move(kind));
    state_->serve(kept);
    if (kept.type != nullptr && kept.type->group == kept.group) state_->by_type.emplace(kept.type, &kept);
  }
  for (const auto& kind : state_->kinds) {
    if (kind->type != nullptr && kind->type->group != kind->group) kind->stored_as = state_->by_type.at(kind->type);
  }
}

KindRegistry::~KindRegistry() = default;

const Kind* KindRegistry::find(std::string_view group, std::string_view version, std::string_view plural) const {
  return find_in(state_->by_plural, group, plural, version);
}

const Kind* KindRegistry::find_kind(std::string_view group, std::string_view version, std::string_view kind) const {
  return find_in(state_->by_kind, group, kind, version);
}

const Kind& KindRegistry::of(const kube::ResourceType& type) const {
  const auto found = state_->by_type.find(&type);
  RESCHEDULER_CHECK(found != state_->by_type.end(), "{} is not a built-in kind", type.kind);
  return *found->second;
}

std::vector<const Kind*> KindRegistry::served() const {
  std::map<Name, const Kind*> sorted;
  for (const auto& [name, kind] : state_->by_plural) sorted[Name{kind->group, kind->version, kind->plural}] = kind;
  std::vector<const Kind*> kinds;
  for (const auto& [name, kind] : sorted) kinds.push_back(kind);
  return kinds;
}

void KindRegistry::define(const CustomObject& definition) {
  std::vector<Kind> defined = kinds_defined_by(definition);
  const std::string storage = storage_version_of(definition);
  ++state_->revision;
  if (defined.empty()) return;
  const std::string group = defined.front().group;
  const std::string plural = defined.front().plural;
  state_->take_down_all(group, plural);
  if (find(group, {}, plural) != nullptr) return;  // a built-in kind has this group and plural

  Kind*& home = state_->homes[{group, plural}];
  if (home == nullptr) {
    home = &state_->custom_kind(group, plural, storage);
    home->kind = defined.front().kind;  // in case the storage version is not served
    home->list_kind = defined.front().list_kind;
    home->namespaced = defined.front().namespaced;
    home->custom = true;
  }
  for (Kind& kind : defined) {
    Kind& kept = state_->custom_kind(group, plural, kind.version);
    kept = std::move(kind);
    kept.stored_as = &kept == home ? nullptr : home;
    state_->serve(kept);
  }
}

void KindRegistry::withdraw(std::string_view group, std::string_view plural) {
  ++state_->revision;
  state_->take_down_all(group, plural);
}

std::uint64_t KindRegistry::revision() const { return state_->revision; }

}  // namespace rescheduler::sim
