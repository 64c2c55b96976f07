// Holds the stream: reads it with fetch, since EventSource cannot send a token; comes back by itself when it breaks.
import { signal } from "@preact/signals";
import { base, checked, get, headers, tokenWanted, ApiError } from "../api/client";
import { Backoff, EventParser } from "../api/sse";
import type { Session, StreamEvents } from "../api/types";
import { applyEvent, behind, connections, loadPicture, loadRest, overview, session } from "./store";

export type Connection =
  | { state: "connecting" }
  | { state: "live"; again: boolean } // again: after a loss, said for a few seconds
  | { state: "lost"; retryAt: number; why: string }
  | { state: "token" }
  | { state: "forbidden"; message: string }; // the cluster knows them, and does not let them look
export const connection = signal<Connection>({ state: "connecting" });

const QUIET_MS = 45_000; // longer without a byte, and the connection is taken for dead
const FORBIDDEN_MS = 15_000; // somebody may give the permission meanwhile
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

// Reads the stream until it breaks. The picture was asked for before it was open; whatever changed in between is asked
// for again, and what comes while the rest is fetched waits in the stream: nothing falls between the two.
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

// Who one is and the picture are asked for at once: most viewers may see it, and it is what they wait for.
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
