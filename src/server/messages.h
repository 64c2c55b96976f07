// Log messages about the webhook.
#pragma once

#include "base/phrase.h"

namespace rescheduler::server::messages {

inline constexpr Phrase kWebhookNotRegistered{
    "webhook: not registered: replacements of pods of other schedulers can return to the nodes that pods had to leave",
    "webhook：未注册，其他调度器的替代Pod不知道应避开哪些节点"};
inline constexpr Phrase kWebhookSilent{
    "webhook: the registered address does not answer: pods are created without the hints of the webhook",
    "webhook：注册的地址没有应答，创建的Pod没有webhook的提示"};
inline constexpr Phrase kWebhookAnswers{"webhook: the registered address answers", "webhook：注册的地址有应答"};

}  // namespace rescheduler::server::messages
