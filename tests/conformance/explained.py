"""Known differences between our decisions and kube-scheduler's, with reasons. docs/conformance.md has the same list in prose.

An explanation covers only what follows from its cause. It has one of two forms:

- `rewrite` returns a dump on which our rule and kube-scheduler's have the same meaning, or None if they agree anyway. The
  difference is explained if our decision about the rewritten dump agrees completely with kube-scheduler's about the original.
- `applies` decides for one difference (compare.Difference) whether this explanation covers it.

The goal is an empty list. Every run provokes each difference (witnesses.py) and fails if an explanation is not used.
"""

import copy
from dataclasses import dataclass
from typing import Callable, Optional


@dataclass
class Explained:
    name: str
    why: str
    rewrite: Optional[Callable] = None  # dump -> dump or None
    applies: Optional[Callable] = None  # (difference, dump, peer, ours) -> bool


def key_of(thing):
    return f"{thing['metadata']['namespace']}/{thing['metadata']['name']}"


def of_kind(dump, kind):
    return [item for item in dump.get("items", []) if item["kind"] == kind]


def incoming_pod(dump):
    return next((pod for pod in of_kind(dump, "Pod") if key_of(pod) == dump.get("pod")), {})


# every-namespace

def selects_unlabelled(selector):
    """Whether a namespaceSelector matches a namespace without labels although it has expressions."""
    if selector is None or selector.get("matchLabels"):
        return False
    conditions = selector.get("matchExpressions") or []
    return bool(conditions) and all(one["operator"] in ("NotIn", "DoesNotExist") for one in conditions)


def own_terms(dump):
    for half in ("podAffinity", "podAntiAffinity"):
        affinity = ((incoming_pod(dump).get("spec") or {}).get("affinity") or {}).get(half) or {}
        yield from affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or []
        for weighted in affinity.get("preferredDuringSchedulingIgnoredDuringExecution") or []:
            yield weighted["podAffinityTerm"]


def every_namespace(dump):
    """The terms of the incoming pod, with all namespaces in place of the selectors that 1.36 treats as all namespaces."""
    if not any(selects_unlabelled(term.get("namespaceSelector")) for term in own_terms(dump)):
        return None
    pod = incoming_pod(dump)
    changed = {**dump, "items": [copy.deepcopy(item) if item is pod else item for item in dump["items"]]}
    for term in own_terms(changed):
        if selects_unlabelled(term.get("namespaceSelector")):
            term["namespaceSelector"] = {}
    return changed


# lost-claims

def lost_claims(difference, _dump, peer, ours):
    message = peer.get("message") or ""
    return difference.what == "message" and message.endswith(". not found") and (
        (ours.get("message") or "").startswith(message.removesuffix("not found")))


# several-budgets

def matches(selector, labels):
    if not selector or not labels:
        return False
    for key, value in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != value:
            return False
    for one in selector.get("matchExpressions") or []:
        holds = {"In": labels.get(one["key"]) in (one.get("values") or []),
                 "NotIn": labels.get(one["key"]) not in (one.get("values") or []),
                 "Exists": one["key"] in labels,
                 "DoesNotExist": one["key"] not in labels}[one["operator"]]
        if not holds:
            return False
    return True


def importance(pod):
    """Smaller is more important, as in kube-scheduler's MoreImportantPod. A pod that has not started counts as the youngest."""
    return -pod["spec"].get("priority", 0), pod.get("status", {}).get("startTime") or "9999"


def violating(pods, budgets, charge_all):
    """Pods whose eviction violates a budget, the most important first; `charge_all` as in 1.36, else our rule."""
    left = [budget.get("status", {}).get("disruptionsAllowed", 0) for budget in budgets]
    found = set()
    for pod in sorted(pods, key=importance):
        for number, budget in enumerate(budgets):
            if (budget["metadata"]["namespace"] != pod["metadata"]["namespace"]
                    or not matches(budget["spec"].get("selector"), pod["metadata"].get("labels"))
                    or pod["metadata"]["name"] in (budget.get("status", {}).get("disruptedPods") or {})):
                continue
            left[number] -= 1
            if left[number] < 0:
                found.add(key_of(pod))
                if not charge_all:
                    break
    return found


def disputed(dump, node):
    """(the pods of the node that violate a budget in 1.36, whether other pods do by our count)"""
    priority = incoming_pod(dump).get("spec", {}).get("priority", 0)
    lesser = [pod for pod in of_kind(dump, "Pod")
              if pod["spec"].get("nodeName") == node and pod["spec"].get("priority", 0) < priority]
    budgets = of_kind(dump, "PodDisruptionBudget")
    theirs = violating(lesser, budgets, charge_all=True)
    return theirs, theirs != violating(lesser, budgets, charge_all=False)


def several_budgets(difference, dump, peer, ours):
    """A candidate whose victims violate budgets only by the count of 1.36, or the choice that follows from such a candidate."""
    if difference.what != "preemption":
        return False
    candidates = {entry["node"]: entry for entry in peer["preemption"]["candidates"]}
    if difference.where == "node":  # the chosen node
        return any(disputed(dump, node)[1] for node in (peer["nominatedNode"], ours.get("nominatedNode")))
    node = difference.where.removeprefix("victims on ")
    theirs, differs = disputed(dump, node)
    return differs and node in candidates and (
        candidates[node]["pdbViolations"] == len(theirs & set(candidates[node]["victims"])))


EXPLAINED: list[Explained] = [
    Explained("several-budgets",
              "a pod that violates one budget is charged to the other budgets that cover it as well in 1.36, so that "
              "a later pod seems to violate those; fixed in later versions and in this scheduler",
              applies=several_budgets),
    Explained("every-namespace",
              "a namespaceSelector of NotIn or DoesNotExist alone selects pods of every namespace in 1.36, as if no "
              "namespace had labels; fixed in later versions and in this scheduler",
              rewrite=every_namespace),
    Explained("lost-claims",
              "when a PreFilter plugin before DynamicResources rejects a pod as unresolvable, 1.36 appends 'not found' "
              "instead of the message of preemption, because the state of DynamicResources is missing",
              applies=lost_claims),
]


def rewritings(dump):
    """(name of the explanation, the rewritten dump), for each explanation that applies."""
    for entry in EXPLAINED:
        changed = entry.rewrite(dump) if entry.rewrite else None
        if changed:
            yield entry.name, changed


def explanation(difference, dump, peer, ours):
    """The name of the explanation of this difference, or None."""
    for entry in EXPLAINED:
        if entry.applies and entry.applies(difference, dump, peer, ours):
            return entry.name
    return None
