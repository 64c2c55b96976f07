// Bundles the pages: index.html and files whose names carry a hash of their content, so that browsers can cache them.
//   npm run build -- --outdir=DIR [--sourcemap]
import { build } from "esbuild";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const given = process.argv.find((word) => word.startsWith("--outdir="));
const outdir = path.resolve(given ? given.slice("--outdir=".length) : path.join(root, "dist"));

await rm(path.join(outdir, "assets"), { recursive: true, force: true });
await mkdir(path.join(outdir, "assets"), { recursive: true });
const result = await build({
  absWorkingDir: root,
  entryPoints: { app: "src/main.tsx" },
  bundle: true,
  minify: true,
  sourcemap: process.argv.includes("--sourcemap"),
  format: "esm",
  target: ["es2021"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "eof",
  charset: "utf8",
  outdir: path.join(outdir, "assets"),
  entryNames: "[name]-[hash]",
  metafile: true,
  logLevel: "warning",
});
const names = Object.keys(result.metafile.outputs).map((name) => path.basename(name));
const script = names.find((name) => name.endsWith(".js"));
const style = names.find((name) => name.endsWith(".css"));
const page = (await readFile(path.join(root, "src/index.html"), "utf8"))
  .replace("{{script}}", `assets/${script}`)
  .replace("{{style}}", `assets/${style}`);
await writeFile(path.join(outdir, "index.html"), page);
await copyFile(path.join(root, "src/icon.svg"), path.join(outdir, "assets/icon.svg"));
for (const [name, { bytes }] of Object.entries(result.metafile.outputs)) {
  console.log(`${path.basename(name)} ${(bytes / 1024).toFixed(1)} KiB`);
}
