#include <string>

#include "sim/frontend/tables/printer.h"

namespace rescheduler::sim {
namespace {

struct Source {
  std::string_view type;
  std::string_view field;
  bool named;  // "cpu: 40%/80%"
};
constexpr Source kSources[] = {{"Resource", "resource", true},
                               {"ContainerResource", "containerResource", true},
                               {"Pods", "pods", false},
                               {"Object", "object", false},
                               {"External", "external", false}};

std::string utilization(const Field& field, std::string_view otherwise) {
  return field.present() ? std::to_string(field.number()) + "%" : std::string(otherwise);
}

std::string metric_text(const Field& spec, const Field& status) {
  for (const Source& source : kSources) {
    if (spec["type"].text() != source.type) continue;
    const Field target = spec[source.field]["target"];
    const Field current = status[source.field]["current"];
    const bool average = target["averageValue"].present();
    if (source.named) {
      const std::string name = std::string(spec[source.field]["name"].text()) + ": ";
      if (average) {
        return name + current["averageValue"].printed("<unknown>") + "/" + target["averageValue"].printed();
      }
      return name + utilization(current["averageUtilization"], "<unknown>") + "/"
             + utilization(target["averageUtilization"], "<auto>");
    }
    const std::string_view which = average ? "averageValue" : "value";
    std::string text = current[which].printed("<unknown>") + "/" + target[which].printed();
    return average && source.type != "Pods" ? text + " (avg)" : text;
  }
  return "<unknown type>";
}

std::string metrics_text(const Field& autoscaler) {
  const Field specs = autoscaler["spec"]["metrics"];
  const Field statuses = autoscaler["status"]["currentMetrics"];
  constexpr std::size_t kMost = 2;
  std::string text;
  for (std::size_t i = 0; i < specs.size() && i < kMost; ++i) {
    if (i > 0) text += ", ";
    text += metric_text(specs.at(i), statuses.at(i));
  }
  if (specs.size() > kMost) text += " + " + std::to_string(specs.size() - kMost) + " more...";
  return text.empty() ? "<none>" : text;
}

boost::json::array autoscaler_cells(const Field& object, WallTime now) {
  const Field spec = object["spec"];
  const Field target = spec["scaleTargetRef"];
  return {name_of(object),
          std::string(target["kind"].text()) + "/" + std::string(target["name"].text()),
          metrics_text(object),
          spec["minReplicas"].printed("<unset>"),
          spec["maxReplicas"].number(),
          object["status"]["currentReplicas"].number(),
          age_of(object, now)};
}

}  // namespace

const Printer* autoscaler_printer(std::string_view group, std::string_view kind) {
  if (group != "autoscaling" || kind != "HorizontalPodAutoscaler") return nullptr;
  static const Printer kAutoscalers{
      .columns = {name_column(), text_column("Reference", "What it scales."),
                  text_column("Targets", "Each metric: where it is, and where it should be."),
                  text_column("MinPods", "Fewest pods."), text_column("MaxPods", "Most pods."),
                  text_column("Replicas", "Pods it saw last."), age_column()},
      .cells = autoscaler_cells};
  return &kAutoscalers;
}

}  // namespace rescheduler::sim
