// Log messages about the start, the leadership and the end of the process.
#pragma once

#include "base/phrase.h"

namespace rescheduler::cli::messages {

inline constexpr Phrase kStarting{"Starting Kubernetes Scheduler", "启动Kubernetes调度器"};
inline constexpr Phrase kPluginReady{"Rescheduler plugin initialized successfully", "Rescheduler插件初始化成功"};
inline constexpr Phrase kConfigNote{"configuration: note", "配置提示"};
inline constexpr Phrase kPluginLeftOut{"configuration: this version does not have the plugin; the plugin is ignored",
                                       "配置：本版本没有该插件，已忽略"};
inline constexpr Phrase kServing{"serving", "开始提供服务"};
inline constexpr Phrase kStopping{"stopping: finishing the actions in progress", "正在停止：完成已开始的操作"};
inline constexpr Phrase kCutOff{"not all actions finished in time: the remaining actions are aborted",
                                "未能按时全部结束：剩余操作被中断"};
inline constexpr Phrase kLeaseLost{"the lease is lost: this process exits, another replica leads",
                                   "租约丢失：本进程退出，由其他副本领导"};
inline constexpr Phrase kLeads{"leader elected", "领导者已选出"};
inline constexpr Phrase kDeciding{"scheduling pods", "开始调度Pod"};
inline constexpr Phrase kMoving{"rescheduling: moving pods", "开始重调度Pod"};
inline constexpr Phrase kPermissionMissing{"permission missing", "缺少权限"};
inline constexpr Phrase kPermissionsUnknown{"permissions could not be checked", "无法确认权限"};
inline constexpr Phrase kInstallationProblem{"the installation is incomplete", "安装不完整"};
inline constexpr Phrase kInstallationFixed{"the installation is complete again", "安装已补全"};
inline constexpr Phrase kMigrationsNotShown{
    "Migrations could not be read: replacements of moved pods can be placed on other nodes",
    "集群未返回Migration：被迁移Pod的替代者可能落到别处"};
inline constexpr Phrase kNoWebhook{
    "no webhook: replacements of pods of other schedulers can return to the nodes that pods had to leave",
    "没有webhook：其他调度器的替代Pod不知道应避开哪些节点"};

}  // namespace rescheduler::cli::messages
