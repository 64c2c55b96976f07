import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, act, get } from "../api/client";
import type { Action, NodeState } from "../api/types";
import { clock, moment, t, word } from "../i18n";
import { link } from "../state/route";
import { connections, session } from "../state/store";
import { announce } from "./announce";
import { parts, visible } from "./visible";

// Text from the cluster: its writing direction is isolated, and invisible characters are written out.
export function Text({ value, class: cls }: { value: string; class?: string }) {
  return (
    <bdi class={cls}>
      {parts(value).map((part) => (part.hidden ? <span class="hidden-char" title={t("hiddenCharacter")}>{part.text}</span> : part.text))}
    </bdi>
  );
}

export function NodeLink({ name }: { name: string }) {
  return <a class="name" href={link("nodes", name)}><Text value={name} /></a>;
}
export function PodLink({ namespace, name }: { namespace: string; name: string }) {
  return <a class="name" href={link("pods", namespace, name)}><Text value={`${namespace}/${name}`} /></a>;
}

export function Time({ at }: { at: string | null }) {
  return at ? <time dateTime={at} title={moment(at)}>{clock(at)}</time> : <span>–</span>;
}

export function Card(props: { title?: string; aside?: ComponentChildren; class?: string; children: ComponentChildren; id?: string }) {
  const id = props.id ?? "card-" + (props.title ?? "").replace(/\W+/g, "-").slice(0, 40);
  return (
    <section class={`card ${props.class ?? ""}`} aria-labelledby={props.title ? id : undefined}>
      {props.title && <header class="card-head"><h2 id={id}>{props.title}</h2>{props.aside}</header>}
      {props.children}
    </section>
  );
}

export type Tone = "good" | "warn" | "bad" | "plain" | "accent";
const MARKS: Record<Tone, string> = { good: "✓", warn: "!", bad: "✕", plain: "", accent: "●" };

// A state is a word and a symbol; the colour is an addition.
export function Badge({ tone, children, pulse }: { tone: Tone; children: ComponentChildren; pulse?: boolean }) {
  return (
    <span class={`badge ${tone} ${pulse ? "pulse" : ""}`}>
      {MARKS[tone] && <span class="mark" aria-hidden="true">{MARKS[tone]}</span>}{children}
    </span>
  );
}

const STATE_TONES: Record<NodeState, Tone> = {
  ready: "good", notReady: "bad", cordoned: "warn", maintenance: "accent", quarantined: "bad",
};
export function StateBadge({ state }: { state: NodeState }) {
  return <Badge tone={STATE_TONES[state] ?? "plain"}>{word("state", state)}</Badge>;
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return <div class="empty"><p class="empty-title">{title}</p>{children && <p>{children}</p>}</div>;
}

export function Problem({ error, retry }: { error: Error; retry?: () => void }) {
  const status = error instanceof ApiError ? error.status : 0;
  const what = status === 404 ? t("problem.404") : status === 403 ? t("problem.403") : status === 401 ? t("problem.401")
    : status === 503 ? t("problem.503") : status === 0 ? t("problem.network") : t("problem.other");
  return (
    <div class="problem" role="alert">
      <p class="empty-title">{t("problem.title")}</p>
      <p><Text value={error.message} /></p>
      <p class="quiet">{what}</p>
      {retry && <button onClick={retry}>{t("again")}</button>}
    </div>
  );
}

export function Loading() {
  return <p class="loading" role="status">{t("loading")}</p>;
}

// Data of one page: fetched when the page opens, and again when `version` changes. The current data stays while another
// query of the same path (the part after `?`) is loading.
export function useData<T>(path: string | null, version: unknown = 0): { data: T | null; error: Error | null; reload: () => void } {
  const [held, setHeld] = useState<{ path: string | null; data: T | null; error: Error | null }>({ path, data: null, error: null });
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (path === null) return undefined;
    const abort = new AbortController();
    get<T>(path, abort.signal).then(
      (data) => setHeld({ path, data, error: null }),
      (error: unknown) => {
        if (!abort.signal.aborted) setHeld((before) => ({ path, data: same(before.path, path) ? before.data : null, error: error as Error }));
      },
    );
    return () => abort.abort();
  }, [path, version, count]);
  const connected = connections.value;
  useEffect(() => {
    if (held.error) setCount(count + 1);
  }, [connected]);
  const fresh = same(held.path, path);
  return { data: fresh ? held.data : null, error: fresh ? held.error : null, reload: () => setCount(count + 1) };
}

