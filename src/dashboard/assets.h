// The pages themselves, as the build put them into the binary: /ui/ and what is below it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "net/http/http.h"

namespace rescheduler::dashboard {

struct Asset {
  std::string_view path;  // below /ui/: "index.html", "assets/app-1a2b3c.js"
  std::string_view type;
  std::string_view plain;
  std::string_view gzip;
  std::string_view tag;  // of its content
  bool hashed = false;   // its name changes with its content
};

// Made by the build from web/, or the page that says how to build it.
std::span<const Asset> assets();

// What is asked for below /ui/. A path that is no file is a place in the application: its first page.
net::HttpResponse page_for(std::span<const Asset> all, std::string_view path, const net::HttpRequest& request);
// What every page is told about itself: nothing from elsewhere, nothing inline, in nobody's frame.
void set_page_headers(net::HttpResponse& response);

}  // namespace rescheduler::dashboard
