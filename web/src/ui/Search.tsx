// Searches nodes locally and pods on the server.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { get } from "../api/client";
import type { PodList } from "../api/types";
import { t } from "../i18n";
import { link } from "../state/route";
import { nodes } from "../state/store";
import { Text } from "./common";
import { Icon } from "./Icon";

const WAIT_MS = 180;
const MOST = 8;
interface Found { kind: "node" | "pod"; label: string; href: string }

export function openSearch(): void {
  document.getElementById("search")?.focus();
}

export function matchNodes(names: Iterable<string>, text: string): string[] {
  const wanted = text.toLowerCase();
  const found: string[] = [];
  for (const name of names) {
    if (name.toLowerCase().includes(wanted)) found.push(name);
    if (found.length === MOST) break;
  }
  return found;
}

export function Search() {
  const text = useSignal("");
  const pods = useSignal<{ query: string; found: Found[] }>({ query: "", found: [] });
  const open = useSignal(false);
  const at = useSignal(0);
  const problem = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const wanted = text.value.trim();
  // Uses the current text: a user who types fast and presses Enter gets the result for the whole text.
  const current = (): Found[] => {
    const query = text.value.trim();
    if (query === "") return [];
    const here = matchNodes(nodes.keys(), query).map((name): Found => ({ kind: "node", label: name, href: link("nodes", name) }));
    return pods.value.query === query ? [...here, ...pods.value.found] : here;
  };
  const found = current();

  useEffect(() => {
    if (wanted === "") return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      get<PodList>(`pods?query=${encodeURIComponent(wanted)}&limit=${MOST}`, abort.signal).then(
        (list) => {
          problem.value = false;
          pods.value = { query: wanted, found: list.pods.map((pod) => ({ kind: "pod", label: `${pod.namespace}/${pod.name}`, href: link("pods", pod.namespace, pod.name) })) };
        },
        () => (problem.value = !abort.signal.aborted),
      );
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [wanted]);

  const go = (one: Found | undefined): void => {
    if (!one) return;
    location.hash = one.href;
    open.value = false;
    text.value = "";
    document.getElementById("main")?.focus();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") at.value = Math.min(current().length - 1, at.value + 1);
    else if (event.key === "ArrowUp") at.value = Math.max(0, at.value - 1);
    else if (event.key === "Enter") go(current()[at.value]);
    else if (event.key === "Escape") {
      open.value = false;
      (event.currentTarget as HTMLElement).blur();
    } else return;
    event.preventDefault();
  };
  const shown = open.value && wanted !== "";
  return (
    <div class="search" ref={box} role="search" onFocusOut={(event) => { if (!box.current!.contains(event.relatedTarget as Node | null)) open.value = false; }}>
      <Icon name="search" />
      <input
        id="search" type="search" role="combobox" aria-label={t("search.label")} placeholder={t("search.placeholder")} autocomplete="off" spellcheck={false}
        aria-expanded={shown} aria-controls="search-list" aria-autocomplete="list" aria-activedescendant={shown && found.length > 0 ? `found-${at.value}` : undefined}
        value={text.value} onFocus={() => (open.value = true)} onKeyDown={onKey}
        onInput={(event) => { text.value = event.currentTarget.value; at.value = 0; open.value = true; }}
      />
      <ul id="search-list" class="search-list" role="listbox" aria-label={t("search.results")} hidden={!shown}>
        {found.map((one, index) => (
          <li key={one.href} id={`found-${index}`} role="option" aria-selected={index === at.value} onPointerDown={(event) => { event.preventDefault(); go(one); }}>
            <span class="quiet">{t(one.kind === "node" ? "word.node" : "word.pod")}</span> <Text value={one.label} />
          </li>
        ))}
        {found.length === 0 && <li class="quiet" role="option" aria-selected="false" aria-disabled="true">{problem.value ? t("search.failed") : pods.value.query === wanted ? t("search.none") : t("loading")}</li>}
      </ul>
    </div>
  );
}