const same = (a: string | null, b: string | null): boolean => a?.split("?")[0] === b?.split("?")[0];

export function Bar({ value, before, label }: { value: number | null; before?: number | null; label?: string }) {
  const width = Math.max(0, Math.min(100, value ?? 0));
  const was = before === undefined || before === null ? null : Math.max(0, Math.min(100, before));
  return (
    <span class="bar" role={label ? "img" : undefined} aria-label={label} aria-hidden={label ? undefined : "true"}>
      <span class="bar-fill" style={{ width: `${width}%` }} />
      {was !== null && <span class="bar-was" style={{ left: `${was}%` }} />}
    </span>
  );
}

export function Segmented<T extends string>(props: {
  label: string; value: T; options: readonly T[]; name: (option: T) => string; choose: (option: T) => void;
}) {
  return (
    <div class="segmented" role="group" aria-label={props.label}>
      {props.options.map((option) => (
        <button key={option} aria-pressed={option === props.value} onClick={() => props.choose(option)}>{props.name(option)}</button>
      ))}
    </div>
  );
}

// A button that sends an action to the server and announces the result, or shows why the action is not allowed.
export function ActionButton(props: {
  action: Action; path?: string; body?: () => unknown; children: ComponentChildren; confirm?: string; class?: string;
  done?: () => void; disabled?: boolean;
  perform?: () => Promise<string>; // runs instead of posting `body` to `path`
}) {
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const allowed = session.value?.may[props.action] ?? false;
  const run = async (): Promise<void> => {
    setAsking(false);
    setBusy(true);
    try {
      const answer = await (props.perform ? props.perform() : act(props.path ?? "", props.body?.()));
      announce(answer || t("done"), "good");
      props.done?.();
    } catch (error) {
      announce((error as Error).message, "bad");
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button
        class={props.class} disabled={!allowed || busy || props.disabled} aria-busy={busy}
        title={allowed ? undefined : t("notAllowed", { user: visible(session.value?.user ?? t("nobody")) })}
        onClick={() => (props.confirm ? setAsking(true) : void run())}
      >{props.children}</button>
      {!allowed && props.action !== "demo" && <span class="not-allowed">{t("notAllowedShort")}</span>}
      {asking && (
        <Dialog title={t("confirm.title")} close={() => setAsking(false)}>
          <p><Text value={props.confirm ?? ""} /></p>
          <div class="dialog-buttons">
            <button onClick={() => setAsking(false)}>{t("confirm.no")}</button>
            <button class="primary" onClick={() => void run()}>{t("confirm.yes")}</button>
          </div>
        </Dialog>
      )}
    </>
  );
}

export function Dialog({ title, close, children }: { title: string; close?: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = ref.current!;
    if (!element.open) element.showModal();
    return () => element.close();
  }, []);
  const cancel = (event: JSX.TargetedEvent<HTMLDialogElement>): void => {
    event.preventDefault();
    close?.();
  };
  return (
    <dialog ref={ref} aria-label={title} onCancel={cancel} onClick={(event) => event.target === ref.current && close?.()}>
      <div class="dialog-body"><h2>{title}</h2>{children}</div>
    </dialog>
  );
}

// Shows a part of a long list, and the rest on request.
export function useMore<T>(all: T[], step: number): { shown: T[]; more: ComponentChildren } {
  const [count, setCount] = useState(step);
  const rest = all.length - count;
  return {
    shown: all.slice(0, count),
    more: rest > 0 ? <button class="more" onClick={() => setCount(count + step)}>{t("more", { n: rest })}</button> : null,
  };
}
