// main() of a fuzz target where there is no fuzzer: gives it every file of the folders named, so that each run of the
// tests replays what fuzzing is started from and what it once found.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

// Every fuzz target has this name; libFuzzer demands it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);  // NOLINT(readability-identifier-naming)

int main(int count, char** arguments) {
  std::size_t replayed = 0;
  for (int at = 1; at < count; ++at) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(arguments[at])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
      ++replayed;
    }
  }
  std::cout << replayed << " inputs replayed\n";
  if (replayed != 0) return 0;
  std::cerr << "there is no input to replay: name folders that hold some\n";
  return 1;
}
