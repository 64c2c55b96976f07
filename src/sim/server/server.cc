#include "sim/server/server.h"

#include <array>

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include "kube/codec/metadata.h"
#include "kube/proto/meta.pb.h"
#include "sim/proto/custom.pb.h"

namespace rescheduler::sim {
namespace {

// Kubernetes' alphabet for generated names: no vowels, and no 0, 1 and 3, so that names form no words.
constexpr std::string_view kSuffixLetters = "bcdfghjklmnpqrstvwxz2456789";

}  // namespace

Server::Server(Agenda& agenda, Rng rng, StoreSettings settings) : agenda_(agenda), rng_(rng), store_(settings) {
  const Kind* definitions = kinds_.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  definitions_ = store_.subscribe(definitions, [this](const Change& change) { definition_changed(change); });
}

Server::~Server() = default;

void Server::definition_changed(const Change& change) {
  const auto definition = change.after->as<CustomObject>();
  if (change.what != Change::What::Deleted) {
    kinds_.define(*definition);
    return;
  }
  // metadata.name is "<plural>.<group>"
  const std::string& name = definition->metadata().name();
  const auto dot = name.find('.');
  const Kind* kind = kinds_.find(name.substr(dot + 1), {}, name.substr(0, dot));
  if (kind == nullptr) return;
  agenda_.after(Agenda::Duration{0}, [this, kind] { erase_all(*kind); });
  kinds_.withdraw(kind->group, kind->plural);
}

void Server::erase_all(const Kind& kind) {
  std::vector<std::pair<std::string, std::string>> names;
  store_.for_each(kind, {}, {}, [&names](const VersionPtr& version) {
    const ObjectPtr object = version->object();
    const auto& metadata = kube::metadata_of(*object);
    names.emplace_back(metadata.namespace_(), metadata.name());
    return true;
  });
  for (const auto& [ns, name] : names) store_.erase(kind, ns, name);
}

void Server::provide(const Kind& kind, Provider provider) { providers_[&kind] = std::move(provider); }

std::vector<VersionPtr> Server::provided(const Provider& provider, const Kind& kind, std::string_view ns) const {
  std::vector<VersionPtr> versions;
  for (ObjectPtr& object : provider(ns)) {
    versions.push_back(std::make_shared<const Version>(kind, store_.version(), std::move(object), std::string()));
  }
  return versions;
}

ApiResult<VersionPtr> Server::get(const Kind& kind, std::string_view ns, std::string_view name) const {
  if (const auto provider = providers_.find(&kind); provider != providers_.end()) {
    for (VersionPtr& version : provided(provider->second, kind, ns)) {
      if (kube::metadata_of(*version->object()).name() == name) return std::move(version);
    }
    return refuse(not_found(kind, name));
  }
  VersionPtr version = store_.find(kind, ns, name);
  if (!version) return refuse(not_found(kind, name));
  return version;
}

std::string Server::new_uid() {
  // A random (version 4) UUID from the seeded generator: the same run gives the same uids.
  const std::uint64_t high = (rng_.next() & ~0xF000ULL) | 0x4000ULL;
  const std::uint64_t low = (rng_.next() & ~(0xC0ULL << 56)) | (0x80ULL << 56);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xFFFF, high & 0xFFFF, low >> 48,
                     low & 0xFFFF'FFFF'FFFFULL);
}

std::string Server::new_suffix(int length) const {
  std::string suffix;
  for (int i = 0; i < length; ++i) suffix += kSuffixLetters[rng_.below(kSuffixLetters.size())];
  return suffix;
}

RuleContext Server::rule_context() const {
  return RuleContext{
      agenda_.wall_now(),
      [this](std::string_view group, std::string_view plural, std::string_view ns, std::string_view name) -> ObjectPtr {
        const Kind* kind = kinds_.find(group, {}, plural);
        const VersionPtr version = kind == nullptr ? nullptr : store_.find(*kind, ns, name);
        return version ? version->object() : nullptr;
      },
      [this](std::string_view group, std::string_view plural, const std::function<void(const Message&)>& visit) {
        const Kind* kind = kinds_.find(group, {}, plural);
        if (kind == nullptr) return;
        store_.for_each(*kind, {}, {}, [&visit](const VersionPtr& version) {
          visit(*version->object());
          return true;
        });
      }};
}

}  // namespace rescheduler::sim
