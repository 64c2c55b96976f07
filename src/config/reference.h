// The configuration, field by field: what may be written, what holds without it, and what it means in both languages.
// The fields, types, defaults and ranges are those of the reader itself: it is made to read a specimen and every
// question it asks is written down. Only the meanings are kept here (reference_words*.cc).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/phrase.h"
#include "config/catalog.h"
#include "config/run_options.h"

namespace rescheduler::config {

struct ReferenceField {
  std::string section{};  // "KubeSchedulerConfiguration", or a plugin's name
  std::string path{};     // "leaderElection.leaseDuration", "load.sources[].kind"
  std::string type{};
  std::string usual{};  // the default
  std::string range{};
  Phrase meaning{};  // empty: nobody has said what it means, which a test refuses
};

std::vector<ReferenceField> reference_fields(const PluginCatalog& catalog);

// docs/reference/configuration.md, or configuration.zh-CN.md.
std::string reference_page(const PluginCatalog& catalog, Language language);

// Meanings by "SECTION PATH". Those of no field are a mistake as well.
using ReferenceWords = std::map<std::string, Phrase, std::less<>>;
const ReferenceWords& reference_words();

// What a value of effective_configuration() means; with names or numbers in the brackets of its path:
// "profiles[a].pluginConfig[Rescheduler].args.load.interval". Null: nobody has said.
const Phrase* meaning_of(std::string_view path);

// Where the values that hold come from: those that stand in the file, and those that a flag has beaten. Everything else
// is a default. By path as in a message about that file: "profiles[0].pluginConfig[1].args.cpuThreshold".
enum class Origin { File, Flag };
std::map<std::string, Origin> value_origins(std::string_view text,
                                            std::string_view file_name,
                                            const PluginCatalog& catalog,
                                            const RunOptions& options);

}  // namespace rescheduler::config
