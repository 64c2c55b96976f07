#include "kube/codec/resource.h"

#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "base/check.h"
#include "kube/codec/wire_types.h"
#include "kube/proto/options.pb.h"

namespace rescheduler::kube {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

// The kinds of a fixed set of files, with lists and items linked. Neither moved nor changed after construction.
class Catalogue {
 public:
  explicit Catalogue(const std::vector<const FileDescriptor*>& files) {
    for (const FileDescriptor* file : files) {
      for (int i = 0; i < file->message_type_count(); ++i) add(*file->message_type(i));
    }
    for (ResourceType& type : types_) by_message_.emplace(type.message, &type);
    for (ResourceType& type : types_) link(type);
  }
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  std::span<const ResourceType> all() const { return types_; }
  const ResourceType* find(const Descriptor& message) const {
    const auto found = by_message_.find(&message);
    return found == by_message_.end() ? nullptr : found->second;
  }

 private:
  void add(const Descriptor& message) {
    if (!message.options().HasExtension(api::resource)) return;
    const api::Resource& option = message.options().GetExtension(api::resource);
    types_.push_back(ResourceType{option.group(), option.version(), option.kind(), option.plural(), option.namespaced(),
                                  option.json_only(), option.any_version(), &message});
  }

  void link(ResourceType& type) {
    const FieldDescriptor* items = type.message->FindFieldByName("items");
    if (items == nullptr || !items->is_repeated() || items->message_type() == nullptr) return;
    const auto item = by_message_.find(items->message_type());
    if (item == by_message_.end()) return;
    type.item = item->second;
    item->second->list = &type;
  }

  std::vector<ResourceType> types_;
  std::unordered_map<const Descriptor*, ResourceType*> by_message_;
};

const Catalogue& own_catalogue() {
  static const Catalogue catalogue(wire_type_files());
  return catalogue;
}

// For messages of other folders: the catalogue of their file, built on first use.
const ResourceType* find_foreign(const Descriptor& message) {
  static std::mutex mutex;
  static std::map<const FileDescriptor*, Catalogue> catalogues;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = catalogues.try_emplace(message.file(), std::vector{message.file()});
  return found->second.find(message);
}

template <class Predicate>
const ResourceType* find_if(const Predicate& wanted) {
  for (const ResourceType& type : all_resources()) {
    if (wanted(type)) return &type;
  }
  return nullptr;
}

bool is_api_version(std::string_view text, std::string_view group, std::string_view version) {
  if (group.empty()) return text == version;
  return text.size() == group.size() + 1 + version.size() && text.starts_with(group) && text[group.size()] == '/'
         && text.ends_with(version);
}

}  // namespace

std::string ResourceType::api_version() const {
  return group.empty() ? std::string(version) : std::string(group) + '/' + std::string(version);
}

bool ResourceType::matches(std::string_view other_api_version, std::string_view other_kind) const {
  return other_kind == kind && (any_version || is_api_version(other_api_version, group, version));
}

std::unique_ptr<google::protobuf::Message> ResourceType::make() const {
  const google::protobuf::Message* prototype =
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(message);
  return std::unique_ptr<google::protobuf::Message>(prototype->New());
}

const ResourceType* find_resource(const Descriptor& message) {
  if (const ResourceType* own = own_catalogue().find(message)) return own;
  if (!message.options().HasExtension(api::resource)) return nullptr;
  return find_foreign(message);
}

const ResourceType& resource_of(const Descriptor& message) {
  const ResourceType* found = find_resource(message);
  RESCHEDULER_CHECK(found != nullptr, "{} has no (resource) option, so it cannot travel on its own",
                    message.full_name());
  return *found;
}

std::span<const ResourceType> all_resources() { return own_catalogue().all(); }

const ResourceType* find_kind(std::string_view group, std::string_view kind) {
  return find_if([&](const ResourceType& type) { return type.group == group && type.kind == kind; });
}

const ResourceType* find_type(std::string_view api_version, std::string_view kind) {
  return find_if([&](const ResourceType& type) {
    return type.kind == kind && is_api_version(api_version, type.group, type.version);
  });
}

}  // namespace rescheduler::kube
