// The decision turned for reading: who could take the pod and how much each plugin speaks for it; who could not, by reason.
import type { Decision, DecisionNode } from "../api/types";

export type Taker = Extract<DecisionNode, { feasible: true }>;
export type Refuser = Extract<DecisionNode, { feasible: false }>;
export interface Refused { plugin: string; reason: string; nodes: string[] }
export interface Reading { plugins: string[]; takers: Taker[]; refused: Refused[]; most: number }

export function readDecision(decision: Decision): Reading {
  const takers = decision.nodes.filter((node): node is Taker => node.feasible)
    .sort((a, b) => (b.total ?? 0) - (a.total ?? 0) || (a.name === decision.node ? -1 : b.name === decision.node ? 1 : a.name < b.name ? -1 : 1));
  // Plugins that tell nodes apart come first; one that says the same of all decides nothing.
  const spread = new Map<string, { least: number; most: number }>();
  for (const node of takers) {
    for (const [plugin, score] of Object.entries(node.scores ?? {})) {
      const held = spread.get(plugin);
      if (!held) spread.set(plugin, { least: score.weighted, most: score.weighted });
      else {
        held.least = Math.min(held.least, score.weighted);
        held.most = Math.max(held.most, score.weighted);
      }
    }
  }
  const plugins = [...spread].sort(([a, x], [b, y]) => y.most - y.least - (x.most - x.least) || (a < b ? -1 : 1)).map(([plugin]) => plugin);
  const groups = new Map<string, Refused>();
  for (const node of decision.nodes) {
    if (node.feasible) continue;
    const reason = node.reasons.join("; ") || node.code;
    const key = `${node.plugin}\n${reason}`;
    const held = groups.get(key);
    if (held) held.nodes.push(node.name);
    else groups.set(key, { plugin: node.plugin, reason, nodes: [node.name] });
  }
  const refused = [...groups.values()].sort((a, b) => b.nodes.length - a.nodes.length || (a.plugin < b.plugin ? -1 : 1));
  return { plugins, takers, refused, most: Math.max(1, ...takers.map((node) => node.total ?? 0)) };
}
