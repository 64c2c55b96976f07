// Holds the stream: reads it with fetch, since EventSource cannot send a token; comes back by itself when it breaks.
import { signal } from "@preact/signals";
import { base, checked, get, headers, tokenWanted, ApiError } from "../api/client";
import { Backoff, EventParser } from "../api/sse";
import type { Session, StreamEvents } from "../api/types";
import { applyEvent, loadAll, overview, session } from "./store";

export type Connection =
  | { state: "connecting" }
  | { state: "live"; again: boolean } // again: after a loss, said for a few seconds
  | { state: "lost"; retryAt: number; why: string }
  | { state: "token" };
export const connection = signal<Connection>({ state: "connecting" });

const QUIET_MS = 45_000; // longer without a byte, and the connection is taken for dead
const SAY_AGAIN_MS = 5_000;

let wake: (() => void) | null = null;
export function retryNow(): void {
  wake?.();
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      wake = null;
      resolve();
    }
    wake = done;
  });
}

async function readStream(backoff: Backoff, lostBefore: boolean): Promise<void> {
  const abort = new AbortController();
  let quiet = setTimeout(() => abort.abort(), QUIET_MS);
  try {
    const answer = await checked(await fetch(base + "stream", { headers: headers(), cache: "no-store", signal: abort.signal }));
    const reader = answer.body!.getReader();
    const decoder = new TextDecoder();
    const parser = new EventParser();
    // The stream is open before the state is fetched, so nothing falls between the two; what comes meanwhile waits.
    await loadAll();
    connection.value = { state: "live", again: lostBefore };
    if (lostBefore) {
      setTimeout(() => {
        if (connection.value.state === "live") connection.value = { state: "live", again: false };
      }, SAY_AGAIN_MS);
    }
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error("the server closed the connection");
      clearTimeout(quiet);
      quiet = setTimeout(() => abort.abort(), QUIET_MS);
      for (const message of parser.push(decoder.decode(value, { stream: true }))) {
        backoff.reset();
        if (message.event === "hello") {
          const hello = JSON.parse(message.data) as StreamEvents["hello"];
          if (session.value && hello.boot !== session.value.boot) session.value = await get<Session>("session");
        } else {
          applyEvent(message.event, message.data);
        }
      }
    }
  } finally {
    clearTimeout(quiet);
    abort.abort();
  }
}

export async function keepConnected(): Promise<never> {
  const backoff = new Backoff();
  let lost = false;
  for (;;) {
    try {
      session.value = await get<Session>("session");
      if (session.value.needsToken) {
        tokenWanted.value = true;
        connection.value = { state: "token" };
        await pause(3_600_000);
        continue;
      }
      tokenWanted.value = false;
      await readStream(backoff, lost);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        connection.value = { state: "token" };
        await pause(3_600_000);
        continue;
      }
      const wait = backoff.next();
      lost = overview.value !== null;
      connection.value = { state: "lost", retryAt: Date.now() + wait, why: error instanceof Error ? error.message : String(error) };
      await pause(wait);
    }
  }
}
