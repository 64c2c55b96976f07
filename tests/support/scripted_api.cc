#include "support/scripted_api.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "kube/codec/metadata.h"
#include "kube/proto/meta.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/value/label_selector.h"

namespace rescheduler::test {

using kube::ApiCall;
using kube::Message;
using kube::ResourceType;
using kube::Verb;

namespace {

api::ObjectMeta& mutable_metadata(Message& object) {
  const auto* field = object.GetDescriptor()->FindFieldByName("metadata");
  return static_cast<api::ObjectMeta&>(*object.GetReflection()->MutableMessage(&object, field));
}

}  // namespace

ScriptedApi::ScriptedApi() = default;
ScriptedApi::~ScriptedApi() = default;

void ScriptedApi::fail_calls(std::size_t nth, std::size_t count, Error error, Effect effect) {
  failures_.push_back(Failure{nth, nth + count, std::move(error), effect});
}

void ScriptedApi::answer_creates_of(const ResourceType& resource, Review review) {
  reviews_[&resource] = std::move(review);
}

ScriptedApi::Key ScriptedApi::key_of(const ResourceType& resource, const std::string& ns, const std::string& name) {
  return fmt::format("{}.{}/{}/{}", resource.plural, resource.group, ns, name);
}

const Message* ScriptedApi::find_object(const ResourceType& resource,
                                        const std::string& ns,
                                        const std::string& name) const {
  const auto found = objects_.find(key_of(resource, ns, name));
  return found == objects_.end() ? nullptr : found->second.get();
}

std::vector<const Message*> ScriptedApi::objects_of(const ResourceType& resource) const {
  const std::string prefix = fmt::format("{}.{}/", resource.plural, resource.group);
  std::vector<const Message*> found;
  for (auto at = objects_.lower_bound(prefix); at != objects_.end() && at->first.starts_with(prefix); ++at) {
    found.push_back(at->second.get());
  }
  return found;
}

void ScriptedApi::put(const Message& object) {
  store(kube::resource_of(*object.GetDescriptor()), object, kube::metadata_of(object).uid());
}

void ScriptedApi::erase(const ResourceType& resource, const std::string& ns, const std::string& name) {
  objects_.erase(key_of(resource, ns, name));
}

const Message& ScriptedApi::store(const ResourceType& resource, const Message& object, std::string uid) {
  std::unique_ptr<Message> stored(object.New());
  stored->CopyFrom(object);
  api::ObjectMeta& meta = mutable_metadata(*stored);
  meta.set_resource_version(std::to_string(++version_));
  meta.set_uid(uid.empty() ? fmt::format("uid-{}", version_) : std::move(uid));
  auto& place = objects_[key_of(resource, meta.namespace_(), meta.name())];
  place = std::move(stored);
  return *place;
}

const ScriptedApi::Failure* ScriptedApi::failure_of(std::size_t call) const {
  for (const Failure& failure : failures_) {
    if (call >= failure.first && call < failure.end) return &failure;
  }
  return nullptr;
}

net::Task<Result<void>> ScriptedApi::call(ApiCall call, Message* answer) {
  const std::size_t number = calls_.size();
  calls_.push_back(Call{describe(call), call.patch, call.timeout});
  std::optional<Error> refusal = hook_ ? hook_(call) : std::nullopt;
  if (refusal) co_return fail(std::move(*refusal));
  const Failure* failure = failure_of(number);
  if (failure != nullptr) {
    if (failure->effect == Effect::Done) (void)perform(call, nullptr);  // the caller does not get the result
    co_return fail(failure->error);
  }
  auto done = perform(call, answer);
  calls_[number].succeeded = done.has_value();
  co_return done;
}

Result<void> ScriptedApi::perform(const ApiCall& call, Message* answer) {
  if (call.verb == Verb::Create && call.subresource == "eviction") {
    const auto& eviction = static_cast<const api::Eviction&>(*call.body);
    return remove(call, eviction.delete_options());
  }
  if (call.verb == Verb::Create) return create(call, answer);
  const Message* object = find_object(*call.resource, call.ns, call.name);
  if (object == nullptr) return fail(Errc::NotFound, "{}: not found", describe(call));
  if (call.verb == Verb::Delete) return remove(call, *call.body);
  if (call.verb == Verb::Update) return update(call, answer);
  if (answer != nullptr) answer->CopyFrom(*object);  // a patch is recorded, not applied
  return {};
}

Result<void> ScriptedApi::create(const ApiCall& call, Message* answer) {
  if (const auto review = reviews_.find(call.resource); review != reviews_.end()) {
    if (answer != nullptr) review->second(*call.body, *answer);
    return {};
  }
  const api::ObjectMeta& meta = kube::metadata_of(*call.body);
  if (find_object(*call.resource, call.ns, meta.name()) != nullptr) {
    return fail(Errc::AlreadyExists, "{}: {} already exists", describe(call), meta.name());
  }
  const Message& stored = store(*call.resource, *call.body, {});
  if (answer != nullptr) answer->CopyFrom(stored);
  return {};
}

Result<void> ScriptedApi::remove(const ApiCall& call, const Message& options) {
  const Message* object = find_object(*call.resource, call.ns, call.name);
  if (object == nullptr) return fail(Errc::NotFound, "{}: not found", describe(call));
  const auto& wanted = static_cast<const api::DeleteOptions&>(options).preconditions();
  if (wanted.has_uid() && wanted.uid() != kube::metadata_of(*object).uid()) {
    return fail(Errc::Conflict, "{}: it is another object by now", describe(call));
  }
  if (!call.dry_run) erase(*call.resource, call.ns, call.name);
  return {};
}

Result<void> ScriptedApi::update(const ApiCall& call, Message* answer) {
  const api::ObjectMeta& before = kube::metadata_of(*find_object(*call.resource, call.ns, call.name));
  const api::ObjectMeta& wanted = kube::metadata_of(*call.body);
  if (wanted.resource_version() != before.resource_version() || wanted.uid() != before.uid()) {
    return fail(Errc::Conflict, "{}: it was changed meanwhile", describe(call));
  }
  const Message& stored = store(*call.resource, *call.body, before.uid());
  if (answer != nullptr) answer->CopyFrom(stored);
  return {};
}

net::Task<Result<kube::ListPage>> ScriptedApi::list(ApiCall call, kube::ItemSink sink) {
  const std::size_t number = calls_.size();
  calls_.push_back(Call{describe(call), {}, call.timeout});
  std::optional<Error> refusal = hook_ ? hook_(call) : std::nullopt;
  if (refusal) co_return fail(std::move(*refusal));
  if (const Failure* failure = failure_of(number)) co_return fail(failure->error);
  const auto selector = kube::LabelSelector::parse(call.label_selector);
  if (!selector) co_return fail(selector.error());
  for (const Message* object : objects_of(*call.resource)) {
    const api::ObjectMeta& meta = kube::metadata_of(*object);
    if (!call.ns.empty() && meta.namespace_() != call.ns) continue;
    if (!selector->matches(meta.labels())) continue;
    std::shared_ptr<Message> copy(object->New());
    copy->CopyFrom(*object);
    sink(std::move(copy));
  }
  calls_[number].succeeded = true;
  kube::ListPage page;
  page.resource_version = std::to_string(version_);
  co_return page;
}

net::Task<Result<std::unique_ptr<kube::WatchStream>>> ScriptedApi::watch(ApiCall call) {
  co_return fail(Errc::Unsupported, "{}: scripted APIs do not watch", describe(call));
}

net::Task<Result<std::string>> ScriptedApi::get_text(std::string path, std::string accept) {
  const std::size_t number = calls_.size();
  calls_.push_back(Call{"GET " + path, {}, {}});
  accepts_.push_back(std::move(accept));
  if (const Failure* failure = failure_of(number)) co_return fail(failure->error);
  const auto found = texts_.find(path);
  if (found == texts_.end()) co_return fail(Errc::NotFound, "GET {}: not found", path);
  co_return found->second;
}

}  // namespace rescheduler::test
