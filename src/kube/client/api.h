// The one door to a Kubernetes API, as the product sees it.
//
// Two things implement it: HttpsApi (a real API server) and the embedded cluster's in-process door. Everything
// above talks to this interface, mostly through the typed Client (client.h) and the informers; a daemon and its
// tests differ by one line of wiring.
//
// All members belong to the event loop's thread. Every call ends: with an answer, with a typed Error, or - when
// the awaiting job is cancelled - with Errc::Cancelled.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "kube/codec/resource.h"
#include "kube/codec/watch_event.h"
#include "net/task.h"

namespace google::protobuf {
class Message;
}

namespace rescheduler::kube {

using google::protobuf::Message;
// Objects from lists and watches are shared and never change: a newer state is another object.
using ObjectPtr = std::shared_ptr<const Message>;

enum class Verb { Get, Create, Update, Patch, Delete, DeleteCollection, List, Watch };
std::string_view to_string(Verb verb) noexcept;  // as RBAC spells it: "get", "deletecollection", ...

enum class PatchKind { Json, Merge, StrategicMerge, Apply };

// May the client repeat the request by itself when the server is busy or away?
enum class Repeat {
  WhenSafe,  // yes, unless the first try may have had an effect that a second would double
  Never,     // no: the caller reads the refusal itself (an eviction's 429 is an answer about a budget)
};

// One request, in Kubernetes' terms. What does not apply to the verb is left alone.
struct ApiCall {
  Verb verb = Verb::Get;
  const ResourceType* resource = nullptr;
  std::string ns{};  // empty: cluster-scoped, or all namespaces for List and Watch
  std::string name{};
  std::string subresource{};

  const Message* body = nullptr;  // Create, Update, Delete (options); must live until the call has ended
  std::string patch{};            // JSON text
  PatchKind patch_kind = PatchKind::Merge;
  bool force = false;  // Apply: take fields over from other managers

  std::string field_manager{};
  bool dry_run = false;

  std::string label_selector{};
  std::string field_selector{};
  std::uint32_t limit = 0;
  std::string continue_token{};
  std::string resource_version{};
  std::string resource_version_match{};
  bool bookmarks = true;              // Watch: let the server mark progress
  bool send_initial_events = false;   // Watch: begin with the present state (streaming list)
  std::chrono::seconds watch_for{0};  // Watch: the server ends it after this long

  Repeat repeat = Repeat::WhenSafe;
  std::chrono::nanoseconds timeout = std::chrono::seconds{30};     // for the whole call, repeats included
  std::chrono::nanoseconds idle_limit = std::chrono::seconds{90};  // Watch: longest silence; bookmarks come each minute
};

// "get pods web/api-0", for error texts.
std::string describe(const ApiCall& call);

struct ListPage {
  std::string resource_version;
  std::string continue_token;  // empty: this was the last page
};
using ItemSink = std::function<void(ObjectPtr)>;

struct WatchEvent {
  WatchEventType kind = WatchEventType::Bookmark;  // never Error: a watch that fails says so as an Error
  ObjectPtr object{};                              // null for a Bookmark
  std::string resource_version{};                  // of the object, or the progress a Bookmark marks
  bool initial_events_end = false;                 // the Bookmark that ends the present state of a streaming list
};

class WatchStream {
 public:
  virtual ~WatchStream() = default;
  // The events that have arrived, waiting for at least one; empty when the server ended the watch in good order.
  // A version too old is Errc::Expired, silence beyond the idle limit Errc::Timeout.
  virtual net::Task<Result<std::vector<WatchEvent>>> next() = 0;
};

class Api {
 public:
  virtual ~Api() = default;

  // `answer` receives the object the server sends back; null if it is of no interest.
  virtual net::Task<Result<void>> call(ApiCall call, Message* answer) = 0;

  // One page. Items go to the sink in the server's order; after an error the sink may have seen some of them.
  virtual net::Task<Result<ListPage>> list(ApiCall call, ItemSink sink) = 0;

  virtual net::Task<Result<std::unique_ptr<WatchStream>>> watch(ApiCall call) = 0;

  // What is not a resource: /version, /readyz, discovery. `accept` is the media type asked for.
  virtual net::Task<Result<std::string>> get_text(std::string path, std::string accept) = 0;
};

}  // namespace rescheduler::kube
