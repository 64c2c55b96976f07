// Random objects of any wire type, for property tests. The values are limited to those that both encodings preserve: no
// zeros that JSON omits, no fractions of a second that JSON cuts off.
#pragma once

#include "base/rng.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rescheduler::kube {

// density: the probability, in percent, that a field is set; higher near the root.
void fill_randomly(google::protobuf::Message& message, Rng& rng, unsigned density);

// Adds what a Go server adds: zeros in plain fields that are not set, and fields that are newer than the wire types.
void add_go_zeros(google::protobuf::Message& message);
void add_unknown_fields(google::protobuf::Message& message, Rng& rng);

}  // namespace rescheduler::kube
