// The frame of every page: navigation, user, and whether the shown data is current.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { setToken, tokenRefused, tokenWanted } from "../api/client";
import { language, moment, t } from "../i18n";
import type { Key } from "../i18n/en";
import { connection, retryNow } from "../state/connection";
import { theme } from "../state/choices";
import { link, route } from "../state/route";
import { maintenance, migrations, overview, plans, recovery, session } from "../state/store";
import { ActionButton, Badge, Dialog, Text } from "./common";
import { DemoBar } from "./DemoBar";
import { Icon, type IconName } from "./Icon";
import { Search, openSearch } from "./Search";

const PAGES: { path: string; key: Key; icon: IconName; count?: () => number }[] = [
  { path: "overview", key: "nav.overview", icon: "tiles" },
  { path: "pods", key: "nav.pods", icon: "pods", count: () => (overview.value?.pods.pending ?? 0) + (overview.value?.pods.failing ?? 0) },
  { path: "plan", key: "nav.plan", icon: "plan", count: () => plans.value?.observed?.moves.length ?? 0 },
  { path: "migrations", key: "nav.migrations", icon: "moves", count: () => migrations.value.filter((one) => !one.over).length },
  { path: "recovery", key: "nav.recovery", icon: "recovery", count: () => recovery.value?.lineages.filter((one) => one.verdict === "retrying").length ?? 0 },
  { path: "maintenance", key: "nav.maintenance", icon: "maintenance", count: () => maintenance.value?.nodes.length ?? 0 },
  { path: "settings", key: "nav.settings", icon: "settings" },
];

export function Shell({ children }: { children: ComponentChildren }) {
  const help = useSignal(false);
  const here = route.value.path[0] ?? "overview";
  const section = here === "nodes" ? "overview" : here;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, dialog")) return;
      const digit = Number(event.key);
      if (event.key === "?") help.value = true;
      else if (event.key === "/") openSearch();
      else if (event.key === "t") theme.value = theme.value === "dark" ? "light" : "dark";
      else if (event.key === "l") language.value = language.value === "en" ? "zh" : "en";
      else if (digit >= 1 && digit <= PAGES.length) location.hash = link(PAGES[digit - 1]!.path);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  // On a phone the navigation is a strip that scrolls: keep the current page visible.
  useEffect(() => {
    const strip = document.querySelector(".side");
    const open = strip?.querySelector<HTMLElement>("[aria-current]");
    if (strip && open) strip.scrollLeft = open.offsetLeft - (strip.clientWidth - open.offsetWidth) / 2;
  }, [section]);
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")!.focus(); }}>{t("skip")}</a>
      <header class="top">
        <a class="brand" href={link("overview")}><img src="assets/icon.svg" alt="" width="26" height="26" /><span>rescheduler</span></a>
        {session.value && <span class="cluster"><Text value={session.value.cluster} />{session.value.demo && <Badge tone="plain">{t("demo")}</Badge>}</span>}
        <Search />
        <div class="tools">
          <ConnectionState />
          <button class="tool" onClick={() => (language.value = language.value === "en" ? "zh" : "en")} lang={language.value === "en" ? "zh-CN" : "en"} title={t("tool.language")}>
            {language.value === "en" ? "中文" : "English"}
          </button>
          <button class="tool icon" aria-label={t("tool.theme", { now: t(`theme.${theme.value}`) })} title={t("tool.theme", { now: t(`theme.${theme.value}`) })}
            onClick={() => (theme.value = theme.value === "auto" ? "light" : theme.value === "light" ? "dark" : "auto")}>
            <Icon name={theme.value === "auto" ? "auto" : theme.value === "light" ? "sun" : "moon"} />
          </button>
          <button class="tool icon help-button" aria-label={t("tool.help")} title={t("tool.help")} onClick={() => (help.value = true)}>?</button>
        </div>
      </header>
      <nav class="side" aria-label={t("nav.label")}>
        <ul>
          {PAGES.map((page) => {
            const count = page.count?.() ?? 0;
            return (
              <li key={page.path}>
                <a href={link(page.path)} aria-current={section === page.path ? "page" : undefined}>
                  <Icon name={page.icon} /><span>{t(page.key)}</span>{count > 0 && <span class="count">{count > 999 ? "999+" : count}</span>}
                </a>
              </li>
            );
          })}
        </ul>
        <div class="side-foot">
          {session.value?.grafana && <a href={session.value.grafana} target="_blank" rel="noopener noreferrer">{t("grafana")} ↗</a>}
          {session.value && <p class="quiet">{session.value.user ? <Text value={session.value.user} /> : t("nobodyHere")}<br />{session.value.version}</p>}
        </div>
      </nav>
      <div class="content">
        <Banners />
        {session.value?.demo && session.value.may.demo && <DemoBar />}
        <main id="main" tabIndex={-1}>{children}</main>
      </div>
      {help.value && <Help close={() => (help.value = false)} />}
      {tokenWanted.value && <TokenDialog />}
    </div>
  );
}

