// Keeps the stream open. It uses fetch, because EventSource cannot send a token, and reconnects by itself.
import { signal } from "@preact/signals";
import { base, checked, get, headers, tokenWanted, ApiError } from "../api/client";
import { Backoff, EventParser } from "../api/sse";
import type { Session, StreamEvents } from "../api/types";
import { applyEvent, behind, connections, loadPicture, loadRest, overview, session } from "./store";

export type Connection =
  | { state: "connecting" }
  | { state: "live"; again: boolean } // again: reconnected; shown for a few seconds
  | { state: "lost"; retryAt: number; why: string }
  | { state: "token" }
  | { state: "forbidden"; message: string }; // authenticated, but without permission to read
export const connection = signal<Connection>({ state: "connecting" });

const QUIET_MS = 45_000; // after this time without a byte the connection counts as dead
const FORBIDDEN_MS = 15_000; // the permission may be granted in the meantime
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

// Reads the stream until it breaks. The overview and the nodes were fetched before the stream opened. If they have
// changed since, they are fetched again; events that arrive meanwhile wait in the stream, so none is lost.
async function readStream(backoff: Backoff, lostBefore: boolean): Promise<never> {
  const abort = new AbortController();
  let quiet = setTimeout(() => abort.abort(), QUIET_MS);
  try {
    const answer = await checked(await fetch(base + "stream", { headers: headers(), cache: "no-store", signal: abort.signal }));
    const reader = answer.body!.getReader();
    const decoder = new TextDecoder();
    const parser = new EventParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error("the server closed the connection");
      clearTimeout(quiet);
      quiet = setTimeout(() => abort.abort(), QUIET_MS);
      for (const message of parser.push(decoder.decode(value, { stream: true }))) {
        backoff.reset();
        if (message.event !== "hello") {
          applyEvent(message.event, message.data);
          continue;
        }
        const hello = JSON.parse(message.data) as StreamEvents["hello"];
        if (behind(hello.revision)) await loadPicture();
        await loadRest();
        connected(lostBefore);
      }
    }
  } finally {
    clearTimeout(quiet);
    abort.abort();
  }
}

function connected(again: boolean): void {
  connection.value = { state: "live", again };
  connections.value++;
  if (!again) return;
  setTimeout(() => {
    if (connection.value.state === "live") connection.value = { state: "live", again: false };
  }, SAY_AGAIN_MS);
}

// Fetches the session and the first data at the same time: most viewers have the permission, and they wait for the
// data.
async function begin(): Promise<boolean> {
  const picture = loadPicture().then(() => null, (error: unknown) => error);
  session.value = await get<Session>("session");
  if (session.value.needsToken) return false;
  const failed = await picture;
  if (failed) throw failed;
  tokenWanted.value = false;
  return true;
}

export async function keepConnected(): Promise<never> {
  const backoff = new Backoff();
  let lost = false;
  for (;;) {
    let wait = 3_600_000; // until a token is entered
    try {
      if (await begin()) await readStream(backoff, lost);
      tokenWanted.value = true;
      connection.value = { state: "token" };
    } catch (error) {
      lost = overview.value !== null;
      if (error instanceof ApiError && error.status === 401) {
        connection.value = { state: "token" };
      } else if (error instanceof ApiError && error.status === 403) {
        connection.value = { state: "forbidden", message: error.message };
        wait = FORBIDDEN_MS;
      } else {
        wait = backoff.next();
        connection.value = { state: "lost", retryAt: Date.now() + wait, why: error instanceof Error ? error.message : String(error) };
      }
    }
    await pause(wait);
  }
}
