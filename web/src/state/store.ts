// The data of the pages, kept current by the stream. One signal for each kind; only this file writes them.
import { batch, signal } from "@preact/signals";
import { ApiError, get } from "../api/client";
import type {
  Activity, ActivityLine, History, Maintenance, Migration, NodeRow, NodeTable, Migrations, Overview, Plans, Recovery, Session,
  StreamEvents,
} from "../api/types";

export const session = signal<Session | null>(null);
export const overview = signal<Overview | null>(null);
export const history = signal<History | null>(null);
export const activity = signal<ActivityLine[]>([]);
export const migrations = signal<Migration[]>([]);
export const recovery = signal<Recovery | null>(null);
export const maintenance = signal<Maintenance | null>(null);
export const plans = signal<Plans | null>(null);

// Thousands of rows: one map, changed in place; components that draw them watch the counter.
export const nodes = new Map<string, NodeRow>();
export const nodesChanged = signal(0);
export const nodeSetChanged = signal(0); // a node was added or removed, or changed its zone or pool

export const connections = signal(0); // number of connections so far: a request that failed may succeed now

const ACTIVITY_KEPT = 200;
const HISTORY_KEPT = 2000;

let revision = 0;

export function setNodes(table: NodeTable): void {
  revision = table.revision;
  nodes.clear();
  for (const row of table.rows) nodes.set(row[0], row);
  nodesChanged.value++;
  nodeSetChanged.value++;
}

export function applyNodes(change: StreamEvents["nodes"]): void {
  if (change.revision <= revision) return; // older than the table that we have
  revision = change.revision;
  let set = false;
  for (const name of change.gone) set = nodes.delete(name) || set;
  for (const row of change.rows) {
    const before = nodes.get(row[0]);
    set = set || !before || before[1] !== row[1] || before[2] !== row[2];
    nodes.set(row[0], row);
  }
  nodesChanged.value++;
  if (set) nodeSetChanged.value++;
}

export const migrationKey = (one: { namespace: string; name: string }): string => `${one.namespace}/${one.name}`;

export function mergeMigrations(held: Migration[], change: StreamEvents["migrations"]): Migration[] {
  const by = new Map(held.map((one) => [migrationKey(one), one]));
  for (const one of change.gone) by.delete(migrationKey(one));
  for (const one of change.changed) by.set(migrationKey(one), one);
  return [...by.values()].sort(newestFirst).slice(0, 500);
}
function newestFirst(a: Migration, b: Migration): number {
  return a.created < b.created ? 1 : a.created > b.created ? -1 : migrationKey(a) < migrationKey(b) ? -1 : 1;
}

export function mergeActivity(held: ActivityLine[], lines: ActivityLine[]): ActivityLine[] {
  const by = new Map(held.map((line) => [line.id, line]));
  for (const line of lines) by.set(line.id, line);
  return [...by.values()].sort((a, b) => b.id - a.id).slice(0, ACTIVITY_KEPT);
}

export function appendHistory(held: History, one: StreamEvents["history"]): History {
  const last = held.at[held.at.length - 1];
  if (last !== undefined && one.at <= last) return held;
  const add = <T>(series: T[], value: T): T[] => [...series.slice(-HISTORY_KEPT + 1), value];
  return {
    everySeconds: held.everySeconds,
    at: add(held.at, one.at),
    balance: add(held.balance, one.balance),
    cpuMax: add(held.cpuMax, one.cpuMax),
    memoryMax: add(held.memoryMax, one.memoryMax),
    cpuDeviation: add(held.cpuDeviation, one.cpuDeviation),
    pending: add(held.pending, one.pending),
    moves: add(held.moves, one.moves),
  };
}

export async function loadPlans(): Promise<void> {
  plans.value = await get<Plans>("plan");
}

// The data of the first view.
export async function loadPicture(): Promise<void> {
  const [o, n] = await Promise.all([get<Overview>("overview"), get<NodeTable>("nodes")]);
  batch(() => {
    overview.value = o;
    setNodes(n);
  });
}

// True if nodes changed between our table and the start of the stream.
export const behind = (streamRevision: number): boolean => streamRevision > revision;

// All other shared data. A failure affects only its own page, which shows the error.
export async function loadRest(): Promise<void> {
  await Promise.all([
    into("history?minutes=60", (value: History) => (history.value = value)),
    into("news?limit=100", (value: Activity) => (activity.value = value.lines)),
    into("migrations", (value: Migrations) => (migrations.value = value.migrations)),
    into("recovery", (value: Recovery) => (recovery.value = value)),
    into("maintenance", (value: Maintenance) => (maintenance.value = value)),
    into("plan", (value: Plans) => (plans.value = value)),
  ]);
}

async function into<T>(path: string, use: (value: T) => void): Promise<void> {
  try {
    use(await get<T>(path));
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) throw error;
  }
}

export function applyEvent(event: string, data: string): void {
  const value: unknown = JSON.parse(data);
  batch(() => {
    switch (event as keyof StreamEvents) {
      case "overview": overview.value = value as Overview; break;
      case "nodes": applyNodes(value as StreamEvents["nodes"]); break;
      case "migrations": migrations.value = mergeMigrations(migrations.value, value as StreamEvents["migrations"]); break;
      case "recovery": recovery.value = value as Recovery; break;
      case "maintenance": maintenance.value = value as Maintenance; break;
      case "news": activity.value = mergeActivity(activity.value, (value as Activity).lines); break;
      case "history":
        if (history.value) history.value = appendHistory(history.value, value as StreamEvents["history"]);
        break;
      case "plan": loadPlans().catch(() => undefined); break;
      default: break; // an event of a newer server: ignored
    }
  });
}
