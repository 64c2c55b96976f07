// The types of /api/v1 as the pages use them. The server side of this contract is src/dashboard; /api/v1/openapi.json
// describes it for other programs. Times are RFC 3339 in UTC, shares are percent of allocatable, null is "not known".

export type Percent = number | null;

// GET /api/v1/session: the user, their permissions, and the cluster. Always readable without a token: without one it
// says only that a token is needed.
export interface Session {
  user: string | null; // null: not authenticated
  needsToken: boolean; // true: every other path answers 401
  // By action. An action that is false is shown as not allowed, and answered with 403.
  may: Record<Action, boolean>;
  version: string;
  cluster: string; // display name: the scenario's name in a demo, else the API server's host
  boot: string; // changes when the server restarts
  demo: boolean;
  grafana: string | null; // base URL of the Grafana dashboards, if configured
}
export type Action = "pause" | "applyPlan" | "cancelMigration" | "move" | "maintenance" | "demo";

// GET /api/v1/overview
export interface Overview {
  at: string;
  api: { reachable: boolean; since: string; problem: string | null }; // the state of the API server
  leader: { here: boolean; name: string | null };
  nodes: { total: number; ready: number; unschedulable: number };
  pods: { total: number; pending: number; failing: number };
  balance: { score: Percent; cpuDeviation: Percent; memoryDeviation: Percent; cpuMax: Percent; memoryMax: Percent };
  load: { source: string | null; fresh: boolean; ageSeconds: number | null; sentence: string };
  brakes: Brake[]; // the engaged ones
  paused: { by: string | null; since: string | null; reason: string | null } | null;
  strategies: { name: string; mode: "off" | "observe" | "act"; sentence: string | null }[];
  moves: { underWay: number; succeeded: number; failed: number };
  speed: number; // of the demo's clock; 1 in a real cluster
}
export interface Brake {
  name: string;
  sentence: string;
}

// GET /api/v1/nodes: every node as a row, small enough for thousands of nodes. `columns` names the columns, so that an
// older page still works when a column is added.
export interface NodeTable {
  revision: number;
  columns: string[]; // NODE_COLUMNS, in this order
  rows: NodeRow[];
}
export const NODE_COLUMNS = [
  "name", "zone", "pool", "state", "pods", "podsMost",
  "cpu", "memory", "cpuPredicted", "memoryPredicted", "cpuRequested", "memoryRequested",
] as const;
// `cpu` and `memory` are measured; `…Predicted` adds the pods that were bound since and the pods that are on their way.
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
  allocatable: Record<string, string>; // quantities in Kubernetes' notation
  pods: PodRow[];
  maintenance: MaintenanceNode | null;
  quarantine: Quarantine | null;
}
export interface PodRow {
  namespace: string;
  name: string;
  node: string | null;
  owner: { kind: string; name: string } | null;
  phase: string; // Pending, Running, ..., or a container's reason: CrashLoopBackOff
  ready: boolean;
  failing: boolean;
  cpuRequested: number; // millicores
  memoryRequested: number; // bytes
  priority: number;
  created: string;
  movable: { allowed: boolean; reason: string | null } | null; // null: not checked
}
// GET /api/v1/pods?query=&node=&state=pending|failing&limit=
export interface PodList {
  total: number; // number of matches; pods has at most `limit` of them
  pods: PodRow[];
}

// GET /api/v1/pods/{namespace}/{name}
export interface PodDetail {
  pod: PodRow;
  uid: string;
  scheduler: string;
  labels: Record<string, string>;
  attempts: RecoverySlot | null; // if failure recovery has rescheduled it
  migrations: Migration[]; // of the pod or its workload, newest first
  events: PodEvent[]; // of the cluster, newest first
  eventsProblem: string | null; // why they could not be read
  news: ActivityLine[]; // activity of rescheduler about this pod
}
export interface PodEvent { at: string | null; warning: boolean; reason: string; text: string; by: string; count: number }
// GET /api/v1/pods/{namespace}/{name}/decision?limit=&node=: why this node, why not another. The object that
// `rescheduler explain -o json` prints, for the `limit` best nodes with `node` in their names, and the number of the
// rest. A pod that has a node is decided as if it were placed now; `current` is its node.
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
    nodes: number; feasible: number; matching: number; // matching: feasible nodes whose name matches
    // `names`: some of the nodes.
    refused: { plugin: string; code: string; reason: string; nodes: number; names: string[] }[];
  };
}
export type DecisionNode =
  | { name: string; feasible: true; total?: number;
      scores?: Record<string, { raw: number; normalized: number; weighted: number }> }
  | { name: string; feasible: false; plugin: string; code: string; reasons: string[] };

// GET /api/v1/plan: the objects that `rescheduler plan -o json` prints.
export interface Plans {
  actedOn: Plan | null; // of strategies in mode `act`
  observed: Plan | null; // of strategies in mode `observe`: carried out only if a user applies it
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
  staying: string[]; // pods that the policy leaves on the node
}

// GET /api/v1/settings: the effective configuration, one value a row.
export interface Settings {
  rows: { path: string; value: string; origin: "default" | "file" | "flag" | "demo";
          meaning: { en: string; zh: string } }[];
  file: string | null; // path of the configuration file
}

// GET /api/v1/history?minutes=60: samples, oldest first, one array per series.
export interface History {
  everySeconds: number;
  at: number[]; // seconds since the epoch
  balance: Percent[];
  cpuMax: Percent[];
  memoryMax: Percent[];
  cpuDeviation: Percent[];
  pending: number[];
  moves: number[]; // finished since the previous sample
}

// GET /api/v1/news?limit=: activity, newest first: plans, moves, recovery, maintenance, brakes, actions of users.
export interface Activity { lines: ActivityLine[] }
export interface ActivityLine {
  id: number;
  at: string;
  kind: "plan" | "move" | "recovery" | "maintenance" | "brake" | "action" | "scenario" | "event";
  warning: boolean;
  text: string;
  object: { kind: string; namespace: string; name: string } | null;
}

// GET /api/v1/stream (text/event-stream): `event:` is the key, `data:` the value. After `hello` it sends changes only;
// after a lost connection a page fetches its data again. At most two events of each kind a second.
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
  news: { lines: ActivityLine[] };
}

// Actions: POST with JSON and the header X-Rescheduler-Action: 1. Answers 200 {"message"}, or a Problem.
//   /api/v1/pause                                  {"paused": true, "reason": "..."}
//   /api/v1/plan/apply                             {"plan": "<id of the observed plan>"}
//   /api/v1/migrations/cancel                      {"namespace", "name"}
//   /api/v1/moves                                  {"namespace", "pod", "to", "mode"?}
//   /api/v1/maintenance                            {"node", "on": true}
//   /api/v1/demo                                   {"do": DemoAction, "node"?, "namespace"?, "workload"?, "strategy"?, "mode"?}
export type DemoAction = "addLoad" | "killNode" | "reviveNode" | "crashOnNode" | "healNode" | "setStrategy";
// GET /api/v1/demo/choices: the possible values of the demo's buttons.
export interface DemoChoices {
  nodes: { name: string; alive: boolean; crashing: boolean }[];
  workloads: { namespace: string; name: string }[];
}
// Every answer that is not 2xx.
export interface Problem { status: number; message: string }
