#include "kube/informer/reflector_protocol.h"

namespace rescheduler::kube {

using namespace reflector;

Action ReflectorProtocol::next(const Input& happened) {
  if (const auto* listed = std::get_if<Listed>(&happened)) {
    progressed(listed->version);
    return resume();
  }
  if (const auto* failed = std::get_if<Failed>(&happened)) return wait(failed->retry_after);
  if (std::holds_alternative<Expired>(happened)) {
    // Lists again at once, but only once: if the server answers "expired" again, backoff applies.
    const bool first = version_.has_value();
    version_.reset();
    return first ? resume() : wait(std::nullopt);
  }
  if (std::holds_alternative<StreamingUnsupported>(happened)) {
    streaming_ = false;
    return resume();
  }
  // A stream that ends without any event counts as a failure, so that it is not reopened in a loop.
  if (std::holds_alternative<Ended>(happened) && !progressed_) return wait(std::nullopt);
  return resume();
}

void ReflectorProtocol::progressed(const std::string& version) {
  version_ = version;
  progressed_ = true;
  backoff_.reset();
}

Action ReflectorProtocol::resume() {
  progressed_ = false;
  if (version_) return Watch{*version_};
  if (streaming_) return StreamList{};
  return List{};
}

Action ReflectorProtocol::wait(std::optional<std::chrono::milliseconds> retry_after) {
  return Sleep{backoff_.next(retry_after)};
}

}  // namespace rescheduler::kube
