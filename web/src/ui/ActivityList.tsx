import type { ActivityLine } from "../api/types";
import { t, word } from "../i18n";
import { link } from "../state/route";
import { activity } from "../state/store";
import { Text, Time } from "./common";

const SIGNS: Record<ActivityLine["kind"], string> = {
  plan: "☰", move: "➝", recovery: "↻", maintenance: "↓", brake: "‖", action: "☞", scenario: "▸", event: "·",
};

function about(line: ActivityLine): string | null {
  if (!line.object) return null;
  const { kind, namespace, name } = line.object;
  if (kind === "Node") return link("nodes", name);
  if (kind === "Pod") return link("pods", namespace, name);
  if (kind === "Migration") return link("migrations", namespace, name);
  return null;
}

export function ActivityList({ most, lines }: { most: number; lines?: ActivityLine[] }) {
  const all = lines ?? activity.value;
  if (all.length === 0) return <p class="quiet">{t("news.none")}</p>;
  return (
    <ol class="news" data-testid="news">
      {all.slice(0, most).map((line) => {
        const href = about(line);
        return (
          <li key={line.id} class={line.warning ? "warning" : ""}>
            <span class="news-sign" aria-hidden="true">{line.warning ? "!" : SIGNS[line.kind] ?? "·"}</span>
            <span class="news-text"><span class="sr-only">{word("news", line.kind)}: </span>{href ? <a href={href}><Text value={line.text} /></a> : <Text value={line.text} />}</span>
            <Time at={line.at} />
          </li>
        );
      })}
    </ol>
  );
}
