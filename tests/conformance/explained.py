"""Where our decisions are known to differ from kube-scheduler's, and why. docs/conformance.md has the same list in prose.

Each has a predicate of a difference (compare.Difference), the dump and both results. An empty list is the goal.
"""

from dataclasses import dataclass
from typing import Callable


@dataclass
class Explained:
    name: str
    why: str
    applies: Callable  # (difference, dump, peer, ours) -> bool


def incoming_pod(dump):
    for item in dump.get("items", []):
        if item["kind"] == "Pod" and f"{item['metadata']['namespace']}/{item['metadata']['name']}" == dump.get("pod"):
            return item
    return {}


def selects_unlabelled(selector):
    """A namespaceSelector that a namespace without any label would satisfy, though it asks for something."""
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


def every_namespace(_difference, dump, _peer, _ours):
    return any(selects_unlabelled(term.get("namespaceSelector")) for term in own_terms(dump))


def lost_claims(difference, _dump, peer, ours):
    said = peer.get("message") or ""
    return difference.what == "message" and said.endswith(". not found") and (
        (ours.get("message") or "").startswith(said.removesuffix("not found")))


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


def several_budgets(difference, dump, _peer, _ours):
    if difference.what != "preemption":
        return False
    budgets = [item for item in dump.get("items", []) if item["kind"] == "PodDisruptionBudget"]
    for pod in (item for item in dump.get("items", []) if item["kind"] == "Pod"):
        covering = [one for one in budgets
                    if one["metadata"]["namespace"] == pod["metadata"]["namespace"]
                    and matches(one["spec"].get("selector"), pod["metadata"].get("labels"))]
        if len(covering) > 1:
            return True
    return False


EXPLAINED: list[Explained] = [
    Explained("several-budgets",
              "a pod that violates one budget is charged to the other budgets that cover it as well in 1.36, so that "
              "a later pod seems to violate those; mended in later versions, and here",
              several_budgets),
    Explained("every-namespace",
              "a namespaceSelector of NotIn or DoesNotExist alone selects pods of every namespace in 1.36, as if no "
              "namespace had labels; mended in later versions, and here",
              every_namespace),
    Explained("lost-claims",
              "when a PreFilter plugin before DynamicResources refuses a pod for good, 1.36 adds the words 'not found' in "
              "place of what preemption has to say: DynamicResources misses its own notes",
              lost_claims),
]


def explanation(difference, dump, peer, ours):
    """The name of what explains the difference, or None."""
    for entry in EXPLAINED:
        if entry.applies(difference, dump, peer, ours):
            return entry.name
    return None
