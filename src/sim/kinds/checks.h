// The checks of apimachinery's validation packages, with the same messages. Valid values cost no allocation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/map.h>

#include "kube/codec/json_scalars.h"
#include "sim/kinds/kind.h"

namespace rescheduler::api {
class IntOrString;
class LabelSelector;
class ObjectMeta;
}  // namespace rescheduler::api

namespace rescheduler::sim {

using StringMap = google::protobuf::Map<std::string, std::string>;

// The path of a check in an object: a chain of steps on the stack. The path becomes text only when there is a fault.
class At {
 public:
  explicit At(std::string_view name) : name_(name) {}
  At child(std::string_view name) const { return {this, name, -1, false}; }
  At key(std::string_view key) const { return {this, key, -1, true}; }
  At operator[](int index) const { return {this, {}, index, false}; }
  std::string str() const;

 private:
  At(const At* up, std::string_view name, int index, bool is_key) : up_(up), name_(name), index_(index), key_(is_key) {}

  const At* up_ = nullptr;
  std::string_view name_;
  int index_ = -1;
  bool key_ = false;
};

std::string json_of(const StringMap& map);    // {"a":"1"}, sorted by key
std::string json_of(const Message& message);  // {} for an empty message
std::string json_of(const api::IntOrString& value);

// Names. The *_faults functions return the messages, none for a valid text. The check_* functions report them at a
// path.
std::vector<std::string> dns_label_faults(std::string_view text);
std::vector<std::string> dns_subdomain_faults(std::string_view text);
std::vector<std::string> dns_1035_label_faults(std::string_view text);
std::vector<std::string> label_key_faults(std::string_view text);
std::vector<std::string> label_value_faults(std::string_view text);
std::vector<std::string> config_key_faults(std::string_view text);
std::vector<std::string> port_name_faults(std::string_view text);
// For KindRules::name_fault: the first message, or empty.
std::string dns_label_name(std::string_view name);
std::string dns_1035_name(std::string_view name);
std::string path_segment_name(std::string_view name);

void report(std::vector<std::string> sentences, std::string_view value, const At& at, Faults& faults);
void check_dns_label(std::string_view text, const At& at, Faults& faults);
void check_dns_subdomain(std::string_view text, const At& at, Faults& faults);
void check_label_key(std::string_view text, const At& at, Faults& faults);
void check_label_value(std::string_view text, const At& at, Faults& faults);
void check_labels(const StringMap& labels, const At& at, Faults& faults);
void check_annotations(const StringMap& annotations, const At& at, Faults& faults);
void check_selector(const api::LabelSelector& selector, const At& at, Faults& faults);

// Whether the selector matches these labels. An invalid selector matches nothing.
bool selects(const api::LabelSelector& selector, const StringMap& labels);

// Values.
void check_not_negative(std::int64_t value, const At& at, Faults& faults);
void check_positive(std::int64_t value, const At& at, Faults& faults);
void check_count_or_percent(const api::IntOrString& value, const At& at, Faults& faults);
void check_at_most_100_percent(const api::IntOrString& value, const At& at, Faults& faults);
int count_or_percent(const api::IntOrString& value);  // 3 for 3, 25 for "25%"
// Reports Required for an empty value and NotSupported for a value that is not in `allowed`.
void check_one_of(std::string_view value, const std::vector<std::string>& allowed, const At& at, Faults& faults);
void check_immutable(const Message& before, const Message& after, const At& at, Faults& faults);
void check_immutable(std::string_view before, std::string_view after, const At& at, Faults& faults);

bool same(const Message& a, const Message& b);
bool same_map(const StringMap& a, const StringMap& b);
// Sorted keys, so that the same object always gets the same answer.
template <class Map>
std::vector<std::string_view> sorted_keys(const Map& map) {
  std::vector<std::string_view> keys;
  keys.reserve(map.size());
  for (const auto& entry : map) keys.push_back(entry.first);
  std::ranges::sort(keys);
  return keys;
}

}  // namespace rescheduler::sim
