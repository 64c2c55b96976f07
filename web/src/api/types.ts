// What /api/v1 says, as the pages see it. The server's side of the same contract is src/dashboard; the text for other
// programs is /api/v1/openapi.json. Times are RFC 3339 in UTC, shares are percent of allocatable, null is "not known".

export type Percent = number | null;

// GET /api/v1/session: who asks, what they may do, and where they are. Readable without a token everywhere: it tells a
// visitor without one nothing but that a token is needed.
export interface Session {
  user: string | null; // null: nobody has said who they are
  needsToken: boolean; // true: everything but this page answers 401
  // By action; what is false is shown as not allowed, and refused with 403 if tried all the same.
  may: Record<Action, boolean>;
  version: string;
  cluster: string; // what people call it: the scenario's name in a demo, else the API server's host
  boot: string; // changes when the server starts anew
  demo: boolean;
  grafana: string | null; // base address of the dashboards, when configured
}
export type Action = "pause" | "applyPlan" | "cancelMigration" | "move" | "maintenance" | "demo";

// GET /api/v1/overview
export interface Overview {
  at: string;
  api: { reachable: boolean; since: string; problem: string | null }; // the API server, as we see it
  leader: { here: boolean; name: string | null };
  nodes: { total: number; ready: number; unschedulable: number };
  pods: { total: number; pending: number; failing: number };
  balance: { score: Percent; cpuDeviation: Percent; memoryDeviation: Percent; cpuMax: Percent; memoryMax: Percent };
  load: { source: string | null; fresh: boolean; ageSeconds: number | null; sentence: string };
  brakes: Brake[]; // those that hold now
  paused: { by: string | null; since: string | null; reason: string | null } | null;
  strategies: { name: string; mode: "off" | "observe" | "act"; sentence: string | null }[];
  moves: { underWay: number; succeeded: number; failed: number };
  speed: number; // of a demo's time; 1 in a real cluster
}
export interface Brake {
  name: string;
  sentence: string;
}

// GET /api/v1/nodes: every node as a row, small enough for thousands. `columns` names what stands where, so that a
// reader of an older page is not misled when one is added.
export interface NodeTable {
  revision: number;
  columns: string[]; // NODE_COLUMNS, in this order
  rows: NodeRow[];
}
export const NODE_COLUMNS = [
  "name", "zone", "pool", "state", "pods", "podsMost",
  "cpu", "memory", "cpuPredicted", "memoryPredicted", "cpuRequested", "memoryRequested",
] as const;
// `cpu` and `memory` are measured, `…Predicted` is that plus what was placed since and what is on its way.
export type NodeRow = [
  name: string, zone: string, pool: string, state: NodeState, pods: number, podsMost: number,
  cpu: Percent, memory: Percent, cpuPredicted: Percent, memoryPredicted: Percent,
  cpuRequested: Percent, memoryRequested: Percent,
];
export type NodeState = "ready" | "notReady" | "cordoned" | "maintenance" | "quarantined";

// GET /api/v1/nodes/{name}
export interface NodeDetail {
  row: NodeRow;
  labels: Record<string, string>;
  taints: { key: string; value: string; effect: string; ours: boolean }[];
  conditions: { type: string; status: string; reason: string; message: string; since: string | null }[];
  allocatable: Record<string, string>; // quantities as Kubernetes writes them
  pods: PodRow[];
  maintenance: MaintenanceNode | null;
  quarantine: Quarantine | null;
}
export interface PodRow {
  namespace: string;
  name: string;
  node: string | null;
  owner: { kind: string; name: string } | null;
  phase: string; // Pending, Running, ...; or a container's reason: CrashLoopBackOff
  ready: boolean;
  failing: boolean;
  cpuRequested: number; // millicores
  memoryRequested: number; // bytes
  priority: number;
  created: string;
  movable: { allowed: boolean; reason: string | null } | null; // null: nobody has looked
}
// GET /api/v1/pods?query=&node=&state=pending|failing&limit=
export interface PodList {
  total: number; // that match; pods has at most `limit` of them
  pods: PodRow[];
}

// GET /api/v1/pods/{namespace}/{name}
export interface PodDetail {
  pod: PodRow;
  uid: string;
  scheduler: string;
  labels: Record<string, string>;
  attempts: RecoverySlot | null; // when it has been given other nodes
  migrations: Migration[]; // of it or its workload, newest first
  events: PodEvent[]; // the cluster's, the latest first
  eventsProblem: string | null; // why they could not be read
  news: NewsLine[]; // what was told of it here
}
export interface PodEvent { at: string | null; warning: boolean; reason: string; text: string; by: string; count: number }
// GET /api/v1/pods/{namespace}/{name}/decision?limit=&node=: "why here, why not there". The object `rescheduler explain -o
// json` prints, of the `limit` best nodes with `node` in their names, and how many there are of the rest; for a pod that has a
// node, as if it were to be placed now, `current` being where it is.
export interface Decision {
  pod: string;
  profile: string;
  outcome: "gated" | "scheduled" | "nominated" | "unschedulable" | "error";
  node?: string;
  best?: string[];
  nominatedNode?: string;
  victims?: string[];
  message: string;
  current: string | null;
  nodes: DecisionNode[];
  counts: {
    nodes: number; feasible: number; matching: number; // matching: feasible ones with such a name
    refused: { plugin: string; code: string; reason: string; nodes: number; names: string[] }[]; // names: some of them
  };
}
export type DecisionNode =
  | { name: string; feasible: true; total?: number;
      scores?: Record<string, { raw: number; normalized: number; weighted: number }> }
  | { name: string; feasible: false; plugin: string; code: string; reasons: string[] };

