// Read and write permissions, and an API server that does not answer: on a real control plane, because only it checks
// permissions. The server has the permissions of the product's role. Without the rig's binaries these tests are
// skipped.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { Program, binary, freePort, launch, missing, open, root, run, skipping, stopAll, temporary, until, type Opened } from "./support";

const rigTool = path.join(root, "../tools/kube-rig/rig");
interface Rig { name: string; kubeconfig: string }

function raise(): Rig | string {
  const started = run(rigTool, ["up", "--json", "--nodes", "4", "--keep-alive-of", String(process.pid)]);
  if (started.code === 3) return started.out.trim();
  if (started.code !== 0) throw new Error(started.out);
  return JSON.parse(started.out.slice(started.out.indexOf("{"))) as Rig;
}
const raised = missing ? missing : raise();
const skip = typeof raised === "string" ? skipping(raised) : false;
const rig = raised as Rig;
const kubectl = (...words: string[]): string => {
  const { code, out } = run(rigTool, ["kubectl", rig.name, ...words]);
  assert.equal(code, 0, out);
  return out.trim();
};

// Each action with the only account that may do it.
const ACTIONS = { pauser: "pause", applier: "plan/apply", canceller: "migrations/cancel", mover: "moves", maintainer: "maintenance" } as const;
type Actor = keyof typeof ACTIONS;
const ACTORS = Object.keys(ACTIONS) as Actor[];
const rights = (name: string, rules: string[]): string => `
apiVersion: v1
kind: ServiceAccount
metadata: {name: ${name}, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: pages-${name}}
rules: [${rules.join(", ")}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: pages-${name}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: pages-${name}}
subjects: [{kind: ServiceAccount, name: ${name}, namespace: default}]
---`;
const LOOK = `{nonResourceURLs: ["/rescheduler/api/*"], verbs: [get]}`;
const OBJECTS = [
  rights("outsider", []), rights("viewer", [LOOK]),
  ...ACTORS.map((name) => rights(name, [LOOK, `{nonResourceURLs: ["/rescheduler/api/v1/${ACTIONS[name]}"], verbs: [post]}`])),
  `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      schedulerName: rescheduler-scheduler
      containers: [{name: main, image: registry.example/web, resources: {requests: {cpu: 10m, memory: 16Mi}}}]
---`,
].join("");
// The program proposes to move pods off nodes whose taints they do not tolerate, and moves no pod by itself.
const configuration = (kubeconfig: string): string => `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: ${kubeconfig}}
profiles:
- schedulerName: rescheduler-scheduler
  plugins: {multiPoint: {enabled: [{name: Rescheduler}]}}
  pluginConfig:
  - {name: Podrescheduling, args: {recovery: {webhook: {port: 0}}}}
  - name: Rescheduler
    args:
      reschedulingInterval: 1s
      load: {sources: []}
      enabledStrategies: [NodeMaintenance]
      rescheduling:
        modes: {ConstraintRepair: observe}
        constraintRepair: {nodeAffinity: false, podAntiAffinity: false, topologySpread: false, duplicates: false}
        protections: {leastAge: 1s, leastReplicas: 1}
`;

let program: Program;
let browser: Browser;
let seen: Opened;
let page: Page;
let port: number;
let words: string[];
let account: string;  // kubeconfig of the product's ServiceAccount, which has only the permissions of its role
const tokens = new Map<string, string>();
const token = (who: string): string => {
  if (!tokens.has(who)) tokens.set(who, kubectl("create", "token", who, "-n", "default"));
  return tokens.get(who)!;
};
// Sent from the page itself: the server would refuse another origin.
const ask = (who: string, path: string, body?: unknown): Promise<{ status: number; body: { message?: string } & Record<string, unknown> }> =>
  page.evaluate(async ([held, where, text]) => {
    const answer = await fetch(`../api/v1/${where}`, {
      ...(text === null ? {} : { method: "POST", body: text }),
      headers: { "Content-Type": "application/json", "X-Rescheduler-Action": "1", Authorization: `Bearer ${held}` },
    });
    return { status: answer.status, body: await answer.json() };
  }, [token(who), path, body === undefined ? null : JSON.stringify(body)] as const);
const eventsBy = (who: string): string[] => (JSON.parse(kubectl("get", "events.events.k8s.io", "-A", "-o", "json", "--field-selector", "reportingController=rescheduler-dashboard")) as { items: { reason: string; note: string }[] })
  .items.filter((one) => one.note.includes(`system:serviceaccount:default:${who}`)).map((one) => one.reason);
const waitForEvent = (who: string, reason: string): Promise<unknown> => until(`an Event ${reason} that names ${who}`, () => eventsBy(who).includes(reason));
const go = (hash: string): Promise<void> => page.evaluate((text) => void (location.hash = text), hash);
const enter = async (text: string): Promise<void> => {
  await page.locator("#token").fill(text);
  await page.getByRole("button", { name: "Sign in" }).click();
};

