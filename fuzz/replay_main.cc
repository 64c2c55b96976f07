// main() of a fuzz target without libFuzzer: runs it on every file of the given folders. So each test run replays the
// seeds of fuzzing and its past findings.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

// libFuzzer requires this name for every fuzz target.
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
  std::cerr << "there is no input to replay: give folders with inputs\n";
  return 1;
}
