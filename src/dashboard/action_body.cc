#include "dashboard/action_body.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

namespace rescheduler::dashboard {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostText = 1024;  // Kubernetes names have at most 253 characters
constexpr std::size_t kMostDepth = 4;

// Takes the fields out one by one. Fields that remain at the end are unknown.
class Fields {
 public:
  static Result<Fields> read(std::string_view body) {
    json::parse_options options;
    options.max_depth = kMostDepth;
    json::error_code fault;
    json::value value = json::parse(body, fault, {}, options);
    if (fault) return fail(Errc::Invalid, "the body is not valid JSON: {}", fault.message());
    if (!value.is_object()) return fail(Errc::Invalid, "the body is not a JSON object");
    return Fields(std::move(value.get_object()));
  }

  Fields& text(const char* name, std::string& into, bool needed = true) {
    const json::value* value = take(name);
    if (value == nullptr) return needed ? complain(fmt::format("{} is missing", name)) : *this;
    if (!value->is_string()) return complain(fmt::format("{} must be a string", name));
    if (value->get_string().size() > kMostText) return complain(fmt::format("{} is too long", name));
    if (needed && value->get_string().empty()) return complain(fmt::format("{} is empty", name));
    into.assign(value->get_string().data(), value->get_string().size());
    return *this;
  }
  Fields& flag(const char* name, bool& into) {
    const json::value* value = take(name);
    if (value == nullptr) return complain(fmt::format("{} is missing", name));
    if (!value->is_bool()) return complain(fmt::format("{} must be true or false", name));
    into = value->get_bool();
    return *this;
  }
  Fields& one_of(const char* name, std::string& into, std::initializer_list<std::string_view> words, bool needed) {
    text(name, into, needed);
    if (!complaint_.empty() || (!needed && into.empty())) return *this;
    if (std::ranges::find(words, into) != words.end()) return *this;
    return complain(fmt::format("{} must be one of: {}", name, joined(words)));
  }
  template <class T>
  Result<T> done(T request) {
    for (const auto& member : object_) {
      const auto known = [&](const char* name) { return member.key() == name; };
      if (std::ranges::none_of(known_, known)) complain("the body has an unknown field");
    }
    if (!complaint_.empty()) return fail(Errc::Invalid, "{}", complaint_);
    return request;
  }

 private:
  explicit Fields(json::object object) : object_(std::move(object)) {}

  const json::value* take(const char* name) {
    known_.push_back(name);
    return object_.if_contains(name);
  }
  Fields& complain(std::string text) {
    if (complaint_.empty()) complaint_ = std::move(text);
    return *this;
  }
  static std::string joined(std::initializer_list<std::string_view> words) {
    std::string all;
    for (const std::string_view word : words) all += fmt::format("{}{}", all.empty() ? "" : ", ", word);
    return all;
  }

  json::object object_;
  std::vector<const char*> known_;
  std::string complaint_;
};

}  // namespace

Result<PauseRequest> read_pause(std::string_view body) {
  auto fields = Fields::read(body);
  if (!fields) return fail(std::move(fields.error()));
  PauseRequest request;
  fields->flag("paused", request.paused).text("reason", request.reason, false);
  return fields->done(request);
}

Result<ApplyRequest> read_apply(std::string_view body) {
  auto fields = Fields::read(body);
  if (!fields) return fail(std::move(fields.error()));
  ApplyRequest request;
  fields->text("plan", request.plan);
  return fields->done(request);
}

Result<CancelRequest> read_cancel(std::string_view body) {
  auto fields = Fields::read(body);
  if (!fields) return fail(std::move(fields.error()));
  CancelRequest request;
  fields->text("namespace", request.ns).text("name", request.name);
  return fields->done(request);
}

Result<MovePodRequest> read_move(std::string_view body) {
  auto fields = Fields::read(body);
  if (!fields) return fail(std::move(fields.error()));
  MovePodRequest request;
  fields->text("namespace", request.ns).text("pod", request.pod).text("to", request.to);
  fields->one_of("mode", request.mode, {"Automatic", "Coordinated", "MakeBeforeBreak", "Direct"}, false);
  return fields->done(request);
}

Result<MaintenanceRequest> read_maintenance(std::string_view body) {
  auto fields = Fields::read(body);
  if (!fields) return fail(std::move(fields.error()));
  MaintenanceRequest request;
  fields->text("node", request.node).flag("on", request.on);
  return fields->done(request);
}

Result<DemoAction> read_demo_action(std::string_view body) {
  auto fields = Fields::read(body);
  if (!fields) return fail(std::move(fields.error()));
  DemoAction demo_action;
  fields->one_of("do", demo_action.what,
                 {"addLoad", "killNode", "reviveNode", "crashOnNode", "healNode", "setStrategy"}, true);
  fields->text("node", demo_action.node, false)
      .text("namespace", demo_action.ns, false)
      .text("workload", demo_action.workload, false);
  fields->text("strategy", demo_action.strategy, false)
      .one_of("mode", demo_action.mode, {"off", "observe", "act"}, false);
  return fields->done(demo_action);
}

}  // namespace rescheduler::dashboard
