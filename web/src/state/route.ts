import { signal } from "@preact/signals";

// #/nodes/NAME?x=y, each segment percent-encoded, because a name may contain any character.
export interface Route { path: string[]; query: URLSearchParams }

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return { path: path.split("/").filter((part) => part !== "").map(decode), query: new URLSearchParams(query) };
}
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function link(...path: string[]): string {
  return "#/" + path.map(encodeURIComponent).join("/");
}

export const route = signal<Route>({ path: [], query: new URLSearchParams() });

export function followHash(): void {
  const read = (): void => {
    route.value = parseRoute(location.hash);
    window.scrollTo(0, 0);
  };
  addEventListener("hashchange", read);
  read();
}
