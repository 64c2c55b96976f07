// Bundles the TypeScript tests of a folder and runs them with Node's own runner, which reads no TypeScript on Node 18.
//   node scripts/test.mjs test|e2e [name part]
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const [folder = "test", part = ""] = process.argv.slice(2);
const tests = readdirSync(path.join(root, folder)).filter((name) => name.endsWith(".test.ts") && name.includes(part));
const outdir = path.join(root, ".cache", part ? `${folder}-${part}` : folder);
rmSync(outdir, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: tests.map((name) => `${folder}/${name}`),
  bundle: true,
  platform: "node",
  format: "esm",
  target: ["node18"],
  jsx: "automatic",
  jsxImportSource: "preact",
  packages: "external",
  loader: { ".css": "empty" },
  outdir,
  outExtension: { ".js": ".mjs" },
  logLevel: "warning",
});
const files = tests.map((name) => path.join(outdir, name.replace(/\.ts$/, ".mjs"))).sort();
// A test that skips itself writes the reason to this file (e2e/support.ts). Exit code 77 reports the skip to ctest.
const skipped = path.join(outdir, "skipped");
const ran = spawnSync(process.execPath, ["--test", ...files], {
  stdio: "inherit", cwd: root, env: { ...process.env, WEB_ROOT: root, SKIPPED_FILE: skipped },
});
if (ran.status === 0 && existsSync(skipped)) {
  console.log(`skipped: ${readFileSync(skipped, "utf8")}`);
  process.exit(77);
}
process.exit(ran.status ?? 1);
