// Log messages about scheduling, in English and Chinese.
#pragma once

#include "base/phrase.h"

namespace rescheduler::scheduler::messages {

inline constexpr Phrase kPlaced{"Pod scheduled", "Pod已调度"};
inline constexpr Phrase kUnableToSchedule{"Unable to schedule pod", "Pod无法调度"};
inline constexpr Phrase kRefusedBy{"Node rejected", "节点被过滤"};
inline constexpr Phrase kScored{"Node scored", "节点打分"};
inline constexpr Phrase kPodRemark{"Pod spec has an error", "Pod定义有问题"};
inline constexpr Phrase kStatusNotWritten{"Status of pod not written", "Pod状态写入失败"};

}  // namespace rescheduler::scheduler::messages
