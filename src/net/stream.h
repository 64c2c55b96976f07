// A byte stream between two machines, plain or encrypted, with a deadline. Internal to net/.
//
// Only one operation may run at a time (a TLS read may have to write). Error messages are fragments ("the connection
// was reset"): the caller adds the origin and the phase. Errc::Timeout means that the deadline passed. Errc::Cancelled
// means that the job was cancelled or close() was called. After an error only close() is allowed, with two exceptions:
// - after a failed write, the last bytes of the peer can still be read
// - after a read timeout, a new deadline allows another read
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

  // Waits for at least one byte; 0 means that the peer has closed its side in order.
  virtual Task<Result<std::size_t>> read_some(std::span<char> into) = 0;
  // Returns when the kernel has accepted all bytes. `bytes` must stay valid until then.
  virtual Task<Result<void>> write_all(std::string_view bytes) = 0;
  // Closes the sending side. The last bytes of the peer can still be read.
  virtual Task<Result<void>> end_writing() = 0;

  // Applies to the running operation and to all later ones. kNoDeadline: no deadline.
  virtual void set_deadline(SteadyTime deadline) = 0;
  // Checks, without waiting, that no bytes have arrived and the peer has not closed the connection.
  virtual bool is_quiet() = 0;
  virtual void close() noexcept = 0;
};

}  // namespace rescheduler::net
