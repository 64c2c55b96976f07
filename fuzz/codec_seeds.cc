// Writes seeds for the two codec fuzz targets: a sparse and a dense random object of every kind.
//   codec_seeds <directory for codec_protobuf_fuzz> <directory for codec_json_fuzz>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include <google/protobuf/message.h>

#include "kube/codec/json.h"
#include "kube/codec/protobuf.h"
#include "kube/codec/random_message.h"
#include "kube/codec/resource.h"

namespace {

bool write(const std::filesystem::path& path, std::size_t kind, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << static_cast<char>(kind) << content;
  return file.good();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace rescheduler;
  if (argc != 3) {
    std::cerr << "usage: codec_seeds <protobuf directory> <json directory>\n";
    return 2;
  }
  const std::filesystem::path protobuf_directory(argv[1]);
  const std::filesystem::path json_directory(argv[2]);
  std::filesystem::create_directories(protobuf_directory);
  std::filesystem::create_directories(json_directory);
  const auto kinds = kube::all_resources();
  bool written = true;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    for (const unsigned density : {5U, 20U}) {
      Rng rng(density);
      const auto object = kinds[i].make();
      kube::fill_randomly(*object, rng, density);
      const std::string name = std::string(kinds[i].kind) + '-' + std::to_string(density);
      written = write(protobuf_directory / (name + ".bare"), i, kube::encode_bare(*object)) && written;
      written = write(protobuf_directory / (name + ".whole"), i, kube::encode_protobuf(*object)) && written;
      written = write(json_directory / name, i, kube::to_json(*object)) && written;
    }
  }
  return written ? 0 : 1;
}
