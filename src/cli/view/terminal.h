// The terminal on stdout: its capabilities, and a screen that is redrawn in place.
#pragma once

#include <string>
#include <vector>

#include "cli/view/text.h"

namespace rescheduler::cli {

bool stdout_is_terminal();
// The current size; colour unless NO_COLOR is set or TERM is dumb; characters beyond ASCII if the locale is UTF-8.
ViewStyle terminal_style();

// Uses the alternate screen of the terminal; the destructor restores the normal screen.
class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void draw(const std::vector<std::string>& lines);
};

}  // namespace rescheduler::cli
