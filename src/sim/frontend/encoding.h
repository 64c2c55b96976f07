// Encodes objects, lists, events and errors for the wire. Protobuf answers use the stored bytes without decoding them.
#pragma once

#include <string>
#include <string_view>

#include "sim/frontend/media.h"
#include "sim/frontend/operation.h"
#include "sim/server/watch.h"

namespace rescheduler::sim {

// What a Table shows besides its cells.
struct TableOptions {
  std::string include_object{};  // includeObject of the query
  WallTime now{};
};

class AnswerEncoder {
 public:
  AnswerEncoder(const Kind& kind, Format format, TableOptions table)
      : kind_(kind), format_(format), table_(std::move(table)) {}

  std::string object(const VersionPtr& version) const;
  // For messages that are not stored: a Scale, a Status, a review, a deleted object of the kind.
  std::string other(const Message& message) const;
  std::string list(const Listing& listing) const;
  // One frame of a watch. The first Table of a stream has the column definitions.
  std::string event(const ServedEvent& event);
  std::string error_event(const StatusError& refusal) const;

  std::string content_type(bool watch) const;

 private:
  std::string json_of(const VersionPtr& version, const Message& object) const;
  std::string table(const std::vector<VersionPtr>& rows, const ServedEvent* event, const Listing* listing) const;
  std::string json_list(const Listing& listing) const;
  std::string protobuf_list(const Listing& listing) const;
  std::string json_event_object(const ServedEvent& event);
  std::string protobuf_event_object(const ServedEvent& event) const;
  MessagePtr bookmark_object(const ServedEvent& event) const;

  const Kind& kind_;
  Format format_;
  TableOptions table_;
  bool columns_sent_ = false;
};

std::string encode_refusal(const StatusError& refusal, kube::Encoding encoding);
// Whether objects of this kind have a protobuf encoding.
bool has_protobuf(const Kind& kind);

}  // namespace rescheduler::sim
