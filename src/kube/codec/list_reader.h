// Reads a list body item by item: a PodList of 100,000 pods never exists as one message.
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
  std::shared_ptr<const api::Status> status;  // set: the server sent this instead of a list, the rest is empty
  std::string resource_version;
  std::string continue_token;  // empty: this was the last page
  std::int64_t remaining = 0;  // what the server says is still to come, 0 when it does not say
  std::size_t items = 0;
};

// `on_item` gets the bare protobuf bytes of each item, valid during the call, and ends the reading by failing.
using ListItemBytes = std::function<Result<void>(std::string_view item)>;
Result<ListAnswer> read_protobuf_list(std::string_view body, const ResourceType& list, const ListItemBytes& on_item);

// The same for either encoding with decoded items; `item` tells the type wanted.
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
