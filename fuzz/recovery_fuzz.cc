// Reading any bytes as an AdmissionReview, as visited nodes or as a retry ledger returns a value or an error. Visited
// nodes and ledgers can be written and read again and stay the same.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "placement/visited_nodes.h"
#include "rescheduling/recovery/retry_ledger.h"
#include "server/admission_review.h"

namespace {

using namespace rescheduler;
using namespace rescheduler::rescheduling::recovery;

void books(OwnerKind kind, const char* key, std::string_view text) {
  const WallTime now{std::chrono::hours{24 * 365 * 50}};
  const auto read = read_ledger(kind, {{key, std::string(text)}}, 3, now);
  if (!read) return;
  Annotations written;
  for (const auto& [name, value] : write_ledger(kind, *read)) {
    if (value) written[name] = *value;
  }
  const auto again = read_ledger(kind, written, 3, now);
  if (!again || again->times() != read->times()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto asked = server::read_review(text)) {
    server::PodChanges changes;
    changes.annotations = {{"a/b~c", "x"}};
    changes.not_on = {"n"};
    (void)server::write_review(*asked, server::patch_for(asked->pod, changes));
  }
  if (const auto visited = placement::read_visited(text)) {
    const auto again = placement::read_visited(placement::write_visited(*visited));
    if (!again || *again != *visited) std::abort();
  }
  books(OwnerKind::Deployment, "kse.com/deploy", text);
  books(OwnerKind::StatefulSet, "kse.com/sts-pods-map", text);
  books(OwnerKind::DaemonSet, "rescheduler.io/daemon-retries", text);
  (void)read_retries({{"scheduling-retries", std::string(text)}}, 100);
  return 0;
}
