#include "sim/server/continue_token.h"

#include <charconv>

#include <fmt/format.h>

#include "kube/value/base64.h"

namespace rescheduler::sim {

std::string ContinueToken::encode() const { return kube::base64_encode(fmt::format("{} {}", version, after)); }

ApiResult<ContinueToken> ContinueToken::decode(std::string_view text) {
  const auto refused = [] { return refuse(bad_request("continue key is not valid: it was not made by this server")); };
  const auto plain = kube::base64_decode(text);
  if (!plain) return refused();
  const auto blank = plain->find(' ');
  if (blank == std::string::npos) return refused();
  ContinueToken token;
  const auto [end, error] = std::from_chars(plain->data(), plain->data() + blank, token.version);
  if (error != std::errc{} || end != plain->data() + blank) return refused();
  token.after = plain->substr(blank + 1);
  return token;
}

}  // namespace rescheduler::sim
