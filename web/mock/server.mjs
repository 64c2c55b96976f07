// A mock of the server for work on the pages: invented data that changes, no Kubernetes, loopback only.
//   node mock/server.mjs [--port=8077] [--nodes=24] [--pods=12] [--hostile] [--token=SECRET] [--dist=DIR] [--empty]
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const option = (name, fallback) => process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback;
const flag = (name) => process.argv.includes(`--${name}`);
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = option("dist", path.join(root, "dist"));
const nodeCount = flag("empty") ? 0 : Number(option("nodes", 24));
const perNode = Number(option("pods", 12));
const secret = option("token", "");
const boot = String(Date.now());
const now = () => new Date().toISOString();

let seed = 7;
const random = () => ((seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648);
const hostile = ["<img src=x onerror=alert(1)>", "evil\u202egnp.exe", "a\u0000b\u200bc", "\"><script>alert(1)</script>"];

const nodes = new Map();
for (let i = 0; i < nodeCount; i++) {
  const zone = "abc"[i % 3];
  const name = flag("hostile") && i < hostile.length ? hostile[i] : `node-${zone}-${Math.floor(i / 3) + 1}`;
  const hot = i % 3 === 0 && i < nodeCount / 2;
  const cpu = hot ? 70 + 20 * random() : 12 + 18 * random();
  nodes.set(name, { name, zone: `zone-${zone}`, pool: i % 5 === 0 ? "large" : "standard", state: "ready", pods: perNode, cpu, memory: cpu * 0.6 + 10 * random() });
}
const names = [...nodes.keys()];
if (names.length > 8) {
  nodes.get(names[5]).state = "cordoned";
  nodes.get(names[6]).state = "notReady";
  nodes.get(names[7]).state = "quarantined";
}
const round = (value) => Math.round(value * 10) / 10;
const rowOf = (n) => {
  const dead = n.state === "notReady";
  return [n.name, n.zone, n.pool, n.state, n.pods, 110, dead ? null : round(n.cpu), dead ? null : round(n.memory), dead ? null : round(n.cpu + 2),
    dead ? null : round(n.memory + 2), round(n.cpu * 0.8 + 15), round(n.memory * 0.8 + 10)];
};
let revision = 1;
const pods = [];
for (const node of names) {
  for (let i = 0; i < perNode; i++) {
    const app = ["api", "web", "cache", "worker"][i % 4];
    const odd = flag("hostile") && pods.length < hostile.length;
    pods.push({
      namespace: "shop", name: odd ? `pod-${hostile[pods.length]}` : `${app}-${(pods.length + 4096).toString(36)}-${(pods.length * 7919 % 46656).toString(36).padStart(3, "x")}`,
      node, owner: { kind: "ReplicaSet", name: `${app}-5488d44c9f` }, phase: "Running", ready: true, failing: false, cpuRequested: 250 * (1 + (i % 3)),
      memoryRequested: 268435456 * (1 + (i % 2)), priority: 0, created: now(), movable: i % 4 === 3 ? { allowed: false, reason: "it belongs to a DaemonSet, which runs one pod per node" } : { allowed: true, reason: null },
    });
  }
}
if (pods.length > 10) {
  Object.assign(pods[3], { phase: "CrashLoopBackOff", ready: false, failing: true });
  pods.push({ ...pods[0], name: "waits-1", node: null, phase: "Pending", ready: false });
}
const mean = (key) => [...nodes.values()].reduce((sum, n) => sum + n[key], 0) / Math.max(1, nodes.size);
const deviation = (key) => {
  const middle = mean(key);
  return Math.sqrt([...nodes.values()].reduce((sum, n) => sum + (n[key] - middle) ** 2, 0) / Math.max(1, nodes.size));
};
const score = () => (nodes.size ? Math.max(0, round(100 - 2 * deviation("cpu"))) : null);
const state = { paused: null, apiDown: false, modes: { LoadBalancing: "act", ResourceOptimization: "observe", NodeMaintenance: "act", ConstraintRepair: "off" }, succeeded: 0, failed: 1 };
const maintenance = new Map();
const migrations = [];
const news = [];
let newsId = 0;
const tell = (kind, text, warning = false, object = null) => {
  const line = { id: ++newsId, at: now(), kind, warning, text, object };
  news.unshift(line);
  send("news", { lines: [line] });
};
const overview = () => ({
  at: now(), api: { reachable: !state.apiDown, since: now(), problem: state.apiDown ? "connect 127.0.0.1:6443: connection refused" : null },
  leader: { here: true, name: "rescheduler-0" },
  nodes: { total: nodes.size, ready: [...nodes.values()].filter((n) => n.state !== "notReady").length, unschedulable: [...nodes.values()].filter((n) => n.state !== "ready").length },
  pods: { total: pods.length, pending: pods.filter((p) => p.phase === "Pending").length, failing: pods.filter((p) => p.failing).length },
  balance: { score: score(), cpuDeviation: round(deviation("cpu")), memoryDeviation: round(deviation("memory")), cpuMax: nodes.size ? Math.max(...[...nodes.values()].map((n) => round(n.cpu))) : null, memoryMax: nodes.size ? Math.max(...[...nodes.values()].map((n) => round(n.memory))) : null },
  load: { source: nodes.size ? "prometheus" : null, fresh: nodes.size > 0, ageSeconds: nodes.size ? 12 : null, sentence: nodes.size ? "Usage of every node, 12 s old, from Prometheus" : "no load source answers" },
  brakes: nodes.size ? [{ name: "cap-reached", sentence: "4 moves are in progress, which is the limit" }] : [],
  paused: state.paused,
  strategies: Object.entries(state.modes).map(([name, mode]) => ({ name, mode, sentence: name === "LoadBalancing" ? "node-a-1 is at 84 % CPU, the mean is 31 %" : null })),
  moves: { underWay: migrations.filter((m) => !m.over).length, succeeded: state.succeeded, failed: state.failed }, speed: 10,
});
const history = { everySeconds: 15, at: [], balance: [], cpuMax: [], memoryMax: [], cpuDeviation: [], pending: [], moves: [] };
for (let i = 160; nodeCount && i > 0; i--) {
  history.at.push(Math.floor(Date.now() / 1000) - i * 15);
  history.balance.push(round(Math.min(94, 52 + (160 - i) * 0.1 + 3 * random())));
  history.cpuMax.push(80); history.memoryMax.push(50); history.cpuDeviation.push(20); history.pending.push(0);
  history.moves.push(random() > 0.8 ? Math.floor(random() * 4) : 0);
}
const streams = new Set();
function send(event, data) {
  for (const stream of streams) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
const changed = (...list) => send("nodes", { revision: ++revision, rows: list.map(rowOf), gone: [] });

const PHASES = ["Pending", "Preparing", "Evicting", "Replacing", "CleaningUp", "Succeeded"];
function beginMove() {
  const live = [...nodes.values()].filter((n) => n.state === "ready");
  if (live.length < 2 || state.paused || migrations.filter((m) => !m.over).length > 3) return;
  live.sort((a, b) => b.cpu - a.cpu);
  const from = live[0];
  const to = live[live.length - 1 - Math.floor(random() * Math.min(5, live.length / 2))];
  if (from.cpu - to.cpu < 14) return;
  const pod = pods.find((p) => p.node === from.name && p.movable.allowed && !migrations.some((m) => !m.over && m.pod === p.name));
  if (!pod) return;
  migrations.unshift({
    namespace: pod.namespace, name: `${pod.name}-${migrations.length}`, pod: pod.name, workload: { kind: "Deployment", name: "api" }, source: from.name, target: to.name,
    strategy: "LoadBalancing", reason: `${from.name} at ${Math.round(from.cpu)} % CPU, above the mean of 30 %`, mode: "Coordinated", modeReason: "several replicas", phase: "Pending", over: false,
    landed: null, replacement: null, message: "", predicted: "6 points off it", measured: "", plan: "p1", created: now(), finished: null, steps: [{ name: "Pending", at: now(), message: "waits for its turn" }],
  });
  send("migrations", { changed: [migrations[0]], gone: [] });
}
function stepMoves() {
  for (const one of migrations) {
    if (one.over || random() > 0.5) continue;
    const next = PHASES[PHASES.indexOf(one.phase) + 1];
    one.phase = next === "Succeeded" && random() > 0.85 ? "Failed" : next;
    one.steps.push({ name: one.phase, at: now(), message: "as the plan says" });
    if (one.phase === "Succeeded" || one.phase === "Failed") {
      one.over = true;
      one.finished = now();
      one.message = one.phase === "Failed" ? "the replacement was not ready within 5m0s: 0/24 nodes are available" : "ready on the target";
      if (one.phase === "Succeeded") {
        state.succeeded++;
        const [from, to] = [nodes.get(one.source), nodes.get(one.target)];
        Object.assign(from, { cpu: from.cpu - 5, pods: from.pods - 1 });
        Object.assign(to, { cpu: to.cpu + 5, pods: to.pods + 1 });
        changed(from, to);
      } else state.failed++;
      tell("move", `${one.namespace}/${one.pod}: ${one.source} → ${one.target}: ${one.phase}`, one.phase === "Failed", { kind: "Migration", namespace: one.namespace, name: one.name });
    }
    send("migrations", { changed: [one], gone: [] });
  }
}
setInterval(() => {
  for (const one of nodes.values()) if (random() > 0.9 && one.state !== "notReady") one.cpu = Math.max(2, Math.min(99, one.cpu + 2 * (random() - 0.5)));
  changed(...[...nodes.values()].filter(() => random() > 0.7));
  beginMove();
  stepMoves();
  for (const [name, left] of maintenance) maintenance.set(name, Math.max(1, left - 1));
  send("maintenance", maintenanceNow());
  send("overview", overview());
}, 1000).unref();
setInterval(() => send("history", { at: Math.floor(Date.now() / 1000), balance: score(), cpuMax: 80, memoryMax: 50, cpuDeviation: 10, pending: 1, moves: Math.floor(random() * 2) }), 5000).unref();

const maintenanceNow = () => ({ nodes: [...maintenance].map(([node, left]) => ({ node, state: left <= 1 ? "blocked" : "draining", total: perNode, left, etaSeconds: left <= 1 ? null : left * 20, blockers: left <= 1 ? ["shop/cache-0: its PodDisruptionBudget cache allows no disruption"] : [], staying: [] })) });
const quarantine = () => (names[7] ? [{ node: names[7], state: "quarantined", until: new Date(Date.now() + 1e6).toISOString(), why: "pods of 3 workloads failed there within 10m0s" }] : []);
const slot = (name, verdict, attempts) => ({ namespace: "shop", kind: "Deployment", name, slot: "replica 1", attempts, allowed: 3, visited: names.slice(0, attempts).map((node) => ({ node, at: now() })), verdict, sentence: `attempt ${attempts} of 3, avoiding ${names.slice(0, attempts).join(", ")}` });
const recovery = () => ({ enabled: true, lineages: names.length ? [slot("web", "retrying", 2), slot("cache", "exhausted", 3), slot("api", "healthy", 1), slot("worker", "application", 2)] : [], quarantined: quarantine() });
const picture = (shift) => ({ balanceScore: 52 + shift, cpuDeviation: 20 - shift / 4, memoryDeviation: 9, cpuMax: 88 - shift, memoryMax: 60, nodes: [...nodes.values()].map((n) => ({ name: n.name, cpu: round(n.cpu > 60 ? n.cpu - shift : n.cpu + shift / 3), memory: round(n.memory), cpuRequested: 40, memoryRequested: 40, pods: n.pods })) });
const plan = (id) => {
  const hot = [...nodes.values()].filter((n) => n.cpu > 60 && n.state === "ready");
  const cold = [...nodes.values()].filter((n) => n.cpu <= 60 && n.state === "ready");
  return {
    id, made: now(), judgedBy: "prometheus", before: picture(0), after: picture(22), notes: ["3 moves wait for the next look: at most 12 at once"],
    moves: hot.slice(0, 12).map((n, i) => ({ step: Math.floor(i / 2) + 1, namespace: "shop", pod: pods.find((p) => p.node === n.name)?.name ?? "x", uid: `u${i}`, owner: { kind: "Deployment", name: "api" }, source: n.name, target: cold[i % cold.length].name, strategy: "LoadBalancing", reason: `${n.name} at ${Math.round(n.cpu)} % CPU, above the mean of 30 %; reduces its load by 9 points`, gain: 2.5, budget: "allowed", detour: i === 3, refusedTargets: [{ node: cold[0].name, reason: "too many pods" }] })),
    refused: pods.filter((p) => !p.movable.allowed).slice(0, 40).map((p, i) => ({ namespace: p.namespace, pod: p.name, node: p.node, code: i % 3 ? "daemonset" : "too-young", reason: i % 3 ? p.movable.reason : "it is 40 s old, and pods under 5m0s are let be" })),
  };
};
const decisionOfAll = (pod) => ({
  pod: `${pod.namespace}/${pod.name}`, profile: "rescheduler-scheduler", outcome: "scheduled", node: names[1], best: [names[1]], message: `${names[1]} takes it: best of ${names.length - 3}`, current: pod.node,
  nodes: names.map((name, i) => (i % 4 === 2 ? { name, feasible: false, plugin: i % 8 === 2 ? "NodeResourcesFit" : "Rescheduler", code: "Unschedulable", reasons: [i % 8 === 2 ? "Insufficient cpu" : "at 91 % CPU, above the threshold of 85 %"] }
    : { name, feasible: true, total: 500 - i * 7, scores: { Rescheduler: { raw: 50, normalized: 80 - i, weighted: 240 - 3 * i }, NodeResourcesFit: { raw: 40, normalized: 60, weighted: 100 - 2 * i }, PodTopologySpread: { raw: 1, normalized: 50, weighted: 100 }, InterPodAffinity: { raw: 0, normalized: 0, weighted: 0 }, TaintToleration: { raw: 0, normalized: 100, weighted: 300 }, ImageLocality: { raw: 0, normalized: 0, weighted: i } } })),
});

const decision = (pod, query) => {
  const all = decisionOfAll(pod);
  const limit = Number(query.get("limit") ?? 100);
  const part = query.get("node") ?? "";
  const takers = all.nodes.filter((node) => node.feasible && node.name.includes(part)).sort((a, b) => b.total - a.total);
  const refusers = all.nodes.filter((node) => !node.feasible);
  const groups = new Map();
  for (const { plugin, code, reasons, name } of refusers) groups.set(reasons[0], { plugin, code, reason: reasons[0], names: [...(groups.get(reasons[0])?.names ?? []), name] });
  const refused = [...groups.values()].map((group) => ({ ...group, nodes: group.names.length, names: group.names.slice(0, 20) }));
  const listed = [...takers.slice(0, limit), ...refusers.filter((node) => part !== "" && node.name.includes(part)).slice(0, limit)];
  return { ...all, nodes: listed, counts: { nodes: all.nodes.length, feasible: all.nodes.length - refusers.length, matching: takers.length, refused } };
};

function api(pathname, query) {
  const parts = pathname.split("/").map(decodeURIComponent);
  switch (parts[0]) {
    case "overview": return overview();
    case "nodes": {
      if (parts.length === 1) return { revision, columns: [], rows: [...nodes.values()].map(rowOf) };
      const one = nodes.get(parts[1]);
      return one && { row: rowOf(one), labels: { "kubernetes.io/hostname": one.name, "topology.kubernetes.io/zone": one.zone, ...(flag("hostile") ? { "evil/label": hostile[0] } : {}) }, taints: one.state === "quarantined" ? [{ key: "rescheduler.io/quarantine", value: "", effect: "NoSchedule", ours: true }] : [], conditions: [{ type: "Ready", status: one.state === "notReady" ? "Unknown" : "True", reason: "KubeletReady", message: "kubelet is posting ready status", since: now() }, { type: "MemoryPressure", status: "False", reason: "", message: "", since: now() }], allocatable: { cpu: "8", memory: "32Gi", pods: "110" }, pods: pods.filter((p) => p.node === one.name), maintenance: maintenanceNow().nodes.find((n) => n.node === one.name) ?? null, quarantine: quarantine().find((q) => q.node === one.name) ?? null };
    }
    case "pods": {
      if (parts.length === 1) {
        const text = query.get("query") ?? "";
        const wanted = query.get("state");
        const found = pods.filter((p) => `${p.namespace}/${p.name}`.includes(text) && (!wanted || (wanted === "pending" ? p.phase === "Pending" : p.failing)));
        return { total: found.length, pods: found.slice(0, Number(query.get("limit") ?? 100)) };
      }
      const pod = pods.find((p) => p.namespace === parts[1] && p.name === parts[2]);
      if (!pod) return undefined;
      if (parts[3] === "decision") return decision(pod, query);
      return { pod, uid: "u", scheduler: "rescheduler-scheduler", labels: { app: "api" }, attempts: slot("web", "retrying", 2), migrations: migrations.filter((m) => m.pod === pod.name), events: [{ at: now(), warning: true, reason: "BackOff", text: flag("hostile") ? hostile[0] : "Back-off restarting failed container", by: "kubelet", count: 12 }, { at: now(), warning: false, reason: "Scheduled", text: "Successfully assigned", by: "rescheduler-scheduler", count: 1 }], eventsProblem: null, news: news.slice(0, 3) };
    }
    case "plan": return { actedOn: nodes.size ? plan("acted") : null, observed: nodes.size ? plan("observed") : null };
    case "migrations": return { migrations };
    case "recovery": return recovery();
    case "maintenance": return maintenanceNow();
    case "history": return history;
    case "news": return { lines: news.slice(0, 100) };
    case "settings": return { file: "/etc/rescheduler/config.yaml", rows: [["leaderElection.leaderElect", "true", "default", "one of several replicas acts"], ["profiles[0].pluginConfig.Rescheduler.cpuThreshold", "85", "file", "above it a node takes no more pods"], ["v", "2", "flag", "how much is logged"]].map(([p, value, origin, meaning]) => ({ path: p, value, origin, meaning: { en: meaning, zh: meaning } })) };
    case "demo": return { nodes: [...nodes.values()].map((n) => ({ name: n.name, alive: n.state !== "notReady", crashing: false })), workloads: ["api", "web", "cache"].map((name) => ({ namespace: "shop", name })) };
    default: return undefined;
  }
}
function act(what, body) {
  if (what === "pause") state.paused = body.paused ? { by: "you", since: now(), reason: body.reason } : null;
  if (what === "maintenance") body.on ? maintenance.set(body.node, perNode) : maintenance.delete(body.node);
  if (what === "maintenance") nodes.get(body.node).state = body.on ? "maintenance" : "ready";
  if (what === "demo" && body.do === "killNode") nodes.get(body.node).state = "notReady";
  if (what === "demo" && body.do === "reviveNode") nodes.get(body.node).state = "ready";
  if (what === "demo" && body.do === "addLoad") for (const one of [...nodes.values()].slice(0, 4)) one.cpu = Math.min(98, one.cpu + 25);
  if (what === "demo" && body.do === "setStrategy") for (const key of Object.keys(state.modes)) state.modes[key] = body.mode;
  if (what === "mock/api") state.apiDown = body.down;
  tell("action", `a user: ${what} ${JSON.stringify(body)}`);
  changed(...nodes.values());
  send("overview", overview());
  return { message: `done: ${what}` };
}

const server = createServer((request, response) => {
  const url = new URL(request.url, "http://localhost");
  const json = (status, value) => response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
  const known = secret === "" || request.headers.authorization === `Bearer ${secret}`;
  if (url.pathname.startsWith("/ui/")) {
    const file = path.join(dist, path.normalize(url.pathname.slice(4)) || "index.html");
    const type = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" }[path.extname(file === dist ? "x.html" : file)];
    readFile(url.pathname === "/ui/" ? path.join(dist, "index.html") : file).then(
      (data) => response.writeHead(200, { "Content-Type": url.pathname === "/ui/" ? "text/html; charset=utf-8" : type ?? "application/octet-stream", "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'" }).end(data),
      () => response.writeHead(404).end());
  } else if (url.pathname === "/api/v1/session") {
    const may = Object.fromEntries(["pause", "applyPlan", "cancelMigration", "move", "maintenance", "demo"].map((a) => [a, known && !flag("readonly")]));
    json(200, { user: known ? "you" : null, needsToken: !known, may, version: "mock", cluster: "imbalance", boot, demo: !flag("readonly"), grafana: flag("grafana") ? "http://localhost:3000/d/x" : null });
  } else if (!url.pathname.startsWith("/api/v1/")) response.writeHead(302, { Location: "/ui/" }).end();
  else if (!known) json(401, { status: 401, message: "a token is needed" });
  else if (url.pathname === "/api/v1/stream") {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    response.write(`event: hello\ndata: ${JSON.stringify({ boot, revision })}\n\n`);
    streams.add(response);
    request.on("close", () => streams.delete(response));
  } else if (request.method === "POST") {
    let text = "";
    request.on("data", (part) => (text += part)).on("end", () => json(200, act(url.pathname.slice(8), JSON.parse(text))));
  } else {
    const found = api(url.pathname.slice(8), url.searchParams);
    found ? json(200, found) : json(404, { status: 404, message: "there is no such thing" });
  }
});
if (nodeCount) for (let i = 0; i < 5; i++) tell(["scenario", "plan", "brake", "recovery", "event"][i], ["an unbalanced cluster: node-a-* carry the load", "12 moves in 6 steps: balance 52 → 78", "cap-reached: 4 moves are under way", "shop/web on node-b-2 was restarted 3 times; attempt 2 of 3", flag("hostile") ? hostile[0] + hostile[1] : "shop/api scaled to 12"][i], i === 3);
server.listen(Number(option("port", 8077)), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/ui/`));
