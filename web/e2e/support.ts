// A server and a browser for the tests of the pages. Nothing here is a test.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";

export const root = process.env["WEB_ROOT"]!;
export const binary = process.env["RESCHEDULER_BINARY"] ?? "";
const browserPath = process.env["CHROMIUM"] ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync) ?? "";

// The reason why the tests cannot run here; empty: they can.
export const missing = binary === "" || !existsSync(binary) ? "RESCHEDULER_BINARY names no binary" : browserPath === "" ? "there is no chromium (scripts/install-deps)" : "";

// Every test file that skips itself calls this.
export function skipping(why: string): string {
  const file = process.env["SKIPPED_FILE"];
  if (file) writeFileSync(file, why);
  return why;
}

export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

const started: Program[] = [];
// Includes the programs of failed tests: while they run, the test process does not end.
export async function stopAll(): Promise<void> {
  await Promise.all(started.map((program) => program.stop("SIGKILL")));
}

// Keeps the latest output, for the error message if the program does not start.
export class Program {
  private text = "";
  private constructor(private readonly child: ChildProcess) {
    for (const pipe of [child.stdout, child.stderr]) pipe?.on("data", (part: Buffer) => (this.text = (this.text + part.toString()).slice(-8000)));
  }
  static start(words: string[]): Program {
    const child = spawn(binary, words, { stdio: ["ignore", "pipe", "pipe"] });
    const program = new Program(child);
    started.push(program);
    // The program ends with the test process.
    process.once("exit", () => child.kill("SIGKILL"));
    return program;
  }
  get over(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
  get printed(): string {
    return this.text;
  }
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.over) return;
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill(signal);
    await ended;
  }
}

export async function until<T>(what: string, look: () => Promise<T | false | null | undefined> | T | false | null | undefined, program?: Program, limit = 90_000): Promise<T> {
  const end = Date.now() + limit;
  for (;;) {
    try {
      const seen = await look();
      if (seen) return seen;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    if (program?.over) throw new Error(`${what}: the program ended: ${program.printed}`);
    if (Date.now() > end) throw new Error(`timeout after ${limit / 1000} s, expected: ${what} ${program?.printed ?? ""}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export class Demo {
  private constructor(readonly port: number, private program: Program, private readonly words: string[]) {}
  static async start(scenario = path.join(root, "e2e/scenario.yaml"), more: string[] = []): Promise<Demo> {
    const port = await freePort();
    const words = ["demo", "--scenario", scenario, "--ui-port", String(port), "--speed", "10", ...more];
    const demo = new Demo(port, Program.start(words), words);
    await demo.answers();
    return demo;
  }
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }
  async answers(): Promise<void> {
    await until("the demo answers", async () => (await fetch(`${this.url}/api/v1/session`)).ok, this.program);
  }
  async get<T>(what: string): Promise<T> {
    return (await (await fetch(`${this.url}/api/v1/${what}`)).json()) as T;
  }
  async post(what: string, body: unknown): Promise<Response> {
    return fetch(`${this.url}/api/v1/${what}`, {
      method: "POST", headers: { "Content-Type": "application/json", "X-Rescheduler-Action": "1" }, body: JSON.stringify(body),
    });
  }
  stop(): Promise<void> {
    return this.program.stop();
  }
  async startAgain(): Promise<void> {
    this.program = Program.start(this.words);
    await this.answers();
  }
}

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-dev-shm-usage", "--enable-precise-memory-info"] });
}

export interface Opened { page: Page; context: BrowserContext; errors: string[] }

// A page, and the errors of the browser: policy violations, exceptions, dialogs.
export async function open(browser: Browser, url: string, options: { language?: string; theme?: "light" | "dark"; width?: number; height?: number } = {}): Promise<Opened> {
  const context = await browser.newContext({
    locale: options.language ?? "en-US", colorScheme: options.theme ?? "light", ignoreHTTPSErrors: true, reducedMotion: "reduce",
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
  });
  context.setDefaultTimeout(60_000); // a busy machine is slow
  // For development of the pages: serves them from a folder instead of the binary, which takes a minute to link.
  const folder = process.env["PAGES"];
  if (folder) await context.route(/\/ui\//, (route) => route.fulfill({ path: path.join(folder, new URL(route.request().url()).pathname.slice(4) || "index.html") }));
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(`thrown: ${error.message}`));
  page.on("dialog", (dialog) => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource|net::ERR/.test(message.text())) errors.push(message.text());
  });
  await page.goto(url);
  return { page, context, errors };
}

export const axeSource = (): string => readFileSync(path.join(root, "node_modules/axe-core/axe.min.js"), "utf8");

export function temporary(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "rescheduler-pages-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function run(program: string, words: string[]): { code: number; out: string } {
  const ran = spawnSync(program, words, { encoding: "utf8" });
  return { code: ran.status ?? 1, out: (ran.stdout ?? "") + (ran.stderr ?? "") };
}
