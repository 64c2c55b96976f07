// The interface to a Kubernetes API server, for all code of the program.
//
// There are two implementations: HttpsApi for a real API server, and the in-process API of the embedded cluster. Most
// code uses this interface through the typed Client (client.h) and the informers. So a daemon and its tests differ in
// one line of construction.
//
// All members belong to the event loop's thread. Every call ends: with an answer, with a typed Error, or with
// Errc::Cancelled when the awaiting job is cancelled.
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
// Objects from lists and watches are shared and immutable: a newer version is a new object.
using ObjectPtr = std::shared_ptr<const Message>;

enum class Verb { Get, Create, Update, Patch, Delete, DeleteCollection, List, Watch };
std::string_view to_string(Verb verb) noexcept;  // as in RBAC: "get", "deletecollection", ...

enum class PatchKind { Json, Merge, StrategicMerge, Apply };

// Whether the client repeats the request itself when the server is overloaded or unavailable.
enum class Repeat {
  WhenSafe,  // yes, unless a second try could apply the change twice
  Never,     // no: the caller handles the error (the 429 of an eviction means that a PodDisruptionBudget refuses it)
};

// One request in the terms of Kubernetes. Fields that do not apply to the verb stay at their default.
struct ApiCall {
  Verb verb = Verb::Get;
  const ResourceType* resource = nullptr;
  std::string ns{};  // empty: cluster-scoped, or all namespaces for List and Watch
  std::string name{};
  std::string subresource{};

  const Message* body = nullptr;  // Create, Update, Delete (options); must stay valid until the call has ended
  std::string patch{};            // JSON text
  PatchKind patch_kind = PatchKind::Merge;
  bool force = false;  // Apply: take ownership of fields from other managers

  std::string field_manager{};
  bool dry_run = false;

  std::string label_selector{};
  std::string field_selector{};
  std::uint32_t limit = 0;
  std::string continue_token{};
  std::string resource_version{};
  std::string resource_version_match{};
  bool bookmarks = true;              // Watch: request bookmarks
  bool send_initial_events = false;   // Watch: start with the current state (streaming list)
  std::chrono::seconds watch_for{0};  // Watch: timeoutSeconds; the server then ends the watch

  Repeat repeat = Repeat::WhenSafe;
  std::chrono::nanoseconds timeout = std::chrono::seconds{30};     // for the whole call with its repeats
  std::chrono::nanoseconds idle_limit = std::chrono::seconds{90};  // Watch: longest silence; bookmarks come each minute
};

// "get pods web/api-0", for error messages.
std::string describe(const ApiCall& call);

struct ListPage {
  std::string resource_version;
  std::string continue_token;  // empty: this was the last page
};
using ItemSink = std::function<void(ObjectPtr)>;

struct WatchEvent {
  WatchEventType kind = WatchEventType::Bookmark;  // never Error: next() returns the Error of a failed watch
  ObjectPtr object{};                              // null for a Bookmark
  std::string resource_version{};                  // of the object or of the Bookmark
  bool initial_events_end = false;                 // the Bookmark at the end of the initial events of a streaming list
};

class WatchStream {
 public:
  virtual ~WatchStream() = default;
  // Waits for at least one event and returns those that have arrived; empty when the server has closed the watch in
  // order. Errc::Expired: the version is too old. Errc::Timeout: silence longer than the idle limit.
  virtual net::Task<Result<std::vector<WatchEvent>>> next() = 0;
};

class Api {
 public:
  virtual ~Api() = default;

  // `answer` receives the object of the response; null if the caller does not need it.
  virtual net::Task<Result<void>> call(ApiCall call, Message* answer) = 0;

  // Reads one page. The sink gets the items in the server's order; after an error it may have received some of them.
  virtual net::Task<Result<ListPage>> list(ApiCall call, ItemSink sink) = 0;

  virtual net::Task<Result<std::unique_ptr<WatchStream>>> watch(ApiCall call) = 0;

  // For paths that are not resources: /version, /readyz, discovery. `accept` is the requested media type.
  virtual net::Task<Result<std::string>> get_text(std::string path, std::string accept) = 0;
};

}  // namespace rescheduler::kube
