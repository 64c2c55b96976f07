// Log messages for operators about the load source.
#pragma once

#include "base/phrase.h"

namespace rescheduler::usage::messages {

inline constexpr Phrase kMeasuredBy{"loads of nodes are measured", "节点负载数据来源已确定"};
inline constexpr Phrase kNotMeasured{"loads of nodes are not measured", "没有节点负载数据，改用其他依据"};

}  // namespace rescheduler::usage::messages
