// Requests to the server. The token is in sessionStorage: it ends with the tab, and no other origin can read it.
import { signal } from "@preact/signals";
import type { Problem } from "./types";

const KEY = "rescheduler.token";
export const base = typeof document === "undefined" ? "http://localhost/" : new URL("../api/v1/", document.baseURI).href;
export const tokenWanted = signal(false);
export const tokenRefused = signal(false);

export function token(): string | null {
  return sessionStorage.getItem(KEY);
}
export function setToken(value: string | null): void {
  if (value) sessionStorage.setItem(KEY, value);
  else sessionStorage.removeItem(KEY);
}

export class ApiError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

export function headers(): Record<string, string> {
  const held = token();
  return held ? { Authorization: `Bearer ${held}` } : {};
}

export async function checked(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  let message = `${answer.status} ${answer.statusText}`;
  try {
    message = ((await answer.json()) as Problem).message || message;
  } catch {
    // not our format, for example a proxy's page; the status is enough
  }
  if (answer.status === 401) {
    tokenRefused.value = token() !== null;
    tokenWanted.value = true;
  }
  throw new ApiError(answer.status, message);
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  // Answers carry Cache-Control: no-store. Only responses that the server made the browser preload come from its cache.
  const answer = await fetch(base + path, { headers: headers(), ...(signal ? { signal } : {}) });
  return (await (await checked(answer)).json()) as T;
}

export async function act(path: string, body: unknown): Promise<string> {
  const answer = await fetch(base + path, {
    method: "POST",
    headers: { ...headers(), "Content-Type": "application/json", "X-Rescheduler-Action": "1" },
    body: JSON.stringify(body),
  });
  return ((await (await checked(answer)).json()) as { message: string }).message;
}

// Encodes a path segment with any characters.
export const segment = encodeURIComponent;
