// The map of all nodes: a canvas for display and pointer input; for keyboards and screen readers a list, in which only
// the selected entry is a real element.
import { effect, useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { NodeRow } from "../api/types";
import { percent, t, word } from "../i18n";
import { dark, group, kind, metric } from "../state/choices";
import { link } from "../state/route";
import { migrations, nodes, nodesChanged, nodeSetChanged } from "../state/store";
import { Text } from "../ui/common";
import { visible } from "../ui/visible";
import { draw, onScreen, type Scene, type View } from "./draw";
import { groupNodes, valueOf } from "./groups";
import { layOut, neighbour, nodeAt, type Layout } from "./layout";

const MOST_ZOOM = 40;
const LERP_MS = 180; // duration of the transition to a new value
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export function describe(row: NodeRow): string {
  const [name, zone, pool, state, pods] = row;
  return t("tile.describe", {
    name: visible(name), state: word("state", state), zone: visible(zone || "—"), pool: visible(pool || "—"), pods,
    cpu: percent(row[6]), memory: percent(row[7]),
  });
}

class Painter {
  layout: Layout = layOut([], 1, 1);
  view: View = { scale: 1, x: 0, y: 0 };
  chosen: string | null = null;
  pointed: string | null = null;
  frames = 0; // drawn since the start; the performance check reads it
  private shown = new Map<string, number>();
  private frame = 0;
  private last = 0;
  private settling = true;
  private touched = false; // the user panned or zoomed: a new layout keeps their view
  width = 1;
  height = 1;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly onView: () => void) {}

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.arrange();
  }

  arrange(): void {
    this.layout = layOut(groupNodes(nodes.values(), group.value), Math.max(60, this.width - 8), Math.max(60, this.height - 8));
    if (!this.touched) this.fit();
    this.ask();
  }

  fit(): void {
    this.touched = false;
    const scale = Math.min(1, (this.height - 8) / this.layout.height);
    this.view = { scale, x: Math.max(4, (this.width - this.layout.width * scale) / 2), y: 4 };
    this.onView();
    this.ask();
  }

  zoom(factor: number, x = this.width / 2, y = this.height / 2): void {
    const least = Math.min(1, (this.height - 8) / this.layout.height);
    const scale = Math.max(least, Math.min(MOST_ZOOM, this.view.scale * factor));
    const real = scale / this.view.scale;
    this.view = { scale, x: x - (x - this.view.x) * real, y: y - (y - this.view.y) * real };
    this.touched = scale > least * 1.001;
    if (!this.touched) this.fit();
    this.hold();
  }

  pan(dx: number, dy: number): void {
    this.touched = true;
    this.view = { ...this.view, x: this.view.x + dx, y: this.view.y + dy };
    this.hold();
  }

  // Keeps a part of the map inside the window.
  private hold(): void {
    const margin = 60;
    const { scale } = this.view;
    this.view.x = Math.min(this.width - margin, Math.max(margin - this.layout.width * scale, this.view.x));
    this.view.y = Math.min(this.height - margin, Math.max(margin - this.layout.height * scale, this.view.y));
    this.onView();
    this.ask();
  }

  get zoomed(): boolean {
    return this.touched;
  }

  show(node: string): void {
    const box = onScreen(this, node);
    if (!box) return;
    const dx = box.x < 8 ? 8 - box.x : box.x + box.width > this.width - 8 ? this.width - 8 - box.x - box.width : 0;
    const dy = box.y < 8 ? 8 - box.y : box.y + box.height > this.height - 8 ? this.height - 8 - box.y - box.height : 0;
    if ((dx || dy) && this.touched) this.pan(dx, dy);
    this.ask();
  }

  at(x: number, y: number): string | null {
    return nodeAt(this.layout, (x - this.view.x) / this.view.scale, (y - this.view.y) / this.view.scale);
  }

  ask(): void {
    this.settling = true;
    if (!this.frame) this.frame = requestAnimationFrame((now) => this.paint(now));
  }
  stop(): void {
    cancelAnimationFrame(this.frame);
  }

  private paint(now: number): void {
    this.frame = 0;
    if (this.layout.order.length === 0) return;
    const step = calm.matches ? 1 : 1 - Math.exp(-Math.min(100, now - this.last) / LERP_MS);
    this.last = now;
    this.settling = false;
    const [m, k] = [metric.peek(), kind.peek()];
    const under = migrations.peek().filter((one) => !one.over && one.target !== "").slice(0, 120);
    const scene: Scene = {
      layout: this.layout, view: this.view, width: this.width, height: this.height, dark: dark.peek(),
      tile: (node) => {
        const row = nodes.get(node);
        if (!row) return null;
        const goal = valueOf(row, m, k);
        return { value: goal === null ? null : this.towards(node, goal, step), state: row[3], pods: row[4], name: visible(node) };
      },
      moves: under, phase: calm.matches ? 0.5 : (now / 1600) % 1,
      chosen: this.chosen, pointed: this.pointed, accent: dark.peek() ? "#8ea2ff" : "#3d5afe",
    };
    draw(this.canvas.getContext("2d")!, scene, devicePixelRatio || 1);
    // The performance check measures the first picture by this mark.
    if (this.frames++ === 0) performance.mark("picture");
    this.canvas.dataset["frames"] = String(this.frames);
    if (this.settling || (under.length > 0 && !calm.matches)) this.ask();
  }

  private towards(node: string, goal: number, step: number): number {
    const before = this.shown.get(node) ?? goal;
    const after = Math.abs(goal - before) < 0.5 ? goal : before + (goal - before) * step;
    this.shown.set(node, after);
    if (after !== goal) this.settling = true;
    return after;
  }
}

