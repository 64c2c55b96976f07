// Colours from idle to full. One family of hues with monotonic lightness, which works with every kind of colour
// blindness and in a black-and-white print; the tile also shows the number.
type Stop = [at: number, red: number, green: number, blue: number];

const LIGHT: Stop[] = [
  [0, 250, 248, 241], [25, 248, 229, 181], [50, 245, 194, 104], [70, 230, 142, 58], [85, 197, 84, 33], [100, 122, 30, 18],
];
const DARK: Stop[] = [
  [0, 36, 39, 46], [25, 70, 57, 36], [50, 122, 88, 34], [70, 186, 120, 40], [85, 236, 162, 76], [100, 255, 224, 163],
];

function at(stops: Stop[], value: number): [number, number, number] {
  const v = Math.max(0, Math.min(100, value));
  let upper = 1;
  while (upper < stops.length - 1 && stops[upper]![0] < v) upper++;
  const a = stops[upper - 1]!;
  const b = stops[upper]!;
  const share = (v - a[0]) / (b[0] - a[0]);
  return [1, 2, 3].map((i) => Math.round(a[i]! + (b[i]! - a[i]!) * share)) as [number, number, number];
}

export function luminance([r, g, b]: [number, number, number]): number {
  const part = (v: number): number => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
}
export function contrast(a: number, b: number): number {
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

export interface Shade { fill: string; ink: string; rgb: [number, number, number] }
const INK_DARK = "#10141c";
const INK_LIGHT = "#ffffff";

function table(stops: Stop[]): Shade[] {
  return Array.from({ length: 101 }, (_, value) => {
    const rgb = at(stops, value);
    const l = luminance(rgb);
    const ink = contrast(l, luminance([16, 20, 28])) >= contrast(l, 1) ? INK_DARK : INK_LIGHT;
    return { fill: `rgb(${rgb.join(",")})`, ink, rgb };
  });
}
const TABLES = { light: table(LIGHT), dark: table(DARK) };

export function shade(value: number, dark: boolean): Shade {
  return TABLES[dark ? "dark" : "light"][Math.max(0, Math.min(100, Math.round(value)))]!;
}
