// Rules that every source file of the pages must follow.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";

const root = process.env["WEB_ROOT"]!;
function files(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? files(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]);
}
const sources = files("src").filter((name) => /\.(tsx?|css|html)$/.test(name)).map((name) => ({ name, text: readFileSync(path.join(root, name), "utf8") }));

test("no source turns text into markup or code", () => {
  const forbidden = /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|DOMParser|createContextualFragment|\beval\(|new Function\(|srcdoc|javascript:/;
  for (const { name, text } of sources) assert.doesNotMatch(text, forbidden, name);
});

test("no source names another host, and no markup contains a style or a script", () => {
  for (const { name, text } of sources) {
    assert.doesNotMatch(text, /https?:\/\/(?!localhost|www\.w3\.org\/2000\/svg)/, name);
    if (name.endsWith(".html")) {
      assert.doesNotMatch(text, /\sstyle=|\son\w+=|<style|<script(?![^>]*\ssrc=)/, name);
    } else if (name.endsWith(".tsx")) {
      assert.doesNotMatch(text, /\sstyle="/, name);
    }
  }
});

test("no source has more than 500 lines", () => {
  for (const { name, text } of sources) {
    if (!name.includes("i18n/")) assert.ok(text.split("\n").length <= 500, name);
  }
});

test("the lock file names no host, and every package has a hash and a fixed version", () => {
  const lock = readFileSync(path.join(root, "package-lock.json"), "utf8");
  assert.doesNotMatch(lock, /https?:/);
  const packages = (JSON.parse(lock) as { packages: Record<string, { integrity?: string }> }).packages;
  for (const [name, entry] of Object.entries(packages)) if (name !== "") assert.ok(entry.integrity, name);
  const own = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as Record<string, Record<string, string>>;
  for (const version of [...Object.values(own["dependencies"]!), ...Object.values(own["devDependencies"]!)]) assert.match(version, /^\d+\.\d+\.\d+$/);
});
