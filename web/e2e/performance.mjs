// Measures the speed of the pages with many nodes. Not a test: `make bench-pages` prints the numbers of docs/benchmarks.md.
//   RESCHEDULER_BINARY=... node e2e/performance.mjs [--nodes=5000] [--url=http://127.0.0.1:8088]
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const option = (name, fallback) => process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback;
const here = path.dirname(fileURLToPath(import.meta.url));
let url = option("url", "");
let child = null;
if (!url) {
  const port = 20000 + (process.pid % 20000);
  url = `http://127.0.0.1:${port}`;
  child = spawn(process.env.RESCHEDULER_BINARY, ["demo", "--scenario", path.join(here, "large.yaml"), "--nodes", option("nodes", "5000"), "--speed", "1", "--ui-port", String(port)], { stdio: "ignore" });
  process.once("exit", () => child.kill("SIGKILL"));
}
const get = async (what) => (await fetch(`${url}/api/v1/${what}`)).json();
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
for (let i = 0; ; i++) {
  const seen = await get("overview").catch(() => null);
  if (seen && seen.nodes.total > 0 && seen.pods.total >= seen.nodes.total * 9 && seen.pods.pending <= 1) break;
  if (i > 900 || (child && child.exitCode !== null)) throw new Error(`the cluster did not start: ${JSON.stringify(seen)?.slice(0, 300)}`);
  await wait(1000);
}
const { nodes, pods } = await get("overview");
console.log(`${nodes.total} nodes, ${pods.total} pods`);

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const first = [];
let page;
for (let i = 0; i < 5; i++) {
  await page?.context().close();
  page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(`${url}/ui/`);
  await page.waitForFunction(() => performance.getEntriesByName("picture").length > 0, null, { timeout: 60_000 });
  first.push(await page.evaluate(() => performance.getEntriesByName("picture")[0].startTime));
}
first.sort((a, b) => a - b);
console.log(`first picture: median ${Math.round(first[2])} ms, worst ${Math.round(first[4])} ms of 5 (cold cache)`);

const host = page.locator("[data-testid=tiles]");
const box = await host.boundingBox();
await host.focus();
async function frames(name, during) {
  await page.evaluate(() => {
    const held = (window.measured = { gaps: [], last: performance.now(), on: true });
    const tick = (now) => {
      held.gaps.push(now - held.last);
      held.last = now;
      if (held.on) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  const painted = Number(await host.locator("canvas").getAttribute("data-frames"));
  const start = Date.now();
  await during();
  const took = (Date.now() - start) / 1000;
  const drawn = Number(await host.locator("canvas").getAttribute("data-frames")) - painted;
  const gaps = await page.evaluate(() => ((window.measured.on = false), window.measured.gaps.slice(1).sort((a, b) => a - b)));
  console.log(`${name}: ${(drawn / took).toFixed(0)} redraws/s, ${(gaps.length / took).toFixed(0)} frames/s, 95th percentile ${gaps[Math.floor(gaps.length * 0.95)].toFixed(0)} ms between frames`);
}
const [cx, cy] = [box.x + box.width / 2, box.y + box.height / 2];
await frames("zooming", async () => {
  for (let i = 0; i < 150; i++) {
    await page.mouse.move(cx, cy);
    await page.mouse.wheel(0, i % 100 < 50 ? -60 : 60);
    await wait(12);
  }
});
await page.mouse.wheel(0, -600);
await frames("panning", async () => {
  await page.mouse.move(cx, cy);
  await page.mouse.down();
  for (let i = 0; i < 200; i++) {
    await page.mouse.move(cx + 200 * Math.sin(i / 15), cy + 120 * Math.cos(i / 15));
    await wait(12);
  }
  await page.mouse.up();
});
const session = await page.context().newCDPSession(page);
await session.send("HeapProfiler.collectGarbage");
const heap = (await session.send("Runtime.getHeapUsage")).usedSize;
const processes = (await (await browser.newBrowserCDPSession()).send("SystemInfo.getProcessInfo")).processInfo.filter((one) => one.type === "renderer");
const sizes = processes.map((one) => {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${one.id}/smaps_rollup`, "utf8"))[1]) / 1024;
  } catch {
    return 0;
  }
});
console.log(`memory: ${(heap / 2 ** 20).toFixed(0)} MiB JavaScript heap, ${Math.max(...sizes).toFixed(0)} MiB renderer process`);
await browser.close();
child?.kill("SIGTERM");
