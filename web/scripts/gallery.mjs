// Screenshots of every view for a manual review: both languages, both themes, desktop and phone; empty, disconnected and large.
//   web/scripts/gallery BINARY FOLDER [--only=TEXT] [--large]
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { chromium } = createRequire(path.join(root, "package.json"))("playwright-core");
const [binary, folder] = process.argv.slice(2);
const only = process.argv.find((word) => word.startsWith("--only="))?.slice(7) ?? "";
const large = process.argv.includes("--large");
mkdirSync(folder, { recursive: true });
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const children = [];
process.once("exit", () => children.forEach((child) => child.kill("SIGKILL")));
let ports = 20000 + (process.pid % 20000);

async function serve(program, words, port) {
  const child = spawn(program, words, { stdio: "ignore" });
  children.push(child);
  const url = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 300; i++) {
    if (await fetch(`${url}/api/v1/session`).then((answer) => answer.ok, () => false)) return { url, child };
    await wait(100);
  }
  throw new Error(`${program} does not answer`);
}
const demo = (port, ...more) => serve(binary, ["demo", "--scenario", path.join(root, large ? "e2e/large.yaml" : "e2e/scenario.yaml"), "--speed", large ? "1" : "10", "--ui-port", String(port), ...(large ? ["--nodes", "5000"] : []), ...more], port);
const mock = (port, ...more) => serve(process.execPath, [path.join(root, "mock/server.mjs"), `--port=${port}`, ...more], port);

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const LOOKS = [
  { name: "desk-en-light", locale: "en-US", colorScheme: "light", width: 1440, height: 900 },
  { name: "desk-zh-dark", locale: "zh-CN", colorScheme: "dark", width: 1440, height: 900 },
  { name: "phone-zh-light", locale: "zh-CN", colorScheme: "light", width: 360, height: 740 },
  { name: "phone-en-dark", locale: "en-US", colorScheme: "dark", width: 360, height: 740 },
];
async function each(url, views, prefix, during = async () => undefined) {
  for (const look of LOOKS) {
    const context = await browser.newContext({ locale: look.locale, colorScheme: look.colorScheme, reducedMotion: "reduce", viewport: { width: look.width, height: look.height } });
    const page = await context.newPage();
    await page.goto(`${url}/ui/`);
    await page.locator(".score-number, .empty, .problem, dialog, .loading").first().waitFor();
    for (const [name, hash, act] of views) {
      const file = `${prefix}${name}-${look.name}.png`;
      if (!file.includes(only)) continue;
      await page.evaluate((text) => void (location.hash = text), hash);
      await page.locator("main h1, main .empty, main .problem").first().waitFor().catch(() => undefined);
      await wait(700);
      await act?.(page);
      await during(page);
      await page.screenshot({ path: path.join(folder, file), fullPage: true });
      await page.keyboard.press("Escape");
    }
    await context.close();
  }
}
const get = async (url, what) => (await fetch(`${url}/api/v1/${what}`)).json();
const post = (url, what, body) => fetch(`${url}/api/v1/${what}`, { method: "POST", headers: { "Content-Type": "application/json", "X-Rescheduler-Action": "1" }, body: JSON.stringify(body) });

const real = await demo(ports++);
for (let i = 0; i < 200; i++) {
  const { nodes, pods } = await get(real.url, "overview");
  if (nodes.total > 0 && pods.total > nodes.total && pods.pending <= 1) break;
  await wait(1000);
}
const [pod] = (await get(real.url, "pods?query=shop/web&limit=1")).pods;
const [big] = (await get(real.url, "pods?query=too-big&limit=1")).pods;
const views = [
  ["overview", "#/overview"], ["pods", "#/pods"], ["plan", "#/plan"], ["migrations", "#/migrations"], ["recovery", "#/recovery"],
  ["maintenance", "#/maintenance"], ["settings", "#/settings"], ["node", "#/nodes/node-a-1"], ["pod", `#/pods/${pod.namespace}/${pod.name}`],
  ["help", "#/overview", async (page) => page.locator("body").press("?")],
  ["table", "#/overview", async (page) => page.locator(".switches .segmented").last().locator("button").last().click()],
];
if (big) views.push(["unschedulable", `#/pods/${big.namespace}/${big.name}`]);
if (!large) {
  await post(real.url, "maintenance", { node: "node-a-2", on: true });
  await post(real.url, "pause", { paused: true, reason: "a user reviews it: <b>why</b>\u202eesrever" });
  await wait(6000);
}
await each(real.url, views, large ? "large-" : "");
if (!large) {
  const lost = [["overview", "#/overview"], ["pods", "#/pods"]];
  let gone = false;
  await each(real.url, lost, "lost-", async (page) => {
    await page.route("**/api/v1/**", (route) => route.abort());
    if (!gone) real.child.kill("SIGKILL");
    gone = true;
    await page.locator("[data-testid=lost]").waitFor({ timeout: 8000 }).catch(() => undefined);
  }).catch(() => undefined); // the server may have stopped already: then the browser shows its own error page
  const dist = process.env.PAGES;
  const served = dist ? [`--dist=${dist}`] : [];
  const empty = await mock(ports++, "--empty", ...served);
  await each(empty.url, views.slice(0, 7), "empty-");
  const odd = await mock(ports++, "--hostile", ...served);
  await each(odd.url, views.slice(0, 7), "hostile-");
  const closed = await mock(ports++, "--token=x", ...served);
  await each(closed.url, [["token", "#/overview"]], "");
}
await browser.close();
