#include "sim/kinds/resources.h"

#include <optional>

#include <fmt/format.h>

#include "kube/proto/core_common.pb.h"
#include "kube/proto/meta.pb.h"
#include "kube/value/name.h"
#include "kube/value/quantity.h"

namespace rescheduler::sim {
namespace {

using kube::Quantity;

constexpr std::string_view kQuantityRule =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

bool is_huge_pages(std::string_view name) { return name.starts_with("hugepages-"); }

bool is_plain_container_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" || is_huge_pages(name);
}

bool is_native(std::string_view name) {
  const std::size_t slash = name.find('/');
  return slash == std::string_view::npos || name.substr(0, slash).ends_with("kubernetes.io");
}

// Resources of which only whole numbers are valid: pods and extended resources.
bool is_counted(std::string_view name) { return name == "pods" || !is_native(name); }

bool may_overcommit(std::string_view name) { return is_native(name) && !is_huge_pages(name); }

void check_resource_name(std::string_view name, const At& at, Faults& faults) {
  if (is_plain_container_resource(name)) return;
  if (!kube::is_label_key(name)) return report(label_key_faults(name), name, at, faults);
  if (name.find('/') == std::string_view::npos) {
    faults.invalid(at.str(), kube::json_string(name), "must be a standard resource type or fully qualified");
    faults.invalid(at.str(), kube::json_string(name), "must be a standard resource for containers");
  } else if (!is_native(name) && name.starts_with("requests.")) {
    faults.invalid(at.str(), kube::json_string(name), "doesn't follow extended resource name standard");
  }
}

std::optional<Quantity> check_amount(std::string_view name, const std::string& text, const At& at, Faults& faults) {
  auto amount = Quantity::parse(text);
  if (!amount) {
    faults.invalid(at.str(), kube::json_string(text), kQuantityRule);
    return std::nullopt;
  }
  if (amount->sign() < 0) {
    faults.invalid(at.str(), kube::json_string(amount->to_string()), "must be greater than or equal to 0");
  }
  if (is_counted(name) && amount->milli_value() % 1000 != 0) {
    faults.invalid(at.str(), kube::json_string(amount->to_string()), "must be an integer");
  }
  return *amount;
}

void check_limit(std::string_view name,
                 const Quantity& request,
                 const api::ResourceRequirements& resources,
                 const At& at,
                 Faults& faults) {
  const auto limit_text = resources.limits().find(std::string(name));
  if (limit_text == resources.limits().end()) {
    if (!may_overcommit(name)) {
      faults.required(at.child("limits").str(), "Limit must be set for non overcommitable resources");
    }
    return;
  }
  const auto limit = Quantity::parse(limit_text->second.string());
  if (!limit) return;  // reported by the check of the limits
  const bool exact = !may_overcommit(name);
  if (exact ? request == *limit : request <= *limit) return;
  faults.invalid(
      at.child("requests").str(), kube::json_string(request.to_string()),
      fmt::format("must be {} to {} limit of {}", exact ? "equal" : "less than or equal", name, limit->to_string()));
}

}  // namespace

void canonicalize(api::Quantity& quantity) {
  const auto parsed = Quantity::parse(quantity.string());
  if (!parsed) return;  // validation reports it
  std::string text = parsed->to_string();
  // Rounds up values finer than 1/1000.
  if (!text.empty() && (text.back() == 'n' || text.back() == 'u')) {
    text = Quantity::from_milli(parsed->milli_value()).to_string();
  }
  if (text != quantity.string()) quantity.set_string(std::move(text));
}

void canonicalize(ResourceMap& resources) {
  for (auto& [name, quantity] : resources) canonicalize(quantity);
}

void check_amounts(const ResourceMap& resources, const At& at, Faults& faults) {
  for (const std::string_view name : sorted_keys(resources)) {
    check_amount(name, resources.at(std::string(name)).string(), at.key(name), faults);
  }
}

void check_container_resources(const api::ResourceRequirements& resources, const At& at, Faults& faults) {
  if (resources.limits().empty() && resources.requests().empty()) return;
  const At limits = at.child("limits");
  const At requests = at.child("requests");
  bool huge_pages = false;
  bool cpu_or_memory = false;
  const auto note = [&](std::string_view name) {
    huge_pages = huge_pages || is_huge_pages(name);
    cpu_or_memory = cpu_or_memory || name == "cpu" || name == "memory";
  };
  for (const std::string_view name : sorted_keys(resources.limits())) {
    check_resource_name(name, limits.key(name), faults);
    check_amount(name, resources.limits().at(std::string(name)).string(), limits.key(name), faults);
    note(name);
  }
  for (const std::string_view name : sorted_keys(resources.requests())) {
    check_resource_name(name, requests.key(name), faults);
    const auto request =
        check_amount(name, resources.requests().at(std::string(name)).string(), requests.key(name), faults);
    if (request) check_limit(name, *request, resources, at, faults);
    note(name);
  }
  if (huge_pages && !cpu_or_memory) faults.forbidden(at.str(), "HugePages require cpu or memory");
}

}  // namespace rescheduler::sim
