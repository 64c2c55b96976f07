# Writes a source file with the shipped scenarios:
#   cmake -D OUTPUT=file.cc -D FILES="a.yaml;b.yaml" -P embed_scenarios.cmake
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"scenario(${text})scenario\"},\n")
endforeach()
file(WRITE ${OUTPUT}.new "// Made from scenarios/ by the build.
#include \"sim/scenario/scenario_file.h\"

namespace rescheduler::sim {

std::span<const ShippedScenario> shipped_scenarios() {
  static constexpr ShippedScenario kShipped[] = {
${entries}  };
  return kShipped;
}

}  // namespace rescheduler::sim
")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
