// Log messages about the steps of a migration. The Chinese texts are those of the guides, whose grep commands search
// for them.
#pragma once

#include "base/phrase.h"

namespace rescheduler::migration::messages {

inline constexpr Phrase kBeginsDeployment{"coordinated rescheduling of a Deployment begins",
                                          "开始Deployment协调重调度"};
inline constexpr Phrase kBeginsReplicaSet{"coordinated rescheduling of a ReplicaSet begins",
                                          "开始ReplicaSet协调重调度"};
inline constexpr Phrase kBeginsStatefulSet{"coordinated rescheduling of a StatefulSet begins",
                                           "开始StatefulSet协调重调度"};
inline constexpr Phrase kBeginsJob{"coordinated rescheduling of a Job begins", "开始Job协调重调度"};
inline constexpr Phrase kBeginsDirect{"direct migration begins", "开始直接迁移"};
inline constexpr Phrase kIntentWritten{"intent written", "成功添加节点偏好"};
inline constexpr Phrase kBudgetCreated{"temporary PDB created", "创建临时PDB保护服务"};
inline constexpr Phrase kEvicted{"pod evicted", "优雅驱逐Pod成功"};
inline constexpr Phrase kNotEvicted{"pod not evicted", "驱逐源Pod失败"};
inline constexpr Phrase kStepRefused{"step of a migration refused", "迁移步骤被拒绝"};
inline constexpr Phrase kMarkedFirst{"pod marked for deletion first", "标记迁移源Pod优先删除"};
inline constexpr Phrase kRetired{"new pod ready, scaled down", "新Pod已就绪，缩容移除迁移源Pod"};
inline constexpr Phrase kCopyCreated{"new pod created", "创建迁移目标Pod"};
inline constexpr Phrase kPodDeleted{"pod deleted", "删除迁移Pod"};
inline constexpr Phrase kReplacedByDeployment{"pod replaced by the Deployment's controller",
                                              "Deployment Controller已重建Pod"};
inline constexpr Phrase kReplacedByReplicaSet{"pod replaced by the ReplicaSet's controller",
                                              "ReplicaSet Controller已重建Pod"};
inline constexpr Phrase kReplacedByStatefulSet{"pod replaced by the StatefulSet's controller",
                                               "StatefulSet Controller已重建Pod"};
inline constexpr Phrase kReplacedByJob{"pod replaced by the Job's controller", "Job Controller已重建Pod"};
inline constexpr Phrase kDone{"coordinated rescheduling complete, temporary objects removed", "完成协调重调度清理"};
inline constexpr Phrase kDoneDirect{"direct migration complete, temporary objects removed", "完成直接迁移清理"};
inline constexpr Phrase kFailed{"coordinated rescheduling failed, rolled back", "协调重调度失败，回退"};
inline constexpr Phrase kFailedDirect{"direct migration failed, rolled back", "直接迁移失败，回退"};
inline constexpr Phrase kNotWrittenDown{"migration not started: its record could not be written",
                                        "迁移未开始：无法写入迁移记录"};
inline constexpr Phrase kSwept{"leftovers of a migration removed", "清理迁移遗留"};
inline constexpr Phrase kSweepingFailed{"leftovers of migrations could not be removed, retrying",
                                        "清理迁移遗留暂时失败"};

}  // namespace rescheduler::migration::messages
