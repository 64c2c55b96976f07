#include "sim/controllers/pods/pod_template.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::sim {

namespace {

// Map entries sorted by key, so that equal templates give equal bytes.
std::string canonical(const api::PodTemplateSpec& pod_template) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    pod_template.SerializePartialToCodedStream(&coded);
  }
  return bytes;
}

// FNV-1a, as in Kubernetes, but over different bytes.
std::uint32_t fnv(std::string_view bytes, std::uint32_t hash = 2'166'136'261U) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 16'777'619U;
  return hash;
}

}  // namespace

std::unique_ptr<api::Pod> pod_from_template(const api::PodTemplateSpec& pod_template,
                                            std::string_view ns,
                                            const api::OwnerReference& owner) {
  auto pod = std::make_unique<api::Pod>();
  api::ObjectMeta& metadata = *pod->mutable_metadata();
  metadata.set_namespace_(std::string(ns));
  *metadata.mutable_labels() = pod_template.metadata().labels();
  *metadata.mutable_annotations() = pod_template.metadata().annotations();
  *metadata.mutable_finalizers() = pod_template.metadata().finalizers();
  *metadata.add_owner_references() = owner;
  *pod->mutable_spec() = pod_template.spec();
  return pod;
}

std::string pod_name_prefix(std::string_view set) {
  constexpr std::size_t kMostNameBytes = 253;
  return set.size() + 1 <= kMostNameBytes ? std::string(set) + "-" : std::string(set);
}

std::string content_hash(std::string_view content, std::int32_t collision_count) {
  static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::uint32_t hash = fnv(content);
  if (collision_count != 0) hash = fnv(std::to_string(collision_count), hash);
  std::string text = std::to_string(hash);
  for (char& letter : text) letter = kLetters[static_cast<unsigned char>(letter) % kLetters.size()];
  return text;
}

std::string template_hash(const api::PodTemplateSpec& pod_template, std::int32_t collision_count) {
  return content_hash(canonical(pod_template), collision_count);
}

bool same_template(const api::PodTemplateSpec& a, const api::PodTemplateSpec& b) {
  const auto bare = [](api::PodTemplateSpec pod_template) {
    pod_template.mutable_metadata()->mutable_labels()->erase(std::string(kTemplateHashLabel));
    return canonical(pod_template);
  };
  return bare(a) == bare(b);
}

}  // namespace rescheduler::sim
