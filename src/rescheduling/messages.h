// Log messages about plans, brakes, maintenance and moves. The Chinese texts are those of the deployment guides, whose
// grep commands search for them.
#pragma once

#include "base/phrase.h"

namespace rescheduler::rescheduling::messages {

inline constexpr Phrase kControllerStarts{"Starting rescheduling controller", "重调度器开始运行"};
inline constexpr Phrase kNothingKnown{"rescheduling does nothing: the record of moves cannot be read",
                                      "重调度暂停：无法读取迁移记录"};
inline constexpr Phrase kRemark{"rescheduling: remark", "重调度：提示"};
inline constexpr Phrase kResumed{"rescheduling resumed: no brake holds any more", "重调度恢复：所有制动已解除"};
inline constexpr Phrase kHeld{"rescheduling is held", "重调度被制动暂停"};
inline constexpr Phrase kNodeActivity{"node maintenance", "节点维护"};
inline constexpr Phrase kNodeNotChanged{"node maintenance: the node was not changed", "节点维护：节点修改失败"};
inline constexpr Phrase kStrategySwitched{"rescheduling: a strategy is switched", "重调度：策略已切换"};
inline constexpr Phrase kPlanMade{"rescheduling plan made", "已生成重调度计划"};
inline constexpr Phrase kMoveDropped{"rescheduling: a move is dropped, the cluster has changed",
                                     "重调度：集群已变化，放弃迁移"};
inline constexpr Phrase kNoMoveBegins{"rescheduling: no move begins", "重调度：迁移未能开始"};
inline constexpr Phrase kOutcomesNotWritten{"rescheduling: what came of moves is not written down yet",
                                            "重调度：迁移结果暂未保存"};
inline constexpr Phrase kMoveBegins{"rescheduling: pod migration begins", "开始执行Pod迁移"};
inline constexpr Phrase kMoveDone{"rescheduling: pod migration done", "成功完成Pod迁移"};
inline constexpr Phrase kMoveFailed{"rescheduling: pod migration failed", "Pod迁移失败"};

inline constexpr Phrase kRecovered{"recovery: a failing pod gets another node", "故障恢复：重调度异常Pod"};
inline constexpr Phrase kRecoveryObserves{"recovery observes: a pod fails", "故障恢复（仅观察）：Pod异常"};
inline constexpr Phrase kRecoveryFailed{"recovery failed for now", "故障恢复暂时失败"};
inline constexpr Phrase kRecoveryOfBarePod{"recovery of a bare pod", "故障恢复：重建独立Pod"};
inline constexpr Phrase kNodeNotQuarantined{"recovery: the node was not put under quarantine",
                                            "故障恢复：节点隔离状态修改失败"};

}  // namespace rescheduler::rescheduling::messages
