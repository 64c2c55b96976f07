// One version of one object: immutable, shared by the store, its history and every watch.
//
// Holds the encoded bytes, which have about an eighth of the size of the decoded message. All callers share one decoded
// message for as long as one of them holds it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/kinds/kind.h"

namespace rescheduler::sim {

class Version {
 public:
  // The object's metadata must already have the resourceVersion.
  Version(const Kind& kind, std::uint64_t number, ObjectPtr object, std::string managed_fields);

  const Kind& kind() const { return *kind_; }
  std::uint64_t number() const { return number_; }                       // its resourceVersion
  const std::string& bytes() const { return bytes_; }                    // protobuf, no envelope
  const std::string& managed_fields() const { return managed_fields_; }  // JSON array; empty: not tracked
  ObjectPtr object() const;

  template <class T>
  std::shared_ptr<const T> as() const {
    return std::static_pointer_cast<const T>(object());
  }

 private:
  const Kind* kind_;
  std::uint64_t number_;
  std::string bytes_;
  std::string managed_fields_;
  mutable std::weak_ptr<const Message> decoded_;
};
using VersionPtr = std::shared_ptr<const Version>;

struct Change {
  enum class What : std::uint8_t { Added, Modified, Deleted };
  std::uint64_t number = 0;  // the resourceVersion of this change
  What what = What::Added;
  VersionPtr before{};  // null for Added
  VersionPtr after{};   // for Deleted: the last state, with the resourceVersion of the deletion

  const Kind& kind() const { return after->kind(); }
};

}  // namespace rescheduler::sim
