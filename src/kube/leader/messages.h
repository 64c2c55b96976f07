// Log messages about the lease.
#pragma once

#include "base/phrase.h"

namespace rescheduler::kube::messages {

inline constexpr Phrase kStands{"leader election: trying to acquire the lease", "领导者选举：开始竞选租约"};
inline constexpr Phrase kHeldBy{"leader election: new holder of the lease", "领导者选举：租约已被持有"};
inline constexpr Phrase kLeadsNoMore{"leader election: no longer the leader", "领导者选举：不再担任领导者"};
inline constexpr Phrase kTryingAgain{"leader election: request failed, retrying", "领导者选举：出错，正在重试"};
inline constexpr Phrase kReleased{"leader election: lease released", "领导者选举：已释放租约"};

}  // namespace rescheduler::kube::messages
