// Choices of the user, stored in this browser.
import { effect, signal, type Signal } from "@preact/signals";

function kept<T extends string>(key: string, initial: T, allowed: readonly T[]): Signal<T> {
  const held = signal(initial);
  try {
    const before = localStorage.getItem("rescheduler." + key) as T | null;
    if (before !== null && allowed.includes(before)) held.value = before;
    effect(() => localStorage.setItem("rescheduler." + key, held.value));
  } catch {
    // the browser stores nothing: the choice lasts until the page is closed
  }
  return held;
}

export const METRICS = ["cpu", "memory", "pods"] as const;
export const KINDS = ["real", "predicted", "requested"] as const;
export const GROUPS = ["zone", "pool", "none"] as const;
export const SHAPES = ["tiles", "table"] as const;
export const THEMES = ["auto", "light", "dark"] as const;
export type Metric = (typeof METRICS)[number];
export type Kind = (typeof KINDS)[number];
export type Group = (typeof GROUPS)[number];

export const metric = kept<Metric>("metric", "cpu", METRICS);
export const kind = kept<Kind>("kind", "real", KINDS);
export const group = kept<Group>("group", "zone", GROUPS);
export const shape = kept<(typeof SHAPES)[number]>("shape", "tiles", SHAPES);
export const theme = kept<(typeof THEMES)[number]>("theme", "auto", THEMES);

const system = matchMedia("(prefers-color-scheme: dark)");
export const dark = signal(system.matches);
export function followTheme(): void {
  const apply = (): void => {
    dark.value = theme.value === "dark" || (theme.value === "auto" && system.matches);
    document.documentElement.dataset["theme"] = dark.value ? "dark" : "light";
  };
  effect(apply);
  system.addEventListener("change", apply);
}
