// Draws the tiles. Independent of signals and of the page: data in, pixels out.
import type { NodeState } from "../api/types";
import { boxIn, boxOf, type Box, type Layout } from "./layout";
import { shade } from "./scale";

export interface View { scale: number; x: number; y: number }
export interface Tile { value: number | null; state: NodeState; pods: number; name: string }
export interface Move { source: string; target: string }
export interface Scene {
  layout: Layout; view: View; width: number; height: number; dark: boolean;
  tile: (node: string) => Tile | null;
  moves: Move[]; phase: number; // of the dots along the moves, 0..1
  chosen: string | null; pointed: string | null; accent: string;
}

export const STATE_SIGNS: Record<NodeState, string> = { ready: "", notReady: "×", cordoned: "‖", maintenance: "↓", quarantined: "!" };
const FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Noto Sans CJK SC', sans-serif";

export function draw(context: CanvasRenderingContext2D, scene: Scene, ratio: number): void {
  const { layout, view, width, height, dark } = scene;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const high = layout.tile * view.scale;
  const wide = layout.tileWidth * view.scale;
  context.textBaseline = "middle";
  for (const block of layout.blocks) {
    const left = block.x * view.scale + view.x;
    const top = block.y * view.scale + view.y;
    if (left > width || top > height || left + block.width * view.scale < 0 || top + block.height * view.scale < 0) continue;
    if (block.top > block.y) heading(context, block.name, block.nodes.length, left, top, (block.top - block.y) * view.scale, scene);
    // Only visible tiles: rows and columns are a grid, so the range follows without checking each tile.
    const rowHeight = (layout.tile + layout.gap) * view.scale;
    const firstTop = block.top * view.scale + view.y;
    const rows = Math.ceil(block.nodes.length / block.columns);
    const from = Math.max(0, Math.floor(-firstTop / rowHeight));
    const to = Math.min(rows - 1, Math.ceil((height - firstTop) / rowHeight));
    for (let index = from * block.columns; index < Math.min(block.nodes.length, (to + 1) * block.columns); index++) {
      const box = boxIn(layout, block, index);
      const x = box.x * view.scale + view.x;
      if (x > width || x + wide < 0) continue;
      const tile = scene.tile(block.nodes[index]!);
      if (tile) one(context, tile, { x, y: box.y * view.scale + view.y, width: wide, height: high }, dark);
    }
  }
  moves(context, scene);
  for (const [node, strong] of [[scene.pointed, false], [scene.chosen, true]] as const) {
    const box = node === null ? null : onScreen(scene, node);
    if (box) ring(context, box, scene.accent, strong);
  }
}

export function onScreen(scene: Pick<Scene, "layout" | "view">, node: string): Box | null {
  const box = boxOf(scene.layout, node);
  if (!box) return null;
  const { scale, x, y } = scene.view;
  return { x: box.x * scale + x, y: box.y * scale + y, width: box.width * scale, height: box.height * scale };
}

function path(context: CanvasRenderingContext2D, box: Box, radius: number): void {
  context.beginPath();
  if (radius > 0) context.roundRect(box.x, box.y, box.width, box.height, radius);
  else context.rect(box.x, box.y, box.width, box.height);
}

const radiusOf = (box: Box): number => (box.height > 40 ? 8 : box.height > 14 ? 3 : 0);

function one(context: CanvasRenderingContext2D, tile: Tile, box: Box, dark: boolean): void {
  const known = tile.value !== null;
  const colour = shade(tile.value ?? 0, dark);
  const radius = radiusOf(box);
  const away = tile.state === "notReady";
  if (radius === 0 && known && tile.state === "ready") {
    context.fillStyle = colour.fill;
    context.fillRect(box.x, box.y, box.width, box.height);
    return;
  }
  path(context, box, radius);
  context.fillStyle = known && !away ? colour.fill : dark ? "#20242c" : "#f1f1ef";
  context.fill();
  if (!known || away) {
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    context.strokeStyle = dark ? "#6d7686" : "#8b909a";
    context.stroke();
    context.setLineDash([]);
  }
  if (tile.state !== "ready") hatch(context, box, radius, away || !known ? (dark ? "#8d95a3" : "#7a808b") : colour.ink);
  if (box.height >= 22) words(context, tile, box, known && !away ? colour.ink : dark ? "#dfe3ea" : "#2b303a");
}

// Stripes: they show without colour that a node accepts no new pods.
function hatch(context: CanvasRenderingContext2D, box: Box, radius: number, ink: string): void {
  context.save();
  path(context, box, radius);
  context.clip();
  context.strokeStyle = ink;
  context.globalAlpha = 0.2;
  context.lineWidth = Math.max(1, Math.min(2, box.height / 12));
  const step = Math.max(4, Math.min(10, box.height / 4));
  context.beginPath();
  for (let x = box.x - box.height; x < box.x + box.width; x += step) {
    context.moveTo(x, box.y + box.height);
    context.lineTo(x + box.height, box.y);
  }
  context.stroke();
  context.restore();
}

