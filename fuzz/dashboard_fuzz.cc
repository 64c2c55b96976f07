// Reading any bytes as the body of an action returns a request or an error. Any text becomes one line of JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dashboard/action_body.h"
#include "kube/codec/json_words.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rescheduler::dashboard;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)read_pause(text);
  (void)read_apply(text);
  (void)read_cancel(text);
  (void)read_maintenance(text);
  (void)read_demo_action(text);
  const auto move = read_move(text);
  const std::string name = rescheduler::kube::json_string(move ? move->pod : std::string(text));
  for (const char letter : name) {
    if (static_cast<unsigned char>(letter) < 0x20) std::abort();
  }
  return 0;
}
