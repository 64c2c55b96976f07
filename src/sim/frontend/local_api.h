// The in-process frontend: the product's Api directly on the embedded server. Objects pass as typed messages; nothing
// is encoded.
//
// Behaves like HttpsApi: the same errors, the same retries, and the same end of a watch that is silent for too long.
// All times are those of the agenda's clock, so LocalApi also runs in virtual time.
#pragma once

#include <memory>
#include <string>

#include "base/backoff.h"
#include "kube/client/api.h"
#include "sim/frontend/documents.h"
#include "sim/frontend/faults.h"
#include "sim/frontend/operation.h"
#include "sim/time/pacer.h"

namespace rescheduler::sim {

struct LocalApiSettings {
  std::string user = "rescheduler";  // the user: default field manager, and name in reviews
  BackoffPolicy backoff{std::chrono::milliseconds{200}, std::chrono::milliseconds{10'000}, 2.0, 0.5};  // as in HttpsApi
  std::uint64_t seed = 1;  // for the jitter of the backoff
};

class LocalApi final : public kube::Api {
 public:
  // `faults` can be null. Server, documents and faults must outlive the loop's jobs.
  LocalApi(Server& server, Documents& documents, WireFaults* faults = nullptr, LocalApiSettings settings = {});

  net::Task<Result<void>> call(kube::ApiCall call, Message* answer) override;
  net::Task<Result<kube::ListPage>> list(kube::ApiCall call, kube::ItemSink sink) override;
  net::Task<Result<std::unique_ptr<kube::WatchStream>>> watch(kube::ApiCall call) override;
  net::Task<Result<std::string>> get_text(std::string path, std::string accept) override;

 private:
  struct Attempt {
    std::string where;
    SteadyTime deadline{};
  };
  Attempt attempt_for(const kube::ApiCall& call) const;
  std::chrono::nanoseconds time_left(const Attempt& attempt) const;

  net::Task<Result<Outcome>> repeated(const kube::ApiCall& call);
  net::Task<Result<Outcome>> once(const kube::ApiCall& call, const Attempt& attempt);
  net::Task<Result<Outcome>> executed(const kube::ApiCall& call, const InjectedFault& fault, const Attempt& attempt);
  // On failure, the error is what the caller gets instead of an answer.
  net::Task<Result<void>> delay(const InjectedFault& fault, const Attempt& attempt);
  net::Task<Result<void>> lose(Loss loss, const Attempt& attempt);
  net::Task<Result<void>> pause_before_repeat(Error error,
                                              const kube::ApiCall& call,
                                              const Attempt& attempt,
                                              Backoff& backoff);
  net::Task<Result<std::unique_ptr<kube::WatchStream>>> watch_once(const kube::ApiCall& call, const Attempt& attempt);

  ApiResult<Operation> operation_for(const kube::ApiCall& call) const;
  InjectedFault fault_for(const kube::ApiCall& call);

  Server& server_;
  Documents& documents_;
  WireFaults* faults_;
  LocalApiSettings settings_;
  AgendaTimers timers_;
  Rng rng_;
};

}  // namespace rescheduler::sim