function ConnectionState() {
  const c = connection.value;
  if (c.state === "live") return <span class="live"><span class="dot" aria-hidden="true" />{t("live")}</span>;
  if (c.state === "forbidden" || c.state === "token") return null;
  return <span class="live off"><span class="dot" aria-hidden="true" />{c.state === "lost" ? t("lost.short") : t("connecting")}</span>;
}

function Banners() {
  const c = connection.value;
  const o = overview.value;
  return (
    <div class="banners" aria-live="polite">
      {c.state === "lost" && (
        <div class="banner bad" role="alert" data-testid="lost">
          <span class="mark" aria-hidden="true">✕</span>
          <span><strong>{t("lost.title")}</strong> {o ? t("lost.stale", { at: moment(o.at) }) : t("lost.never")}</span>
          <button onClick={retryNow}>{t("lost.retry")}</button>
        </div>
      )}
      {c.state === "live" && c.again && <div class="banner good" data-testid="again"><span class="mark" aria-hidden="true">✓</span><span>{t("lost.again")}</span></div>}
      {o && !o.api.reachable && (
        <div class="banner bad" role="alert" data-testid="api-lost">
          <span class="mark" aria-hidden="true">✕</span>
          <span><strong>{t("apiLost.title", { at: moment(o.api.since) })}</strong> {o.api.problem && <><Text value={o.api.problem.replace(/\.?\s*$/, "")} />. </>}{t("apiLost.what")}</span>
        </div>
      )}
      {o?.paused && (
        <div class="banner warn" data-testid="paused">
          <span class="mark" aria-hidden="true">‖</span>
          <span>
            <strong>{t("paused.title")}</strong>
            {o.paused.by && <> {t("paused.by")} <Text value={o.paused.by} /></>}
            {o.paused.since && <> · {t("paused.since", { at: moment(o.paused.since) })}</>}
            {o.paused.reason && <> · <Text value={o.paused.reason} /></>}
          </span>
          <ActionButton action="pause" path="pause" body={() => ({ paused: false, reason: "" })}>{t("resume")}</ActionButton>
        </div>
      )}
    </div>
  );
}

function Help({ close }: { close: () => void }) {
  const keys: [string, Key][] = [
    ["1 – 7", "help.pages"], ["/", "help.search"], ["t", "help.theme"], ["l", "help.language"], ["?", "help.help"],
    ["← ↑ → ↓", "help.arrows"], ["Enter", "help.open"], ["+ − 0", "help.zoom"], ["Esc", "help.close"],
  ];
  return (
    <Dialog title={t("help.title")} close={close}>
      <dl class="keys">{keys.map(([key, text]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{t(text)}</dd></div>)}</dl>
      <div class="dialog-buttons"><button class="primary" onClick={close}>{t("close")}</button></div>
    </Dialog>
  );
}

function TokenDialog() {
  const typed = useSignal("");
  const enter = (event: Event): void => {
    event.preventDefault();
    setToken(typed.value.trim() || null);
    tokenWanted.value = false;
    tokenRefused.value = false;
    retryNow();
  };
  return (
    <Dialog title={t("token.title")}>
      <form onSubmit={enter}>
        <p>{t("token.what")}</p>
        {tokenRefused.value && <p class="form-error" role="alert">✕ {t("token.refused")}</p>}
        <label for="token">{t("token.label")}</label>
        <input id="token" type="password" autocomplete="off" spellcheck={false} value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} />
        <p class="quiet">{t("token.how")}</p>
        <pre><code>kubectl create token SERVICE-ACCOUNT -n NAMESPACE</code></pre>
        <div class="dialog-buttons"><button class="primary" type="submit" disabled={typed.value.trim() === ""}>{t("token.enter")}</button></div>
      </form>
    </Dialog>
  );
}
