import assert from "node:assert/strict";
import test from "node:test";
import { Backoff, EventParser } from "../src/api/sse";
import type { ActivityLine, History, Migration, NodeRow } from "../src/api/types";
import { appendHistory, applyNodes, mergeActivity, mergeMigrations, nodes, nodeSetChanged, setNodes } from "../src/state/store";

const TEXT = "event: hello\ndata: {\"boot\":1}\n\n: ping\n\nevent: nodes\r\ndata: a\r\ndata: b\r\n\r\ndata:x\n\n";

test("the parsed events do not depend on how the bytes are split", () => {
  const whole = new EventParser().push(TEXT);
  assert.deepEqual(whole, [{ event: "hello", data: '{"boot":1}' }, { event: "nodes", data: "a\nb" }, { event: "message", data: "x" }]);
  for (let cut = 1; cut < TEXT.length; cut++) {
    const parser = new EventParser();
    assert.deepEqual([...parser.push(TEXT.slice(0, cut)), ...parser.push(TEXT.slice(cut))], whole, `cut at ${cut}`);
  }
  const parser = new EventParser();
  assert.deepEqual([...TEXT].flatMap((one) => parser.push(one)), whole);
});

test("the backoff doubles up to ten seconds and starts again after a reset", () => {
  const backoff = new Backoff(() => 0.5);
  assert.deepEqual(Array.from({ length: 7 }, () => backoff.next()), [500, 1000, 2000, 4000, 8000, 10000, 10000]);
  backoff.reset();
  assert.equal(backoff.next(), 500);
});

const row = (name: string, zone = "z"): NodeRow => [name, zone, "p", "ready", 1, 110, 1, 2, 3, 4, 5, 6];

test("node changes are applied unless the table already contains them", () => {
  setNodes({ revision: 5, columns: [], rows: [row("a"), row("b")] });
  applyNodes({ revision: 5, rows: [], gone: ["a"] });
  assert.equal(nodes.size, 2, "the table already contains this revision");
  const before = nodeSetChanged.value;
  applyNodes({ revision: 6, rows: [row("a")], gone: [] });
  assert.equal(nodeSetChanged.value, before, "no node was added or removed");
  applyNodes({ revision: 7, rows: [row("c"), row("a", "other")], gone: ["b"] });
  assert.deepEqual([...nodes.keys()].sort(), ["a", "c"]);
  assert.equal(nodeSetChanged.value, before + 1);
});

const migration = (name: string, created: string, phase = "Pending"): Migration => ({ namespace: "n", name, created, phase }) as Migration;

test("migrations are sorted newest first without duplicates", () => {
  const held = mergeMigrations([migration("a", "2026-01-01")], { changed: [migration("b", "2026-01-02"), migration("a", "2026-01-01", "Evicting")], gone: [] });
  assert.deepEqual(held.map((one) => [one.name, one.phase]), [["b", "Pending"], ["a", "Evicting"]]);
  assert.deepEqual(mergeMigrations(held, { changed: [], gone: [{ namespace: "n", name: "b" }] }).map((one) => one.name), ["a"]);
});

test("activity is sorted newest first without duplicates and limited to 200 lines", () => {
  const line = (id: number): ActivityLine => ({ id }) as ActivityLine;
  assert.deepEqual(mergeActivity([line(2), line(1)], [line(3), line(2)]).map((one) => one.id), [3, 2, 1]);
  assert.equal(mergeActivity([], Array.from({ length: 500 }, (_, i) => line(i))).length, 200);
});

test("a sample is appended once, and all series have the same length", () => {
  const empty: History = { everySeconds: 1, at: [], balance: [], cpuMax: [], memoryMax: [], cpuDeviation: [], pending: [], moves: [] };
  const sample = { at: 10, balance: 50, cpuMax: 1, memoryMax: 1, cpuDeviation: 1, pending: 0, moves: 2 };
  const once = appendHistory(empty, sample);
  assert.equal(appendHistory(once, sample), once);
  const { everySeconds, ...series } = appendHistory(once, { ...sample, at: 11 });
  assert.equal(everySeconds, 1);
  for (const values of Object.values(series)) assert.equal(values.length, 2);
});