before(async () => {
  if (skip) return;
  const folder = temporary();
  writeFileSync(path.join(folder, "objects.yaml"), OBJECTS);
  account = path.join(folder, "account");
  const made = run(path.join(root, "../tests/support/product_account"), [run(rigTool, ["which", "kubectl"]).out.trim(), rig.kubeconfig, account]);
  assert.equal(made.code, 0, made.out);
  writeFileSync(path.join(folder, "config.yaml"), configuration(account));
  kubectl("apply", "-f", path.join(folder, "objects.yaml"));
  port = await freePort();
  words = ["run", "--config", path.join(folder, "config.yaml"), "--leader-elect=false", "--secure-port", String(port), "--bind-address", "0.0.0.0"];
  program = Program.start(words);
  browser = await launch();
  await until("the server listens", async () => {
    seen = await open(browser, `https://127.0.0.1:${port}/ui/`);
    return true;
  }, program);
  page = seen.page;
});
after(async () => {
  await browser?.close();
  await stopAll();
  await program?.stop();
  if (!skip) run(rigTool, ["down", rig.name]);
});

test("without a token only the token dialog is shown, and an invalid token is refused", { skip }, async () => {
  await page.getByRole("dialog", { name: "Enter a token" }).waitFor();
  assert.equal(await page.locator(".score-number").count(), 0);
  await enter("not-a-token");
  await page.getByText("The cluster did not accept this token").waitFor();
});

test("a user without the permission to view sees a message that names the user", { skip }, async () => {
  await enter(token("outsider"));
  await page.locator("[data-testid=forbidden]", { hasText: "outsider" }).waitFor();
  await page.getByRole("button", { name: "Use another token" }).click();
});

test("a user who can only view sees every view, and every action is disabled and forbidden", { skip }, async () => {
  await enter(token("viewer"));
  await page.locator(".score-number").waitFor();
  const pause = page.getByRole("button", { name: "Pause" });
  assert.equal(await pause.isDisabled(), true);
  await page.locator(".not-allowed", { hasText: "not allowed" }).first().waitFor();
  for (const action of Object.values(ACTIONS)) assert.equal((await ask("viewer", action, {})).status, 403, action);
  await go("#/settings");
  const rows = page.locator("[data-testid=settings] tbody tr");
  await rows.first().waitFor();
  const all = await rows.count();
  assert.ok(all > 1);
  await page.getByPlaceholder("Name, value or meaning").fill((await rows.first().locator("th").textContent()) ?? "");
  await until("fewer rows", async () => (await rows.count()) < all && (await rows.count()) > 0);
  await page.getByPlaceholder("Name, value or meaning").fill("pluginConfig[Rescheduler].args.reschedulingInterval");
  const interval = page.locator("[data-testid=settings] tbody tr", { hasText: "1s" });
  await interval.locator(".badge", { hasText: "file" }).waitFor();
  assert.notEqual((await interval.locator("td").last().textContent()) ?? "", "", "the meaning of the setting is shown");
  await go("#/overview");
  await page.locator(".score-number").waitFor();
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((key) => /token/i.test(key))), [], "the token is not in localStorage");
});

test("each action needs its own permission, and no permission allows another action", { skip }, async () => {
  for (const actor of ACTORS) {
    const { body } = await ask(actor, "session");
    const may = Object.entries(body["may"] as Record<string, boolean>).filter(([, yes]) => yes).length;
    assert.equal(may, 1, `${actor} may do ${JSON.stringify(body["may"])}`);
    for (const [other, action] of Object.entries(ACTIONS)) {
      const { status } = await ask(actor, action, { unknown: "field" });
      assert.equal(status, other === actor ? 400 : 403, `${actor}: ${action}`);
    }
  }
});

test("a user with the permission pauses rescheduling on the page, and an Event names the user", { skip }, async () => {
  await page.evaluate((text) => sessionStorage.setItem("rescheduler.token", text), token("pauser"));
  await page.reload();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator("dialog button.primary").click();
  await page.locator("[data-testid=paused]", { hasText: "system:serviceaccount:default:pauser" }).waitFor();
  await waitForEvent("pauser", "ReschedulingPaused");
  await page.locator("[data-testid=paused]").getByRole("button", { name: "Resume" }).click();
  await page.locator("[data-testid=paused]").waitFor({ state: "detached" });
  await waitForEvent("pauser", "ReschedulingUnpaused");
});

