#include "kube/client/api.h"

#include <fmt/format.h>

namespace rescheduler::kube {

std::string_view to_string(Verb verb) noexcept {
  switch (verb) {
    case Verb::Get: return "get";
    case Verb::Create: return "create";
    case Verb::Update: return "update";
    case Verb::Patch: return "patch";
    case Verb::Delete: return "delete";
    case Verb::DeleteCollection: return "deletecollection";
    case Verb::List: return "list";
    case Verb::Watch: return "watch";
  }
  return "unknown";
}

std::string describe(const ApiCall& call) {
  std::string text = fmt::format("{} {}", to_string(call.verb), call.resource->plural);
  if (!call.resource->group.empty()) text += fmt::format(".{}", call.resource->group);
  if (!call.subresource.empty()) text += fmt::format("/{}", call.subresource);
  if (!call.ns.empty() && !call.name.empty()) return fmt::format("{} {}/{}", text, call.ns, call.name);
  if (!call.name.empty()) return fmt::format("{} {}", text, call.name);
  if (!call.ns.empty()) return fmt::format("{} in {}", text, call.ns);
  return text;
}

}  // namespace rescheduler::kube
