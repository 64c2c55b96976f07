# Writes a source file that holds the manifest: cmake -D OUTPUT=file.cc -D FILE=crd.yaml -P embed_definition.cmake
file(READ ${FILE} text)
file(WRITE ${OUTPUT}.new "// Made from charts/rescheduler/crds/crd.yaml by the build.
#include \"migration/definition.h\"

namespace rescheduler::migration {

std::string_view definition_yaml() {
  return R\"yaml(${text})yaml\";
}

}  // namespace rescheduler::migration
")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
