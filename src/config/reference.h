// The configuration, field by field: what may be written, what holds without it, and what it means in both languages.
// All of it is what the tables say.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/phrase.h"
#include "config/catalog.h"
#include "config/run_options.h"
#include "config/table.h"

namespace rescheduler::config {

std::vector<ReferenceField> reference_fields(const PluginCatalog& catalog);

// docs/reference/configuration.md, or configuration.zh-CN.md.
std::string reference_page(const PluginCatalog& catalog, Language language);

// What a value of effective_configuration() means; with names or numbers in the brackets of its path:
// "profiles[a].pluginConfig[Rescheduler].args.load.interval". Null: nobody has said.
const Phrase* meaning_of(std::string_view path);

// Where the values that hold come from: those that stand in the file, and those that a flag has beaten. Everything else
// is a default. By path as in a message about that file: "profiles[0].pluginConfig[1].args.cpuThreshold".
enum class Origin { File, Flag };
std::map<std::string, Origin> value_origins(std::string_view text,
                                            std::string_view file_name,
                                            const RunOptions& options);

}  // namespace rescheduler::config
