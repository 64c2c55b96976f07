// The state of a plan after a number of its steps. The plan has the state of each node before and after. In between, a
// node is interpolated by its completed moves, which is exact for pods and an estimate for load.
import type { Percent, Plan } from "../api/types";

export interface PlanNode {
  name: string;
  before: { cpu: Percent; memory: Percent; pods: number };
  now: { cpu: Percent; memory: Percent; pods: number };
  moves: number; // number of moves from or to the node
}

export const stepsOf = (plan: Plan): number => plan.moves.reduce((most, move) => Math.max(most, move.step), 0);

export function nodesAfter(plan: Plan, step: number): PlanNode[] {
  const touched = new Map<string, { all: number; done: number; pods: number }>();
  const touch = (name: string, done: boolean, change: number): void => {
    const held = touched.get(name) ?? { all: 0, done: 0, pods: 0 };
    held.all++;
    if (done) {
      held.done++;
      held.pods += change;
    }
    touched.set(name, held);
  };
  for (const move of plan.moves) {
    touch(move.source, move.step <= step, -1);
    touch(move.target, move.step <= step, 1);
  }
  const after = new Map(plan.after.nodes.map((node) => [node.name, node]));
  const between = (a: Percent, b: Percent, share: number): Percent => (a === null || b === null ? null : a + (b - a) * share);
  const found: PlanNode[] = [];
  for (const before of plan.before.nodes) {
    const how = touched.get(before.name);
    if (!how) continue;
    const end = after.get(before.name) ?? before;
    const share = how.done / how.all;
    found.push({
      name: before.name, before,
      now: { cpu: between(before.cpu, end.cpu, share), memory: between(before.memory, end.memory, share), pods: before.pods + how.pods },
      moves: how.all,
    });
  }
  return found.sort((a, b) => (b.before.cpu ?? 0) - (a.before.cpu ?? 0) || (a.name < b.name ? -1 : 1));
}

// New plans are made continuously; most of them have the same moves.
export function sameMoves(a: Plan, b: Plan): boolean {
  const words = (plan: Plan): string => plan.moves.map((move) => `${move.step} ${move.uid} ${move.target}`).join();
  return words(a) === words(b);
}

export interface RefusalGroup { code: string; pods: { namespace: string; pod: string; node: string; reason: string }[] }
export function groupRefusals(plan: Plan): RefusalGroup[] {
  const groups = new Map<string, RefusalGroup>();
  for (const one of plan.refused) {
    const held = groups.get(one.code) ?? { code: one.code, pods: [] };
    held.pods.push(one);
    groups.set(one.code, held);
  }
  return [...groups.values()].sort((a, b) => b.pods.length - a.pods.length || (a.code < b.code ? -1 : 1));
}
