# Writes a source file that contains the description of the API:
# cmake -D OUTPUT=file.cc -D FILE=openapi.json -P embed_text.cmake
file(READ ${FILE} text)
file(WRITE ${OUTPUT}.new "// Made from src/dashboard/openapi.json by the build.
#include \"dashboard/dashboard.h\"

namespace rescheduler::dashboard {

std::string_view openapi() {
  return R\"openapi(${text})openapi\";
}

}  // namespace rescheduler::dashboard
")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