// GET /api/v1/plan: the objects `rescheduler plan -o json` prints.
export interface Plans {
  actedOn: Plan | null; // by strategies in `act`
  observed: Plan | null; // by strategies in `observe`: nothing is done unless somebody applies it
}
export interface Plan {
  id: string;
  made: string;
  judgedBy: string;
  moves: PlannedMove[];
  before: Picture;
  after: Picture;
  refused: Refusal[];
  notes: string[];
}
export interface PlannedMove {
  step: number;
  namespace: string;
  pod: string;
  uid: string;
  owner: { kind: string; name: string };
  source: string;
  target: string;
  strategy: string;
  reason: string;
  gain: number;
  budget: string;
  detour: boolean;
  refusedTargets: { node: string; reason: string }[];
}
export interface Refusal { namespace: string; pod: string; node: string; code: string; reason: string }
export interface Picture {
  balanceScore: Percent;
  cpuDeviation: Percent;
  memoryDeviation: Percent;
  cpuMax: Percent;
  memoryMax: Percent;
  nodes: { name: string; cpu: Percent; memory: Percent; cpuRequested: Percent; memoryRequested: Percent; pods: number }[];
}

// GET /api/v1/migrations: newest first, at most 500.  GET /api/v1/migrations/{namespace}/{name}: one.
export interface Migrations { migrations: Migration[] }
export interface Migration {
  namespace: string;
  name: string;
  pod: string;
  workload: { kind: string; name: string } | null;
  source: string;
  target: string;
  strategy: string;
  reason: string;
  mode: string;
  modeReason: string;
  phase: string; // Pending, Preparing, Evicting, ... Succeeded, Elsewhere, Refused, Failed, Stale
  over: boolean;
  landed: string | null;
  replacement: string | null;
  message: string;
  predicted: string;
  measured: string;
  plan: string;
  created: string;
  finished: string | null;
  steps: { name: string; at: string; message: string }[];
}

// GET /api/v1/recovery
export interface Recovery {
  enabled: boolean;
  lineages: RecoverySlot[];
  quarantined: Quarantine[];
}
export interface RecoverySlot {
  namespace: string;
  kind: string;
  name: string;
  slot: string;
  attempts: number;
  allowed: number;
  visited: { node: string; at: string }[];
  verdict: "retrying" | "healthy" | "exhausted" | "application";
  sentence: string; // "attempt 2 of 3, avoiding node-a, node-b"
}
export interface Quarantine { node: string; state: "quarantined" | "probation"; until: string; why: string }

// GET /api/v1/maintenance
export interface Maintenance { nodes: MaintenanceNode[] }
export interface MaintenanceNode {
  node: string;
  state: "waiting" | "blocked" | "draining" | "drained";
  total: number;
  left: number;
  etaSeconds: number | null;
  blockers: string[];
}

// GET /api/v1/settings: the effective configuration, a value a row.
export interface Settings {
  rows: { path: string; value: string; origin: "default" | "file" | "flag" | "demo";
          meaning: { en: string; zh: string } }[];
  file: string | null; // where the configuration was read from
}

// GET /api/v1/history?minutes=60: samples, oldest first, one array a series.
export interface History {
  everySeconds: number;
  at: number[]; // seconds since the epoch
  balance: Percent[];
  cpuMax: Percent[];
  memoryMax: Percent[];
  cpuDeviation: Percent[];
  pending: number[];
  moves: number[]; // finished since the sample before
}

// GET /api/v1/news?limit=: what happened, newest first: plans, moves, recovery, maintenance, brakes, people's actions.
export interface News { lines: NewsLine[] }
export interface NewsLine {
  id: number;
  at: string;
  kind: "plan" | "move" | "recovery" | "maintenance" | "brake" | "action" | "scenario" | "event";
  warning: boolean;
  text: string;
  object: { kind: string; namespace: string; name: string } | null;
}

// GET /api/v1/stream (text/event-stream): `event:` is the key, `data:` the value. After `hello` come changes only; who
// has lost the connection fetches what it shows anew. At most two of each kind a second, however much changes.
export interface StreamEvents {
  hello: { boot: string; revision: number };
  overview: Overview;
  nodes: { revision: number; rows: NodeRow[]; gone: string[] };
  plan: { actedOn: string | null; observed: string | null }; // ids: fetch /plan
  migrations: { changed: Migration[]; gone: { namespace: string; name: string }[] };
  recovery: Recovery;
  maintenance: Maintenance;
  history: { at: number; balance: Percent; cpuMax: Percent; memoryMax: Percent; cpuDeviation: Percent; pending: number;
             moves: number };
  news: { lines: NewsLine[] };
}

// Actions: POST with JSON and the header X-Rescheduler-Action: 1. Answers 200 {"message"}, or a Problem.
//   /api/v1/pause                                  {"paused": true, "reason": "..."}
//   /api/v1/plan/apply                             {"plan": "<id of the observed plan>"}
//   /api/v1/migrations/cancel                      {"namespace", "name"}
//   /api/v1/moves                                  {"namespace", "pod", "to", "mode"?}
//   /api/v1/maintenance                            {"node", "on": true}
//   /api/v1/demo                                   {"do": DemoDeed, "node"?, "namespace"?, "workload"?, "strategy"?, "mode"?}
export type DemoDeed = "addLoad" | "killNode" | "reviveNode" | "crashOnNode" | "healNode" | "setStrategy";
// GET /api/v1/demo/choices: what the buttons can be about.
export interface DemoChoices {
  nodes: { name: string; alive: boolean; crashing: boolean }[];
  workloads: { namespace: string; name: string }[];
}
// Every answer that is not 2xx.
export interface Problem { status: number; message: string }
