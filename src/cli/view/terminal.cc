#include "cli/view/terminal.h"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace rescheduler::cli {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool says_utf8(std::string_view locale) {
  return locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos
         || locale.find("UTF8") != std::string_view::npos || locale.find("utf-8") != std::string_view::npos;
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (const std::string_view value = variable(name); !value.empty()) return says_utf8(value);
  }
  return false;
}

void put(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written <= 0) return;  // the terminal was closed; a signal follows
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

bool stdout_is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

ViewStyle terminal_style() {
  ViewStyle style;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    style.width = size.ws_col;
    style.height = size.ws_row;
  }
  style.colour = stdout_is_terminal() && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  style.unicode = locale_is_utf8();
  return style;
}

Screen::Screen() { put("\x1b[?1049h\x1b[?25l\x1b[2J"); }

Screen::~Screen() { put("\x1b[?25h\x1b[?1049l"); }

void Screen::draw(const std::vector<std::string>& lines) {
  std::string out = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += "\r\n";
    out += lines[i];
    out += "\x1b[K";  // clear the rest of the line
  }
  out += "\x1b[J";
  put(out);
}

}  // namespace rescheduler::cli