function cut(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  // The end of a name distinguishes nodes more often than the start.
  const letters = [...text];
  let keep = Math.max(1, Math.floor((letters.length * room) / context.measureText(text).width) - 1);
  while (keep > 1 && context.measureText("…" + letters.slice(-keep).join("")).width > room) keep--;
  return "…" + letters.slice(-keep).join("");
}

function words(context: CanvasRenderingContext2D, tile: Tile, box: Box, ink: string): void {
  context.fillStyle = ink;
  const sign = STATE_SIGNS[tile.state] ?? "?";
  const text = tile.value === null || tile.state === "notReady" ? "–" : `${Math.round(tile.value)}%`;
  if (box.height < 50 || box.width < 64) {
    context.font = `600 ${Math.min(13, Math.max(9, box.height * 0.42))}px ${FONT}`;
    context.textAlign = "center";
    context.fillText(sign ? sign : text, box.x + box.width / 2, box.y + box.height / 2 + 0.5);
    return;
  }
  const inset = Math.min(10, box.width * 0.1);
  const name = Math.max(10, Math.min(13, box.height * 0.16));
  context.textAlign = "left";
  context.font = `500 ${name}px ${FONT}`;
  context.fillText(cut(context, tile.name, box.width - 2 * inset - (sign ? 14 : 0)), box.x + inset, box.y + inset + name * 0.5);
  if (sign) {
    context.textAlign = "right";
    context.font = `700 ${name + 3}px ${FONT}`;
    context.fillText(sign, box.x + box.width - inset, box.y + inset + name * 0.5);
    context.textAlign = "left";
  }
  const big = Math.max(15, Math.min(28, box.height * 0.3));
  context.font = `650 ${big}px ${FONT}`;
  context.fillText(text, box.x + inset, box.y + box.height - inset - big * 0.42);
  const taken = context.measureText(text).width;
  context.font = `${name - 1}px ${FONT}`;
  const pods = `▪ ${tile.pods}`;
  if (taken + context.measureText(pods).width + 8 <= box.width - 2 * inset) {
    context.textAlign = "right";
    context.fillText(pods, box.x + box.width - inset, box.y + box.height - inset - name * 0.45);
  }
}

function heading(context: CanvasRenderingContext2D, name: string, count: number, x: number, y: number, room: number, scene: Scene): void {
  context.textAlign = "left";
  const size = Math.max(11, Math.min(14, room * 0.55));
  context.font = `600 ${size}px ${FONT}`;
  context.fillStyle = scene.dark ? "#c9d0db" : "#3c434f";
  context.fillText(name, x, y + room * 0.42);
  const after = context.measureText(name + "  ").width;
  context.font = `${size}px ${FONT}`;
  context.fillStyle = scene.dark ? "#99a2b1" : "#666d79";
  context.fillText(String(count), x + after, y + room * 0.42);
}

function ring(context: CanvasRenderingContext2D, box: Box, accent: string, strong: boolean): void {
  const grow = strong ? 2.5 : 1;
  path(context, { x: box.x - grow, y: box.y - grow, width: box.width + 2 * grow, height: box.height + 2 * grow }, radiusOf(box) + grow);
  context.lineWidth = strong ? 3 : 1.5;
  context.strokeStyle = accent;
  context.stroke();
}

function moves(context: CanvasRenderingContext2D, scene: Scene): void {
  context.strokeStyle = scene.accent;
  context.fillStyle = scene.accent;
  for (const move of scene.moves) {
    const from = onScreen(scene, move.source);
    const to = onScreen(scene, move.target);
    if (!from || !to) continue;
    const ax = from.x + from.width / 2;
    const ay = from.y + from.height / 2;
    const bx = to.x + to.width / 2;
    const by = to.y + to.height / 2;
    const far = Math.hypot(bx - ax, by - ay) || 1;
    const lift = Math.min(90, far * 0.25);
    const cx = (ax + bx) / 2 + ((by - ay) / far) * lift;
    const cy = (ay + by) / 2 - ((bx - ax) / far) * lift;
    context.lineWidth = 2;
    context.globalAlpha = 0.75;
    context.beginPath();
    context.moveTo(ax, ay);
    context.quadraticCurveTo(cx, cy, bx, by);
    context.stroke();
    context.globalAlpha = 1;
    const angle = Math.atan2(by - cy, bx - cx);
    context.beginPath();
    context.moveTo(bx, by);
    context.lineTo(bx - 9 * Math.cos(angle - 0.45), by - 9 * Math.sin(angle - 0.45));
    context.lineTo(bx - 9 * Math.cos(angle + 0.45), by - 9 * Math.sin(angle + 0.45));
    context.fill();
    const s = scene.phase;
    context.beginPath();
    context.arc((1 - s) ** 2 * ax + 2 * (1 - s) * s * cx + s * s * bx, (1 - s) ** 2 * ay + 2 * (1 - s) * s * cy + s * s * by, 4.5, 0, 7);
    context.fill();
  }
}