export function TileMap() {
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef<Painter | null>(null);
  const chosen = useSignal<string | null>(null);
  const pointed = useSignal<{ node: string; x: number; y: number } | null>(null);
  const zoomed = useSignal(false);

  useEffect(() => {
    const it = new Painter(canvas.current!, () => (zoomed.value = it.zoomed));
    painter.current = it;
    const observer = new ResizeObserver(([entry]) => it.resize(entry!.contentRect.width, entry!.contentRect.height));
    observer.observe(host.current!);
    const stops = [
      effect(() => void (nodeSetChanged.value, group.value, it.arrange())),
      effect(() => void (nodesChanged.value, metric.value, kind.value, dark.value, migrations.value, it.ask())),
    ];
    const free = listen(host.current!, it, (node) => (chosen.value = node), (at) => (pointed.value = at));
    return () => {
      observer.disconnect();
      stops.forEach((stop) => stop());
      free();
      it.stop();
    };
  }, []);

  const onKey = (event: KeyboardEvent): void => {
    const it = painter.current!;
    if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") {
      it.chosen = neighbour(it.layout, chosen.value ?? "", event.key);
      chosen.value = it.chosen;
      if (it.chosen) it.show(it.chosen);
    } else if ((event.key === "Enter" || event.key === " ") && chosen.value) location.hash = link("nodes", chosen.value);
    else if (event.key === "+" || event.key === "=") it.zoom(1.4);
    else if (event.key === "-") it.zoom(1 / 1.4);
    else if (event.key === "0") it.fit();
    else return;
    event.preventDefault();
  };
  const onFocus = (): void => {
    const it = painter.current!;
    if (!chosen.value && host.current!.matches(":focus-visible")) it.chosen = chosen.value = it.layout.order[0] ?? null;
    it.ask();
  };

  const active = useComputed(() => (void nodesChanged.value, chosen.value ? nodes.get(chosen.value) ?? null : null));
  const tip = pointed.value ? nodes.get(pointed.value.node) : undefined;
  return (
    <div class="tilemap">
      <div
        ref={host} class={`tilemap-host ${zoomed.value ? "zoomed" : ""}`} role="listbox" tabIndex={0} aria-label={t("tiles.label")}
        aria-describedby="tiles-keys" aria-activedescendant={active.value ? "tile-active" : undefined} onKeyDown={onKey} onFocus={onFocus}
        data-testid="tiles"
      >
        <canvas ref={canvas} aria-hidden="true" />
        {active.value && (
          <div id="tile-active" role="option" aria-selected="true" class="sr-only" aria-setsize={nodes.size}
            aria-posinset={(painter.current?.layout.at.get(active.value[0]) ?? 0) + 1}>{describe(active.value)}</div>
        )}
        {!active.value && <div role="option" aria-selected="false" class="sr-only">{t("tiles.none")}</div>}
      </div>
      <p id="tiles-keys" class="sr-only">{t("tiles.keys")}</p>
      {tip && pointed.value && <Tip row={tip} x={pointed.value.x} y={pointed.value.y} width={painter.current?.width ?? 0} />}
      <div class="zoom" role="group" aria-label={t("tiles.zoom")}>
        <button aria-label={t("tiles.in")} title={t("tiles.in")} onClick={() => painter.current!.zoom(1.6)}>+</button>
        <button aria-label={t("tiles.out")} title={t("tiles.out")} onClick={() => painter.current!.zoom(1 / 1.6)}>−</button>
        {zoomed.value && <button onClick={() => painter.current!.fit()}>{t("tiles.fit")}</button>}
      </div>
    </div>
  );
}

