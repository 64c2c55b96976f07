#include "config/load_args.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "cluster/node_load.h"
#include "config/fields.h"
#include "kube/config/yaml_reader.h"
#include "kube/config/yaml_writer.h"
#include "kube/value/duration.h"
#include "kube/value/name.h"
#include "net/http/url.h"

namespace rescheduler::config {
namespace {

using cluster::LoadResource;
using cluster::LoadSettings;
using cluster::LoadSource;
using cluster::LoadSourceKind;
using cluster::LoadUnit;
using cluster::NodeMatch;
using cluster::Smoothing;
using cluster::SmoothingKind;
using kube::YamlReader;
using kube::YamlWriter;
using std::chrono::nanoseconds;

constexpr std::size_t kMostFurther = cluster::kMostLoads - cluster::kMemoryLoad - 1;
constexpr std::chrono::seconds kShortestInterval{1};  // no source measures more often
constexpr std::chrono::milliseconds kShortestTimeout{100};

template <class T, std::size_t N>
using Words = std::array<std::pair<std::string_view, T>, N>;

constexpr Words<LoadUnit, 2> kUnits = {{{"percent", LoadUnit::Percent}, {"fraction", LoadUnit::Fraction}}};
constexpr Words<SmoothingKind, 3> kSmoothings = {
    {{"none", SmoothingKind::None}, {"ewma", SmoothingKind::Ewma}, {"percentile", SmoothingKind::Percentile}}};
constexpr Words<LoadSourceKind, 3> kSources = {{{"prometheus", LoadSourceKind::Prometheus},
                                                {"metrics-server", LoadSourceKind::MetricsServer},
                                                {"file", LoadSourceKind::File}}};
constexpr Words<NodeMatch, 3> kMatches = {
    {{"internalIP", NodeMatch::InternalIp}, {"name", NodeMatch::Name}, {"hostname", NodeMatch::Hostname}}};

template <class T, std::size_t N>
std::string all_of(const Words<T, N>& words) {
  std::vector<std::string_view> all;
  for (const auto& [word, value] : words) all.push_back(word);
  return listed(all);
}

template <class T, std::size_t N>
std::string_view word_for(T value, const Words<T, N>& words) {
  for (const auto& [word, meant] : words) {
    if (meant == value) return word;
  }
  return {};
}

template <class T, std::size_t N>
bool understood(const YamlReader& from,
                std::string_view field,
                std::string_view text,
                const Words<T, N>& words,
                T& into) {
  for (const auto& [word, value] : words) {
    if (word != text) continue;
    into = value;
    return true;
  }
  from.problem(field, fmt::format("'{}' is none; there are {}", text, all_of(words)));
  return false;
}

template <class T, std::size_t N>
void read_word(YamlReader& from, std::string_view field, T& into, const Words<T, N>& words) {
  std::string text;
  from.read(field, text);
  from.describe(field, "word", word_for(into, words), all_of(words));
  if (!text.empty()) understood(from, field, text, words, into);
}

void read_at_least(YamlReader& from, std::string_view field, nanoseconds& into, nanoseconds least) {
  nanoseconds value = into;
  const bool given = read_duration(from, field, value);
  from.describe(field, "", "", fmt::format("at least {}", kube::format_duration(least)));
  if (!given) return;
  if (value < least) return from.problem(field, fmt::format("must be at least {}", kube::format_duration(least)));
  into = value;
}

// --- Resources ---

LoadResource read_resource(YamlReader& from, const std::vector<LoadResource>& others) {
  LoadResource resource;
  from.read("name", resource.name);
  from.read("query", resource.query);
  read_word(from, "unit", resource.unit, kUnits);
  read_number_within(from, "weight", resource.weight, 0, 1);
  read_percentage(from, "threshold", resource.threshold);
  from.refuse_unknown_fields();
  if (resource.name == "cpu" || resource.name == "memory") {
    from.problem("name", fmt::format("{0} is measured anyway; to ask for it differently, give a source queries.{0}",
                                     resource.name));
  } else if (!kube::is_dns_label(resource.name)) {
    from.problem("name", "must be given, in lower-case letters, digits and '-'");
  } else if (std::ranges::find(others, resource.name, &LoadResource::name) != others.end()) {
    from.problem("name", fmt::format("'{}' stands twice", resource.name));
  }
  if (resource.query.empty()) from.problem("query", "must be given");
  return resource;
}

void read_resources(YamlReader& from, std::vector<LoadResource>& into) {
  for (YamlReader& item : from.items("resources")) {
    LoadResource resource = read_resource(item, into);
    into.push_back(std::move(resource));
  }
  if (into.size() > kMostFurther) {
    from.problem("resources", fmt::format("can be {} at most", kMostFurther));
  }
}

void print_resources(const std::vector<LoadResource>& resources, YamlWriter& to) {
  if (resources.empty()) return to.field("resources", std::vector<std::string>{});
  to.open("resources");
  for (const LoadResource& resource : resources) {
    to.item();
    to.field("name", resource.name);
    to.field("query", resource.query);
    to.field("unit", word_for(resource.unit, kUnits));
    to.field("weight", resource.weight);
    to.field("threshold", resource.threshold);
  }
  to.close();
}

// --- Smoothing ---

void read_smoothing(YamlReader from, Smoothing& into) {
  read_word(from, "kind", into.kind, kSmoothings);
  read_at_least(from, "halfLife", into.half_life, kShortestInterval);
  read_percentage(from, "percentile", into.percentile);
  read_at_least(from, "window", into.window, kShortestInterval);
  from.refuse_unknown_fields();
  if (into.kind != SmoothingKind::Ewma && from.has("halfLife"))
    from.note("halfLife", "has no effect without kind: ewma");
  for (const char* field : {"percentile", "window"}) {
    if (into.kind != SmoothingKind::Percentile && from.has(field)) {
      from.note(field, "has no effect without kind: percentile");
    }
  }
}

// Only what has an effect, so that it reads back without remarks.
void print_smoothing(const Smoothing& smoothing, YamlWriter& to) {
  to.open("smoothing");
  to.field("kind", word_for(smoothing.kind, kSmoothings));
  if (smoothing.kind == SmoothingKind::Ewma) to.field("halfLife", kube::format_duration(smoothing.half_life));
  if (smoothing.kind == SmoothingKind::Percentile) {
    to.field("percentile", smoothing.percentile);
    to.field("window", kube::format_duration(smoothing.window));
  }
  to.close();
}

// --- Sources ---

bool is_series_label(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text.front())
         && std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void read_address(YamlReader& from, LoadSource& source) {
  from.read("address", source.address);
  from.read("caFile", source.ca_file);
  from.read("insecureSkipVerify", source.insecure_skip_verify);
  if (source.address.empty())
    return from.problem("address", "must be given, such as http://prometheus.monitoring:9090");
  const auto url = net::parse_url(source.address);
  if (!url) return from.problem("address", url.error().message);
  if (!url->query.empty()) from.problem("address", "must not have a query");
  if (!source.address.starts_with("https://") && (!source.ca_file.empty() || source.insecure_skip_verify)) {
    from.problem("address", "must begin with https:// where caFile or insecureSkipVerify is given");
  }
  if (!source.ca_file.empty() && source.insecure_skip_verify) {
    from.problem("insecureSkipVerify", "and caFile exclude each other");
  }
}

void read_credentials(YamlReader& from, LoadSource& source) {
  from.read("bearerTokenFile", source.bearer_token_file);
  from.read("username", source.username);
  from.read("passwordFile", source.password_file);
  if (source.username.empty() != source.password_file.empty()) {
    from.problem(source.username.empty() ? "passwordFile" : "username", "username and passwordFile go together");
  }
  const bool has_password = !source.username.empty() || !source.password_file.empty();
  if (!source.bearer_token_file.empty() && has_password) {
    from.problem("bearerTokenFile", "and a username exclude each other");
  }
  if ((has_password || !source.bearer_token_file.empty()) && source.address.starts_with("http://")) {
    from.note("address", "the credentials can be read on the way; https:// keeps them secret");
  }
}

void read_node_matches(YamlReader& from, LoadSource& source) {
  from.read("instanceLabel", source.instance_label);
  if (!is_series_label(source.instance_label)) from.problem("instanceLabel", "must be the name of a label of series");
  from.read("nodeLabel", source.node_label);
  if (!source.node_label.empty() && !kube::is_label_key(source.node_label)) {
    from.problem("nodeLabel", "must be the key of a label of nodes");
  }
  if (!from.has("matchNodeBy")) return;
  std::vector<std::string> words;
  from.read("matchNodeBy", words);
  from.describe("matchNodeBy", "", all_of(kMatches), all_of(kMatches));
  source.match_node_by.clear();
  for (const std::string& word : words) {
    NodeMatch match{};
    if (!understood(from, "matchNodeBy", word, kMatches, match)) continue;
    const bool again = std::ranges::find(source.match_node_by, match) != source.match_node_by.end();
    if (again) from.problem("matchNodeBy", fmt::format("'{}' stands twice", word));
    source.match_node_by.push_back(match);
  }
  if (words.empty() && source.node_label.empty()) from.problem("matchNodeBy", "must not be empty without nodeLabel");
}

void read_queries(YamlReader& from, const std::set<std::string>& resources, LoadSource& source) {
  if (!from.has("queries")) return;
  YamlReader queries = from.child("queries");
  for (auto& [name, member] : queries.members()) {
    std::string query = member.as_string();
    if (!resources.contains(name)) {
      member.problem("is no resource: there are cpu, memory and those of load.resources");
    } else if (query.empty()) {
      member.problem("must not be empty; leave it out for the default");
    }
    source.queries[name] = std::move(query);
  }
}

void read_prometheus(YamlReader& from, const std::set<std::string>& resources, LoadSource& source) {
  read_address(from, source);
  read_credentials(from, source);
  read_node_matches(from, source);
  read_at_least(from, "timeout", source.timeout, kShortestTimeout);
  read_queries(from, resources, source);
}

LoadSource read_source(YamlReader& from, const std::set<std::string>& resources) {
  LoadSource source;
  std::string kind;
  from.read("kind", kind);
  from.describe("kind", "word", "", all_of(kSources));
  if (kind.empty()) {
    from.problem("kind", fmt::format("must be given; there are {}", all_of(kSources)));
    return source;
  }
  if (!understood(from, "kind", kind, kSources, source.kind)) return source;
  if (source.kind == LoadSourceKind::Prometheus) read_prometheus(from, resources, source);
  if (source.kind == LoadSourceKind::File) {
    from.read("path", source.path);
    if (source.path.empty()) from.problem("path", "must be given");
  }
  from.refuse_unknown_fields();
  return source;
}

void read_sources(YamlReader& from, const std::vector<LoadResource>& further, std::vector<LoadSource>& into) {
  if (!from.has("sources")) return;
  std::set<std::string> resources{"cpu", "memory"};
  for (const LoadResource& resource : further) resources.insert(resource.name);
  into.clear();
  for (YamlReader& item : from.items("sources")) {
    LoadSource source = read_source(item, resources);
    if (std::ranges::find(into, source) != into.end()) item.problem("stands twice");
    into.push_back(std::move(source));
  }
}

void print_prometheus(const LoadSource& source, YamlWriter& to) {
  to.field("address", source.address);
  to.field("caFile", source.ca_file);
  to.field("insecureSkipVerify", source.insecure_skip_verify);
  to.field("bearerTokenFile", source.bearer_token_file);
  to.field("username", source.username);
  to.field("passwordFile", source.password_file);
  to.field("instanceLabel", source.instance_label);
  std::vector<std::string> matches;
  for (const NodeMatch match : source.match_node_by) matches.emplace_back(word_for(match, kMatches));
  to.field("matchNodeBy", matches);
  to.field("nodeLabel", source.node_label);
  to.field("timeout", kube::format_duration(source.timeout));
  if (source.queries.empty()) return;
  to.open("queries");
  for (const auto& [name, query] : source.queries) to.field(name, query);
  to.close();
}

void print_sources(const std::vector<LoadSource>& sources, YamlWriter& to) {
  if (sources.empty()) return to.field("sources", std::vector<std::string>{});
  to.open("sources");
  for (const LoadSource& source : sources) {
    to.item();
    to.field("kind", word_for(source.kind, kSources));
    if (source.kind == LoadSourceKind::Prometheus) print_prometheus(source, to);
    if (source.kind == LoadSourceKind::File) to.field("path", source.path);
  }
  to.close();
}

// metrics-server measures CPU and memory only.
void remark_on_unanswered(const YamlReader& from, const LoadSettings& load) {
  const bool answered = std::ranges::any_of(
      load.sources, [](const LoadSource& source) { return source.kind != LoadSourceKind::MetricsServer; });
  if (!load.resources.empty() && !answered) {
    from.note("resources", "have no effect: none of the sources can be asked for them");
  }
}

}  // namespace

void read_load(YamlReader from, LoadSettings& into) {
  read_resources(from, into.resources);
  read_at_least(from, "interval", into.interval, kShortestInterval);
  read_at_least(from, "freshness", into.freshness, kShortestInterval);
  if (into.freshness < into.interval) {
    from.problem("freshness", "must not be shorter than interval: no sample would stay fresh until the next");
  }
  if (from.has("smoothing")) read_smoothing(from.child("smoothing"), into.smoothing);
  read_sources(from, into.resources, into.sources);
  from.refuse_unknown_fields();
  remark_on_unanswered(from, into);
}

void print_load(const LoadSettings& load, YamlWriter& to) {
  to.open("load");
  print_resources(load.resources, to);
  to.field("freshness", kube::format_duration(load.freshness));
  print_smoothing(load.smoothing, to);
  to.field("interval", kube::format_duration(load.interval));
  print_sources(load.sources, to);
  to.close();
}

}  // namespace rescheduler::config
