// Short messages: visible for a few seconds, and announced to screen readers.
import { signal } from "@preact/signals";
import { t } from "../i18n";
import { Text } from "./common";

interface Announcement { id: number; text: string; tone: "good" | "bad" }
const announcements = signal<Announcement[]>([]);
const spoken = signal("");
let next = 1;

export function announce(text: string, tone: "good" | "bad"): void {
  const id = next++;
  announcements.value = [...announcements.value.slice(-3), { id, text, tone }];
  spoken.value = text;
  setTimeout(() => (announcements.value = announcements.value.filter((one) => one.id !== id)), tone === "bad" ? 12_000 : 6_000);
}
// Announced to screen readers only.
export function speak(text: string): void {
  spoken.value = text;
}

export function Announcements() {
  return (
    <>
      <div class="sr-only" role="status" aria-live="polite"><Text value={spoken.value} /></div>
      <div class="toasts">
        {announcements.value.map((one) => (
          <div key={one.id} class={`toast ${one.tone}`}>
            <span class="mark" aria-hidden="true">{one.tone === "good" ? "✓" : "✕"}</span>
            <span><Text value={one.text} /></span>
            <button class="plain" aria-label={t("close")} onClick={() => (announcements.value = announcements.value.filter((other) => other.id !== one.id))}>×</button>
          </div>
        ))}
      </div>
    </>
  );
}
