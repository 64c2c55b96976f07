#!/usr/bin/env node
// Makes the pictures of the README from a running demo: docs/images/dashboard.png and dashboard.webp (animated).
//   web/scripts/screenshots BINARY [OUTPUT_FOLDER]       needs chromium, and img2webp of Debian's package webp
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createRequire } from "node:module";

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const { chromium } = createRequire(path.join(root, "web/package.json"))("playwright-core");
const [binary, folder = path.join(root, "docs/images")] = process.argv.slice(2);
const port = 20000 + (process.pid % 20000);
const frames = mkdtempSync(path.join(tmpdir(), "dashboard-"));
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const demo = spawn(binary, ["demo", "--scenario", "imbalance", "--speed", "3", "--ui-port", String(port)], { stdio: "ignore" });
process.once("exit", () => {
  demo.kill("SIGKILL");
  rmSync(frames, { recursive: true, force: true });
});
const url = `http://127.0.0.1:${port}`;
for (let i = 0; i < 200; i++) {
  if (await fetch(`${url}/api/v1/session`).then((answer) => answer.ok, () => false)) break;
  await wait(100);
}
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const page = await (await browser.newContext({ viewport: { width: 1440, height: 940 }, locale: "en-US", colorScheme: "light" })).newPage();
await page.goto(`${url}/ui/`);
await page.locator(".score-number").waitFor();

// Takes the frames of the animation while the cluster becomes balanced, and the still picture during the moves.
const taken = [];
let still = false;
for (let i = 0; i < 60; i++) {
  const name = path.join(frames, `${String(i).padStart(3, "0")}.png`);
  await page.screenshot({ path: name });
  taken.push(name);
  const moving = await page.evaluate(() => Number(document.querySelector(".side a[href='#/migrations'] .count")?.textContent ?? 0));
  if (!still && moving >= 2 && i > 12) {
    await page.screenshot({ path: path.join(folder, "dashboard.png") });
    still = true;
  }
  await wait(250);
}
await browser.close();
demo.kill("SIGTERM");
const moving = path.join(folder, "dashboard.webp");
const made = spawnSync("img2webp", ["-loop", "0", "-lossy", "-q", "55", "-m", "4", "-d", "400", ...taken, "-o", moving], { stdio: ["ignore", "ignore", "inherit"] });
if (made.status !== 0) throw new Error("img2webp failed (Debian's package webp)");
for (const name of ["dashboard.png", "dashboard.webp"]) console.log(`${name}: ${Math.round(statSync(path.join(folder, name)).size / 1024)} KiB`);
