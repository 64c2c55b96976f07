import assert from "node:assert/strict";
import test from "node:test";
import { tables, fill } from "../src/i18n";
import { parts, visible } from "../src/ui/visible";
import { link, parseRoute } from "../src/state/route";
import { matchNodes } from "../src/ui/Search";

test("invisible characters of a name are shown as code points", () => {
  assert.equal(visible("evil\u202egnp.exe"), "evil‹U+202E›gnp.exe");
  assert.equal(visible("a\u0000b\u200b"), "a‹U+0000›b‹U+200B›");
  assert.equal(visible("tag\u{e0041}"), "tag‹U+E0041›");
  assert.deepEqual(parts("\u2066x"), [{ text: "U+2066", hidden: true }, { text: "x", hidden: false }]);
});

test("visible text, including Chinese and Arabic, is not changed", () => {
  for (const text of ["", "node-a-1", "节点 一", "عقدة", "line\nbreak", "<b>&amp;</b>"]) assert.equal(visible(text), text);
});

test("both languages have all texts, with the same placeholders", () => {
  assert.deepEqual(Object.keys(tables.zh).sort(), Object.keys(tables.en).sort());
  const names = (text: string) => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))].sort();
  for (const key of Object.keys(tables.en) as (keyof typeof tables.en)[]) {
    assert.ok(tables.en[key] !== "" && tables.zh[key] !== "", key);
    assert.deepEqual(names(tables.zh[key]), names(tables.en[key]), key);
  }
});

test("singular and plural differ in languages that distinguish them", () => {
  assert.equal(fill("{n} pod|{n} pods", { n: 1 }), "1 pod");
  assert.equal(fill("{n} pod|{n} pods", { n: 0 }), "0 pods");
  assert.equal(fill("{n} 个 Pod", { n: 1 }), "1 个 Pod");
  assert.equal(fill("{what}", {}), "{what}");
});

test("a route keeps any name", () => {
  for (const name of ["a/b", "50%", "%zz", "<script>", "名字", "a?b#c", "\u202e"]) {
    assert.deepEqual(parseRoute(link("nodes", name)).path, ["nodes", name]);
  }
  assert.equal(parseRoute("#/pods?state=failing").query.get("state"), "failing");
  assert.deepEqual(parseRoute("#/nodes/%zz").path, ["nodes", "%zz"]);
});

test("the search ignores case and returns at most eight nodes", () => {
  assert.deepEqual(matchNodes(["Node-A", "b"], "node"), ["Node-A"]);
  assert.equal(matchNodes(Array.from({ length: 100 }, (_, i) => `n${i}`), "n").length, 8);
});
