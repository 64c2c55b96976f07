// Compiles selectors from the wire types.
#pragma once

#include "base/error.h"
#include "kube/value/label_selector.h"
#include "kube/value/node_selector.h"

namespace rescheduler::api {
class LabelSelector;
class NodeSelector;
class NodeSelectorTerm;
}  // namespace rescheduler::api

namespace rescheduler::kube {

Result<LabelSelector> compile_selector(const api::LabelSelector& wire);
Result<NodeSelectorTerm> compile_term(const api::NodeSelectorTerm& wire);
// A term that cannot be compiled selects no node; the other terms still apply.
NodeSelector compile_node_selector(const api::NodeSelector& wire);

}  // namespace rescheduler::kube
