// The configuration reference, generated from the tables: type, range, default and meaning of each field, in both
// languages.
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

// The meaning of a value of effective_configuration(). The brackets of the path contain names or numbers:
// "profiles[a].pluginConfig[Rescheduler].args.load.interval". Null: the path is unknown.
const Phrase* meaning_of(std::string_view path);

// The origin of the effective values that are not defaults: the file, or a flag that has priority over the file. Keys
// are paths as in messages about the file: "profiles[0].pluginConfig[1].args.cpuThreshold".
enum class Origin { File, Flag };
std::map<std::string, Origin> value_origins(std::string_view text,
                                            std::string_view file_name,
                                            const RunOptions& options);

}  // namespace rescheduler::config
