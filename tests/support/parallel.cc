#include "support/parallel.h"

#include <future>
#include <optional>

namespace rescheduler::test {
namespace {

struct Work {
  Piece piece;
  std::uint64_t next = 0;
  std::uint64_t done = 0;
  bool stop = false;
  std::optional<Error> error;
  int running = 0;
  std::promise<void> finished;
};

net::Task<void> worker(std::shared_ptr<Work> work) {
  while (!work->stop) {
    auto piece = work->piece(work->next++);
    auto more = co_await std::move(piece);
    if (!more) {
      if (!work->error) work->error = std::move(more.error());
      work->stop = true;
    } else if (!*more) {
      work->stop = true;
    } else {
      ++work->done;
    }
  }
  if (--work->running == 0) work->finished.set_value();
}

}  // namespace

Result<std::uint64_t> in_parallel(LiveApi& live, int workers, Piece piece) {
  auto work = std::make_shared<Work>();
  work->piece = std::move(piece);
  work->running = workers;
  for (int number = 0; number < workers; ++number) net::spawn(live.loop().executor(), "parallel", worker(work));
  work->finished.get_future().wait();
  if (work->error) return fail(std::move(*work->error));
  return work->done;
}

}  // namespace rescheduler::test
