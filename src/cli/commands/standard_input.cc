#include "cli/commands/standard_input.h"

#include <array>
#include <cstdio>

namespace rescheduler::cli {

Result<std::string> read_standard_input(std::size_t most_bytes) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), stdin)) {
    text.append(buffer.data(), count);
    if (text.size() > most_bytes) return fail(Errc::Invalid, "standard input: more than {} bytes", most_bytes);
  }
  if (std::ferror(stdin) != 0) return fail(Errc::Invalid, "standard input cannot be read");
  return text;
}

}  // namespace rescheduler::cli
