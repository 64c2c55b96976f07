// Log messages about plans, brakes, maintenance and moves. The Chinese texts are those of the deployment guides, whose
// grep commands search for them.
#pragma once

#include "base/phrase.h"

namespace rescheduler::rescheduling::messages {

inline constexpr Phrase kControllerStarts{"Starting rescheduling controller", "重调度器开始运行"};
inline constexpr Phrase kNothingKnown{"rescheduling is suspended: the record of moves cannot be read",
                                      "重调度暂停：无法读取迁移记录"};
inline constexpr Phrase kRemark{"rescheduling: remark", "重调度：提示"};
inline constexpr Phrase kResumed{"rescheduling resumed: no brake is engaged any more", "重调度恢复：所有制动已解除"};
inline constexpr Phrase kHeld{"rescheduling is stopped by a brake", "重调度被制动暂停"};
inline constexpr Phrase kNodeActivity{"node maintenance", "节点维护"};
inline constexpr Phrase kNodeNotChanged{"node maintenance: the node could not be changed", "节点维护：节点修改失败"};
inline constexpr Phrase kStrategySwitched{"rescheduling: the mode of a strategy was changed", "重调度：策略已切换"};
inline constexpr Phrase kPlanMade{"rescheduling plan made", "已生成重调度计划"};
inline constexpr Phrase kMoveDropped{"rescheduling: a move was dropped because the cluster has changed",
                                     "重调度：集群已变化，放弃迁移"};
inline constexpr Phrase kNoMoveBegins{"rescheduling: moves could not start", "重调度：迁移未能开始"};
inline constexpr Phrase kOutcomesNotWritten{"rescheduling: the results of moves are not recorded yet",
                                            "重调度：迁移结果暂未保存"};
inline constexpr Phrase kMoveBegins{"rescheduling: pod migration begins", "开始执行Pod迁移"};
inline constexpr Phrase kMoveDone{"rescheduling: pod migration done", "成功完成Pod迁移"};
inline constexpr Phrase kMoveFailed{"rescheduling: pod migration failed", "Pod迁移失败"};

inline constexpr Phrase kRecovered{"recovery: a failing pod was evicted", "故障恢复：重调度异常Pod"};
inline constexpr Phrase kRecoveryObserves{"recovery (observe): a pod is failing", "故障恢复（仅观察）：Pod异常"};
inline constexpr Phrase kRecoveryFailed{"recovery failed, retrying", "故障恢复暂时失败"};
inline constexpr Phrase kRecoveryOfBarePod{"recovery of a bare pod", "故障恢复：重建独立Pod"};
inline constexpr Phrase kQuarantine{"recovery: the quarantine of a node changed", "故障恢复：节点隔离状态已改变"};
inline constexpr Phrase kQuarantineObserves{"recovery (observe): the quarantine of a node would change",
                                            "故障恢复（仅观察）：节点隔离状态应当改变"};
inline constexpr Phrase kNodeNotQuarantined{"recovery: the quarantine of the node could not be changed",
                                            "故障恢复：节点隔离状态修改失败"};

}  // namespace rescheduler::rescheduling::messages
