#include "sim/load/packed_file.h"

#include <cstdint>

#include <lzma.h>

#include "kube/config/file.h"

namespace rescheduler::sim {
namespace {

constexpr std::uint64_t kMostDecoderMemory = std::uint64_t{256} << 20;  // xz -9 needs 65 MB

struct Decoder {
  Decoder() = default;
  ~Decoder() { lzma_end(&stream); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  lzma_stream stream = LZMA_STREAM_INIT;
};

}  // namespace

Result<std::string> read_packed_file(const std::string& path, std::size_t most_bytes) {
  auto bytes = kube::read_whole_file(path, most_bytes);
  if (!bytes || !path.ends_with(".xz")) return bytes;
  Decoder decoder;
  lzma_stream& stream = decoder.stream;
  if (lzma_stream_decoder(&stream, kMostDecoderMemory, LZMA_CONCATENATED) != LZMA_OK)
    return fail(Errc::Internal, "{}: the xz decoder could not be initialized", path);
  stream.next_in = reinterpret_cast<const std::uint8_t*>(bytes->data());
  stream.avail_in = bytes->size();
  std::string text;
  std::string chunk(std::size_t{1} << 16, '\0');
  for (lzma_ret state = LZMA_OK; state != LZMA_STREAM_END;) {
    stream.next_out = reinterpret_cast<std::uint8_t*>(chunk.data());
    stream.avail_out = chunk.size();
    state = lzma_code(&stream, LZMA_FINISH);
    if (state != LZMA_OK && state != LZMA_STREAM_END)
      return fail(Errc::Invalid, "{} is damaged or not an xz file (liblzma says {})", path, static_cast<int>(state));
    text.append(chunk, 0, chunk.size() - stream.avail_out);
    if (text.size() > most_bytes) return fail(Errc::Invalid, "{} unpacks to more than {} bytes", path, most_bytes);
  }
  return text;
}

}  // namespace rescheduler::sim
