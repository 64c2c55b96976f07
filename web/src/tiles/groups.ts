import type { NodeRow, Percent } from "../api/types";
import type { Group, Kind, Metric } from "../state/choices";
import type { GroupOf } from "./layout";

// The value of a tile in percent; null: not known.
export function valueOf(row: NodeRow, metric: Metric, kind: Kind): Percent {
  if (metric === "pods") return row[5] > 0 ? (100 * row[4]) / row[5] : null;
  const first = { real: 6, predicted: 8, requested: 10 }[kind];
  return row[first + (metric === "memory" ? 1 : 0)] as Percent;
}

const natural = new Intl.Collator("en", { numeric: true });

export function groupNodes(rows: Iterable<NodeRow>, by: Group): GroupOf[] {
  const groups = new Map<string, string[]>();
  for (const row of rows) {
    const name = by === "zone" ? row[1] || "—" : by === "pool" ? row[2] || "—" : "";
    const held = groups.get(name);
    if (held) held.push(row[0]);
    else groups.set(name, [row[0]]);
  }
  return [...groups.entries()]
    .sort((a, b) => natural.compare(a[0], b[0]))
    .map(([name, nodes]) => ({ name, nodes: nodes.sort(natural.compare) }));
}
