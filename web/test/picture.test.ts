import assert from "node:assert/strict";
import test from "node:test";
import type { Decision, NodeRow, Plan } from "../src/api/types";
import { groupNodes, valueOf } from "../src/tiles/groups";
import { boxOf, layOut, neighbour, nodeAt } from "../src/tiles/layout";
import { contrast, luminance, shade } from "../src/tiles/scale";
import { readDecision } from "../src/views/decisionReading";
import { groupRefusals, nodesAfter, stepsOf } from "../src/views/planSteps";

const groupsOf = (...sizes: number[]) => sizes.map((size, g) => ({ name: `g${g}`, nodes: Array.from({ length: size }, (_, i) => `n${g}-${i}`) }));

test("every node has a tile, no two tiles overlap, and a point in a tile finds its node", () => {
  for (const [sizes, width, height] of [[[24], 900, 400], [[8, 8, 8], 900, 400], [[1], 320, 300], [[1700, 1700, 1600], 900, 500], [[40, 3, 1, 7, 120], 360, 380]] as const) {
    const layout = layOut(groupsOf(...sizes), width, height);
    const seen = new Set<string>();
    for (const node of layout.order) {
      const box = boxOf(layout, node)!;
      assert.equal(nodeAt(layout, box.x + box.width / 2, box.y + box.height / 2), node);
      const key = `${Math.round(box.x * 10)},${Math.round(box.y * 10)}`;
      assert.ok(!seen.has(key), `two tiles at ${key}`);
      seen.add(key);
      assert.ok(box.x >= 0 && box.x + box.width <= width + 0.01, `${node} is within ${width}`);
    }
    assert.equal(layout.order.length, sizes.reduce((a: number, b: number) => a + b, 0));
  }
});

test("five thousand nodes fit into the height of the view", () => {
  const layout = layOut(groupsOf(1700, 1700, 1600), 860, 420);
  assert.ok(layout.height <= 420, `${layout.height}`);
});

test("arrow keys reach the last node, and Home and ArrowUp return", () => {
  const layout = layOut(groupsOf(7, 5), 500, 300);
  let node = layout.order[0]!;
  for (let i = 0; i < 20; i++) node = neighbour(layout, node, "ArrowRight")!;
  assert.equal(node, layout.order[layout.order.length - 1]);
  assert.equal(neighbour(layout, node, "Home"), layout.order[0]);
  const below = neighbour(layout, layout.order[0]!, "ArrowDown")!;
  assert.equal(neighbour(layout, below, "ArrowUp"), layout.order[0]);
});

const row: NodeRow = ["a", "z1", "", "ready", 11, 110, 1, 2, 3, 4, 5, null];

test("a tile has the value of the chosen resource and measure", () => {
  assert.equal(valueOf(row, "cpu", "real"), 1);
  assert.equal(valueOf(row, "memory", "real"), 2);
  assert.equal(valueOf(row, "cpu", "predicted"), 3);
  assert.equal(valueOf(row, "cpu", "requested"), 5);
  assert.equal(valueOf(row, "memory", "requested"), null);
  assert.equal(valueOf(row, "pods", "real"), 10);
});

test("nodes of a group are in numeric order", () => {
  const rows = ["n10", "n9", "n2"].map((name): NodeRow => [name, "z", "", "ready", 0, 1, 0, 0, 0, 0, 0, 0]);
  assert.deepEqual(groupNodes(rows, "zone"), [{ name: "z", nodes: ["n2", "n9", "n10"] }]);
  assert.deepEqual(groupNodes(rows, "pool")[0]!.name, "—");
});

test("the lightness of the scale is monotonic, and the contrast of its numbers is sufficient", () => {
  for (const dark of [false, true]) {
    let last = luminance(shade(0, dark).rgb);
    for (let value = 1; value <= 100; value++) {
      const now = luminance(shade(value, dark).rgb);
      assert.ok(dark ? now >= last - 1e-9 : now <= last + 1e-9, `${dark ? "dark" : "light"} ${value}`);
      last = now;
      const ink = shade(value, dark).ink === "#ffffff" ? 1 : luminance([16, 20, 28]);
      assert.ok(contrast(now, ink) >= 4.3, `${dark ? "dark" : "light"} ${value}: ${contrast(now, ink)}`);
    }
  }
});

const plan = {
  moves: [{ step: 1, source: "a", target: "b" }, { step: 2, source: "a", target: "c" }],
  before: { nodes: [{ name: "a", cpu: 80, memory: null, pods: 5 }, { name: "b", cpu: 10, memory: 1, pods: 1 }, { name: "c", cpu: 20, memory: 1, pods: 1 }, { name: "d", cpu: 30, memory: 1, pods: 1 }] },
  after: { nodes: [{ name: "a", cpu: 40, memory: null, pods: 3 }, { name: "b", cpu: 30, memory: 2, pods: 2 }, { name: "c", cpu: 40, memory: 2, pods: 2 }, { name: "d", cpu: 30, memory: 1, pods: 1 }] },
  refused: [{ code: "x", pod: "1" }, { code: "y", pod: "2" }, { code: "y", pod: "3" }],
} as unknown as Plan;

test("the loads after each step lead from the state before the plan to the state after it", () => {
  assert.equal(stepsOf(plan), 2);
  const at = (step: number) => Object.fromEntries(nodesAfter(plan, step).map((node) => [node.name, [node.now.cpu, node.now.pods]]));
  assert.deepEqual(at(0), { a: [80, 5], b: [10, 1], c: [20, 1] });
  assert.deepEqual(at(1), { a: [60, 4], b: [30, 2], c: [20, 1] });
  assert.deepEqual(at(2), { a: [40, 3], b: [30, 2], c: [40, 2] });
  assert.equal(nodesAfter(plan, 1)[0]!.now.memory, null, "an unknown value stays unknown");
  assert.deepEqual(groupRefusals(plan).map((group) => [group.code, group.pods.length]), [["y", 2], ["x", 1]]);
});

test("a decision lists the best node first, the deciding plugin first, and infeasible nodes separately", () => {
  const score = (weighted: number) => ({ raw: 0, normalized: 0, weighted });
  const decision = {
    node: "b", current: "a", nodes: [
      { name: "a", feasible: true, total: 10, scores: { Same: score(5), Tells: score(5) } },
      { name: "b", feasible: true, total: 30, scores: { Same: score(5), Tells: score(25) } },
      { name: "c", feasible: false, plugin: "P", code: "Unschedulable", reasons: ["full"] },
      { name: "d", feasible: false, plugin: "P", code: "Unschedulable", reasons: ["full"] },
      { name: "e", feasible: false, plugin: "Q", code: "Unschedulable", reasons: [] },
    ],
  } as unknown as Decision;
  const reading = readDecision(decision);
  assert.deepEqual(reading.takers.map((node) => node.name), ["b", "a"]);
  assert.deepEqual(reading.plugins, ["Tells", "Same"]);
  assert.deepEqual(reading.refusers.map((node) => node.name), ["c", "d", "e"]);
});