function Tip({ row, x, y, width }: { row: NodeRow; x: number; y: number; width: number }) {
  const lines: [string, string, string, string][] = [
    [t("metric.cpu"), percent(row[6]), percent(row[8]), percent(row[10])],
    [t("metric.memory"), percent(row[7]), percent(row[9]), percent(row[11])],
  ];
  return (
    <div class="tip" style={{ left: `${Math.min(x + 14, Math.max(0, width - 268))}px`, top: `${y + 14}px` }} aria-hidden="true">
      <strong><Text value={row[0]} /></strong> <span class="quiet">{word("state", row[3])} · {t("pods.of", { n: row[4], most: row[5] })}</span>
      <table>
        <thead><tr><th /><th>{t("kind.real")}</th><th>{t("kind.predicted")}</th><th>{t("kind.requested")}</th></tr></thead>
        <tbody>{lines.map((line) => <tr key={line[0]}>{line.map((cell, i) => (i === 0 ? <th key={i}>{cell}</th> : <td key={i}>{cell}</td>))}</tr>)}</tbody>
      </table>
    </div>
  );
}

// Mouse, wheel and touch input.
function listen(host: HTMLElement, it: Painter, choose: (node: string | null) => void, point: (at: { node: string; x: number; y: number } | null) => void): () => void {
  const fingers = new Map<number, { x: number; y: number }>();
  let travelled = 0;
  const where = (event: PointerEvent | WheelEvent): { x: number; y: number } => {
    const box = host.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const down = (event: PointerEvent): void => {
    fingers.set(event.pointerId, where(event));
    travelled = 0;
  };
  const move = (event: PointerEvent): void => {
    const now = where(event);
    const before = fingers.get(event.pointerId);
    if (!before) {
      const node = it.at(now.x, now.y);
      it.pointed = node;
      point(node && event.pointerType === "mouse" ? { node, ...now } : null);
      it.ask();
      return;
    }
    const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    travelled += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    if (others.length === 1) {
      const other = others[0]!;
      const stretch = Math.hypot(now.x - other.x, now.y - other.y) / (Math.hypot(before.x - other.x, before.y - other.y) || 1);
      it.zoom(stretch, (now.x + other.x) / 2, (now.y + other.y) / 2);
    } else if (travelled > 4 && (event.pointerType === "mouse" || it.zoomed)) {
      if (!host.hasPointerCapture(event.pointerId)) host.setPointerCapture(event.pointerId);
      it.pan(now.x - before.x, now.y - before.y);
      point(null);
    }
    fingers.set(event.pointerId, now);
  };
  const up = (event: PointerEvent): void => {
    const had = fingers.delete(event.pointerId);
    if (!had || travelled > 4 || event.type !== "pointerup") return;
    const at = where(event);
    const node = it.at(at.x, at.y);
    if (node) {
      it.chosen = node;
      choose(node);
      location.hash = link("nodes", node);
    }
  };
  const leave = (): void => {
    it.pointed = null;
    point(null);
    it.ask();
  };
  const wheel = (event: WheelEvent): void => {
    // The wheel alone scrolls the page, unless the map is focused or zoomed.
    if (!event.ctrlKey && !event.metaKey && !it.zoomed && document.activeElement !== host) return;
    event.preventDefault();
    const at = where(event);
    it.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0018)), at.x, at.y);
  };
  host.addEventListener("pointerdown", down);
  host.addEventListener("pointermove", move);
  host.addEventListener("pointerup", up);
  host.addEventListener("pointercancel", up);
  host.addEventListener("pointerleave", leave);
  host.addEventListener("wheel", wheel, { passive: false });
  return () => {
    host.removeEventListener("pointerdown", down);
    host.removeEventListener("pointermove", move);
    host.removeEventListener("pointerup", up);
    host.removeEventListener("pointercancel", up);
    host.removeEventListener("pointerleave", leave);
    host.removeEventListener("wheel", wheel);
  };
}
