// Selectors as they come over the wire, compiled.
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
// A term that cannot be read selects no node, and leaves the others their say.
NodeSelector compile_node_selector(const api::NodeSelector& wire);

}  // namespace rescheduler::kube
