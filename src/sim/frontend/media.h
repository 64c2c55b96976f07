// Content negotiation: the form of an answer that a client accepts. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/codec/decoded.h"

namespace rescheduler::sim {

struct Format {
  enum class Shape {
    Whole,     // the object, or the list of objects
    Table,     // meta.k8s.io/v1 Table
    Metadata,  // meta.k8s.io/v1 PartialObjectMetadata or its list
  };
  kube::Encoding encoding = kube::Encoding::Json;
  Shape shape = Shape::Whole;
};

struct Offer {
  bool protobuf = false;  // the kind has a protobuf form
  bool list = false;
};

// The supported alternative of the Accept header with the highest quality; the first of equal ones. An empty header
// accepts JSON. Empty result: 406.
std::optional<Format> negotiate(std::string_view accept, const Offer& offer);

// "application/json" of "application/json; charset=utf-8", in lower case.
std::string bare_media_type(std::string_view header);

}  // namespace rescheduler::sim
