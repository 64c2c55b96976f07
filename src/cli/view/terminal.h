// The terminal on stdout: what it can show, and a screen that is redrawn in place.
#pragma once

#include <string>
#include <vector>

#include "cli/view/text.h"

namespace rescheduler::cli {

bool stdout_is_terminal();
// Its size now; colour unless NO_COLOR is set or TERM is dumb; characters beyond ASCII if the locale says UTF-8.
ViewStyle terminal_style();

// Takes the terminal's alternate screen, and gives it back at the end.
class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void draw(const std::vector<std::string>& lines);
};

}  // namespace rescheduler::cli
