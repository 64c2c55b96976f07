// A byte stream between two machines, plain or encrypted, with a deadline. Internal to net/.
//
// One operation at a time (a TLS read may have to write). Errors are fragments ("the connection was reset") that
// the caller completes with the origin and the phase; Errc::Timeout means the deadline passed and Errc::Cancelled
// that the job was cancelled or close() was called. After any error the stream is good for close() only, with two
// exceptions: after a failed write, what the peer said last may still be read; and after a read that timed out, a
// new deadline gives another chance.
#pragma once

#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "net/task.h"

namespace rescheduler::net {

class Stream {
 public:
  virtual ~Stream() = default;

  // Waits for at least one byte; 0 means that the peer has properly ended its side.
  virtual Task<Result<std::size_t>> read_some(std::span<char> into) = 0;
  // Returns when the kernel has taken everything. The bytes must stay where they are until then.
  virtual Task<Result<void>> write_all(std::string_view bytes) = 0;
  // Says that we are done writing; the peer's last words may still be read.
  virtual Task<Result<void>> end_writing() = 0;

  // Holds for the operation that runs and for all later ones. kNoDeadline: none.
  virtual void set_deadline(SteadyTime deadline) = 0;
  // A quick look, without waiting: nothing has arrived and the peer has not gone away.
  virtual bool is_quiet() = 0;
  virtual void close() noexcept = 0;
};

}  // namespace rescheduler::net