test("permitted users apply a plan, move a pod, cancel a move and drain a node, and each action creates an Event with the user", { skip }, async () => {
  kubectl("rollout", "status", "deployment/web", "--timeout=60s");
  const pods = (): { name: string; node: string }[] => kubectl("get", "pods", "-l", "app=web", "-o", "jsonpath={range .items[*]}{.metadata.name} {.spec.nodeName}{\"\\n\"}{end}")
    .split("\n").map((line) => line.split(" ")).map(([name, node]) => ({ name: name!, node: node! }));
  const nodes = kubectl("get", "nodes", "-o", "jsonpath={.items[*].metadata.name}").split(" ");
  const tainted = pods()[0]!.node;
  kubectl("taint", "node", tainted, "for=others:NoSchedule");
  await until("a proposed plan is applied", async () => {
    const { body } = await ask("applier", "plan");
    const observed = body["observed"] as { id: string; moves: unknown[] } | null;
    if (!observed || observed.moves.length === 0) return false;
    return (await ask("applier", "plan/apply", { plan: observed.id })).status === 200;
  });
  await waitForEvent("applier", "PlanApplied");
  await until("the tainted node has no pods", () => pods().every((pod) => pod.node !== tainted));
  kubectl("taint", "node", tainted, "for-");

  const called = await until("a move is requested, and cancelled before it ends", async () => {
    const pod = pods()[0]!;
    const moved = await ask("mover", "moves", { namespace: "default", pod: pod.name, to: nodes.find((node) => node !== pod.node && node !== tainted) });
    const name = /\(migration (\S+)\)/.exec(moved.body.message ?? "")?.[1];
    return name && (await ask("canceller", "migrations/cancel", { namespace: "default", name })).status === 200 ? name : false;
  });
  await waitForEvent("mover", "MoveRequested");
  await waitForEvent("canceller", "MigrationCancelled");
  await go(`#/migrations/default/${called}`);
  await page.locator("[data-testid=migrations] > li", { hasText: called.slice(0, 12) }).first().waitFor();

  assert.equal((await ask("maintainer", "maintenance", { node: tainted, on: true })).status, 200);
  await waitForEvent("maintainer", "MaintenanceRequested");
  await go("#/maintenance");
  await page.locator("[data-testid=maintenance] > li", { hasText: tainted }).waitFor();
  assert.equal((await ask("maintainer", "maintenance", { node: tainted, on: false })).status, 200);
  await waitForEvent("maintainer", "MaintenanceEnded");
  await page.locator("[data-testid=maintenance] > li", { hasText: tainted }).waitFor({ state: "detached" });
});

test("the Events of a pod are shown, and markup in their text is shown as text", { skip }, async () => {
  const [name, uid] = kubectl("get", "pods", "-l", "app=web", "-o", "jsonpath={.items[0].metadata.name} {.items[0].metadata.uid}").split(" ");
  const hostile = "<img src=x onerror=window.pwned=1></script><script>window.pwned=1</script>\u202eesrever";
  const file = path.join(temporary(), "event.json");
  writeFileSync(file, JSON.stringify({
    apiVersion: "events.k8s.io/v1", kind: "Event", metadata: { name: "hostile", namespace: "default" }, type: "Warning", reason: "Odd", action: "Say", note: hostile,
    reportingController: "example.com/other", reportingInstance: "other-1", eventTime: new Date().toISOString().replace("Z", "000Z"),
    regarding: { apiVersion: "v1", kind: "Pod", namespace: "default", name, uid },
  }));
  kubectl("create", "-f", file);
  await go(`#/pods/default/${name}`);
  const events = page.locator("[data-testid=events]");
  await events.locator("li", { hasText: "Scheduled" }).first().waitFor();
  await events.locator("li", { hasText: "<img src=x onerror" }).waitFor();
  await events.locator(".hidden-char", { hasText: "U+202E" }).waitFor();
  assert.equal(await page.evaluate(() => (window as { pwned?: number }).pwned), undefined);
  assert.equal(await page.locator("img[src='x']").count(), 0);
});

test("no secret is served to any user", { skip }, async () => {
  const config = readFileSync(account, "utf8");
  const inside = [...config.matchAll(/(?:client-key-data|token|password)"?: *"?([^"\s,]+)/g)].map((found) => found[1]!.slice(0, 200));
  const beside = [...config.matchAll(/(?:client-key|tokenFile)"?: *"?([^"\s,]+)/g)].map((found) => readFileSync(found[1]!, "utf8").split("\n")[1]!);
  const secrets = [...inside, ...beside, token("pauser")];
  assert.ok(secrets.length > 1, "there are secrets to search for");
  const { body } = await ask("viewer", "openapi.json");
  for (const where of Object.keys(body["paths"] as object).filter((one) => !one.includes("{") && !one.endsWith("/stream"))) {
    const answer = JSON.stringify((await ask("viewer", where.replace("/api/v1/", ""))).body);
    for (const secret of secrets) assert.ok(!answer.includes(secret), `${where} serves a secret`);
    assert.doesNotMatch(answer, /PRIVATE KEY|"annotations"/, where);
  }
});

test("the page reconnects to a restarted server on the same port with the token of the tab", { skip }, async () => {
  await go("#/overview");
  await page.locator(".live:not(.off)").waitFor();
  await program.stop("SIGKILL");
  await page.locator("[data-testid=lost]").waitFor();
  program = Program.start(words);
  await page.locator("[data-testid=again]").waitFor();
  await page.locator("[data-testid=lost]").waitFor({ state: "detached" });
  await page.locator(".score-number").waitFor();
});

test("the page shows that the API server does not answer, and that it answers again", { skip }, async () => {
  run(rigTool, ["stop", rig.name, "kube-apiserver"]);
  await page.locator("[data-testid=api-lost]").waitFor();
  await page.locator(".score-number").waitFor();
  run(rigTool, ["start", rig.name, "kube-apiserver"]);
  await page.locator("[data-testid=api-lost]").waitFor({ state: "detached" });
  assert.deepEqual(seen.errors, []);
  assert.ok(binary);
});
