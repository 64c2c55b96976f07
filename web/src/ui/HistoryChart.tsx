// Balance as a line, moves as bars below it, on one time axis.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { language, number, t } from "../i18n";
import { dark } from "../state/choices";
import { history } from "../state/store";

function colours(isDark: boolean) {
  return isDark
    ? { ink: "#99a2b1", grid: "#262c36", line: "#8ea2ff", fill: "rgba(142,162,255,.14)", bars: "#6f7a8c" }
    : { ink: "#666d79", grid: "#ececea", line: "#3d5afe", fill: "rgba(61,90,254,.09)", bars: "#a9b0bd" };
}

function make(host: HTMLElement): uPlot {
  const c = colours(dark.value);
  const font = "11px system-ui, sans-serif";
  return new uPlot(
    {
      width: Math.max(120, host.clientWidth), height: Math.max(90, host.clientHeight),
      legend: { show: false }, cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
      padding: [8, 18, 6, 0],
      scales: {
        y: { range: [0, 100] },
        moves: { range: (_u, _low, high) => [0, Math.max(4, high ?? 0) * 3] }, // the bars use the lower third
      },
      axes: [
        {
          stroke: c.ink, font, grid: { show: false }, ticks: { show: false }, size: 22, space: 70,
          values: (_u, at) => at.map((v) => new Date(v * 1000).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })),
        },
        { stroke: c.ink, font, grid: { stroke: c.grid, width: 1 }, ticks: { show: false }, size: 32, splits: [0, 50, 100] },
      ],
      series: [
        {},
        { scale: "moves", stroke: c.bars, fill: c.bars, points: { show: false }, paths: uPlot.paths.bars!({ size: [0.7, 10], align: 0 }) },
        { scale: "y", stroke: c.line, fill: c.fill, width: 2, points: { show: false }, spanGaps: false },
      ],
    },
    [[], [], []],
    host,
  );
}

export function HistoryChart() {
  const host = useRef<HTMLDivElement>(null);
  const read = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const element = host.current!;
    let plot: uPlot | null = null;
    const showCursor = (): void => {
      const h = history.peek();
      if (!plot || !h || !read.current) return;
      const index = plot.cursor.idx ?? h.at.length - 1;
      const value = h.balance[index];
      read.current.textContent = index < 0 ? "" : t("chart.read", {
        at: new Date(h.at[index]! * 1000).toLocaleTimeString("en-GB"), balance: value == null ? "–" : number(value), moves: h.moves[index] ?? 0,
        pending: h.pending[index] ?? 0,
      });
    };
    const fill = (): void => {
      const h = history.value;
      if (plot && h) plot.setData([h.at, h.moves, h.balance]);
      showCursor();
    };
    const stopMake = effect(() => {
      void dark.value;
      plot?.destroy();
      plot = make(element);
      plot.over.addEventListener("mousemove", () => requestAnimationFrame(showCursor));
      plot.over.addEventListener("mouseleave", () => requestAnimationFrame(showCursor));
      fill();
    });
    const stopFill = effect(() => void (language.value, fill()));
    const observer = new ResizeObserver(() => plot?.setSize({ width: Math.max(120, element.clientWidth), height: Math.max(90, element.clientHeight) }));
    observer.observe(element);
    return () => {
      stopMake();
      stopFill();
      observer.disconnect();
      plot?.destroy();
    };
  }, []);
  const h = history.value;
  const known = h?.balance.filter((value): value is number => value !== null) ?? [];
  const label = known.length > 1
    ? t("chart.label", { from: number(known[0]!), to: number(known[known.length - 1]!), moves: h!.moves.reduce((a, b) => a + b, 0) })
    : t("chart.empty");
  return (
    <figure class="chart">
      <div ref={host} class="chart-host" role="img" aria-label={label} />
      {known.length === 0 && <p class="chart-empty quiet">{t("chart.empty")}</p>}
      <figcaption><span class="key line">{t("chart.balance")}</span><span class="key bars">{t("chart.moves")}</span><p ref={read} class="chart-read" /></figcaption>
    </figure>
  );
}
