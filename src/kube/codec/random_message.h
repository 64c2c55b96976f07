// Random objects of any wire type, for property tests. Only what both encodings can carry unchanged is made: no zero
// where JSON takes it for absence, no fraction of a second where JSON has none.
#pragma once

#include "base/rng.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rescheduler::kube {

// density: the chance, in percent, that a field is set; more near the root.
void fill_randomly(google::protobuf::Message& message, Rng& rng, unsigned density);

// What a Go server adds: zeros in plain fields that are not set, and fields newer than our types.
void add_go_zeros(google::protobuf::Message& message);
void add_unknown_fields(google::protobuf::Message& message, Rng& rng);

}  // namespace rescheduler::kube
