// The positions of the tiles. Pure: names and a size in, rectangles out.
export interface Block { name: string; x: number; y: number; width: number; height: number; nodes: string[]; columns: number; top: number }
export interface Layout { width: number; height: number; tile: number; tileWidth: number; gap: number; blocks: Block[]; order: string[]; at: Map<string, number> }

const RATIO = 1.3; // least ratio of width to height of a tile: names are wide
const WIDEST = 2; // if there is room
const HEAD = 26;
const PAD = 18;
const LARGEST = 104;
const SMALLEST = 5;

export interface GroupOf { name: string; nodes: string[] }

interface Trial { tile: number; across: number; height: number }

function gapOf(tile: number): number {
  return tile > 40 ? 8 : tile > 16 ? 3 : 1;
}

function columnsFor(width: number, tile: number): number {
  return Math.max(1, Math.floor((width + gapOf(tile)) / (tile * RATIO + gapOf(tile))));
}

function heightOf(groups: GroupOf[], width: number, tile: number, across: number, head: number): number {
  const inner = (width - PAD * (across - 1)) / across;
  const columns = columnsFor(inner, tile);
  let height = 0;
  for (let i = 0; i < groups.length; i += across) {
    const rows = Math.max(...groups.slice(i, i + across).map((group) => Math.ceil(group.nodes.length / columns)));
    height += head + rows * (tile + gapOf(tile)) + (i > 0 ? PAD : 0);
  }
  return height;
}

// The largest tile size at which all nodes are visible; with very many nodes the map is higher than the window.
export function layOut(groups: GroupOf[], width: number, height: number): Layout {
  const head = groups.length > 1 || groups[0]?.name ? HEAD : 0;
  let best: Trial | null = null;
  for (let tile = LARGEST; tile >= SMALLEST && !best; tile -= tile > 24 ? 2 : 1) {
    for (let across = 1; across <= Math.min(groups.length, 8); across++) {
      if ((width - PAD * (across - 1)) / across < tile * RATIO) break;
      const needed = heightOf(groups, width, tile, across, head);
      if (needed <= height && (!best || needed < best.height)) best = { tile, across, height: needed };
    }
  }
  const { tile, across } = best ?? { tile: SMALLEST, across: 1 };
  return place(groups, width, tile, across, head);
}

function place(groups: GroupOf[], width: number, tile: number, across: number, head: number): Layout {
  const gap = gapOf(tile);
  const inner = (width - PAD * (across - 1)) / across;
  const columns = columnsFor(inner, tile);
  const used = Math.min(columns, Math.max(1, ...groups.map((group) => group.nodes.length)));
  const tileWidth = Math.min(tile * WIDEST, (inner - gap * (used - 1)) / used);
  const blocks: Block[] = [];
  const order: string[] = [];
  const at = new Map<string, number>();
  let y = 0;
  for (let i = 0; i < groups.length; i += across) {
    let deepest = 0;
    groups.slice(i, i + across).forEach((group, index) => {
      const rows = Math.ceil(group.nodes.length / columns);
      const block = { name: group.name, x: index * (inner + PAD), y, width: inner, height: head + rows * (tile + gap), nodes: group.nodes, columns: used, top: y + head };
      blocks.push(block);
      for (const node of group.nodes) {
        at.set(node, order.length);
        order.push(node);
      }
      deepest = Math.max(deepest, block.height);
    });
    y += deepest + PAD;
  }
  return { width, height: Math.max(1, y - PAD), tile, tileWidth, gap, blocks, order, at };
}

export interface Box { x: number; y: number; width: number; height: number }

export function boxIn(layout: Layout, block: Block, index: number): Box {
  const column = index % block.columns;
  const row = Math.floor(index / block.columns);
  return {
    x: block.x + column * (layout.tileWidth + layout.gap), y: block.top + row * (layout.tile + layout.gap),
    width: layout.tileWidth, height: layout.tile,
  };
}

export function boxOf(layout: Layout, node: string): Box | null {
  const place = layout.at.get(node);
  if (place === undefined) return null;
  let before = 0;
  for (const block of layout.blocks) {
    if (place < before + block.nodes.length) return boxIn(layout, block, place - before);
    before += block.nodes.length;
  }
  return null;
}

export function nodeAt(layout: Layout, x: number, y: number): string | null {
  for (const block of layout.blocks) {
    if (x < block.x || x > block.x + block.width || y < block.top || y > block.y + block.height) continue;
    const column = Math.floor((x - block.x) / (layout.tileWidth + layout.gap));
    const row = Math.floor((y - block.top) / (layout.tile + layout.gap));
    const index = row * block.columns + column;
    if (column < block.columns && index < block.nodes.length) return block.nodes[index]!;
  }
  return null;
}

// Arrow keys: the neighbouring tile, also across groups.
export function neighbour(layout: Layout, node: string, key: string): string | null {
  const place = layout.at.get(node);
  if (place === undefined) return layout.order[0] ?? null;
  if (key === "ArrowRight") return layout.order[place + 1] ?? node;
  if (key === "ArrowLeft") return layout.order[place - 1] ?? node;
  if (key === "Home") return layout.order[0] ?? node;
  if (key === "End") return layout.order[layout.order.length - 1] ?? node;
  const from = boxOf(layout, node)!;
  const middle = from.x + from.width / 2;
  let best: string | null = null;
  let least = Infinity;
  for (const block of layout.blocks) {
    block.nodes.forEach((other, index) => {
      const box = boxIn(layout, block, index);
      const down = key === "ArrowDown" ? box.y - from.y : from.y - box.y;
      if (down < from.height / 2) return;
      const far = down * 4 + Math.abs(box.x + box.width / 2 - middle);
      if (far < least) {
        least = far;
        best = other;
      }
    });
  }
  return best ?? node;
}
