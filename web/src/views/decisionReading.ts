// Arranges a decision for display: the feasible nodes with the score of each plugin, and the infeasible nodes.
import type { Decision, DecisionNode } from "../api/types";

export type Taker = Extract<DecisionNode, { feasible: true }>;
export type Refuser = Extract<DecisionNode, { feasible: false }>;
export interface Reading { plugins: string[]; takers: Taker[]; refusers: Refuser[]; most: number }

export function readDecision(decision: Decision): Reading {
  const takers = decision.nodes.filter((node): node is Taker => node.feasible)
    .sort((a, b) => (b.total ?? 0) - (a.total ?? 0) || (a.name === decision.node ? -1 : b.name === decision.node ? 1 : a.name < b.name ? -1 : 1));
  // Plugins whose scores differ most between nodes come first; a plugin with equal scores decides nothing.
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
  // Nodes that were asked for by name are listed one by one; the rest by reason.
  const refusers = decision.nodes.filter((node): node is Refuser => !node.feasible);
  return { plugins, takers, refusers, most: Math.max(1, ...takers.map((node) => node.total ?? 0)) };
}
