// Reads the body of a list item by item, so that a PodList of 100,000 pods never exists as one message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "kube/codec/decoded.h"
#include "kube/codec/protobuf.h"
#include "kube/codec/resource.h"

namespace rescheduler::kube {

struct ListAnswer {
  std::shared_ptr<const api::Status> status;  // set: a Status instead of a list; the other fields are empty
  std::string resource_version;
  std::string continue_token;  // empty: this was the last page
  std::int64_t remaining = 0;  // remainingItemCount of the server, 0 if the server did not send it
  std::size_t items = 0;
};

// `on_item` gets the protobuf bytes of each item, without envelope and valid during the call. An error ends the
// reading.
using ListItemBytes = std::function<Result<void>(std::string_view item)>;
Result<ListAnswer> read_protobuf_list(std::string_view body, const ResourceType& list, const ListItemBytes& on_item);

// The same for both encodings, with decoded items of type `item`.
using ListItem = std::function<Result<void>(std::unique_ptr<google::protobuf::Message> item)>;
Result<ListAnswer> read_list(Encoding encoding,
                             std::string_view body,
                             const ResourceType& item,
                             UnknownFields unknown,
                             const ListItem& on_item);

// on_item: Result<void>(std::unique_ptr<T>)
template <class T, class OnItem>
Result<ListAnswer> read_list(Encoding encoding, std::string_view body, UnknownFields unknown, const OnItem& on_item) {
  return read_list(encoding, body, resource_of<T>(), unknown,
                   [&on_item](std::unique_ptr<google::protobuf::Message> item) -> Result<void> {
                     return on_item(std::unique_ptr<T>(static_cast<T*>(item.release())));
                   });
}

}  // namespace rescheduler::kube
