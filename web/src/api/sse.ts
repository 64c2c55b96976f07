// Parses server-sent events from text that may be split at any point.
export interface Message { event: string; data: string }

export class EventParser {
  private rest = "";
  private event = "";
  private data: string[] = [];

  push(text: string): Message[] {
    const out: Message[] = [];
    this.rest += text;
    // A CR at the very end may be half of a CRLF: wait for more text.
    let end: number;
    while ((end = this.rest.search(/\r\n|\n|\r(?!$)/)) >= 0) {
      const line = this.rest.slice(0, end);
      this.rest = this.rest.slice(end + (this.rest.startsWith("\r\n", end) ? 2 : 1));
      if (line === "") {
        if (this.data.length > 0) out.push({ event: this.event || "message", data: this.data.join("\n") });
        this.event = "";
        this.data = [];
      } else if (!line.startsWith(":")) {
        const colon = line.indexOf(":");
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (field === "event") this.event = value;
        else if (field === "data") this.data.push(value);
      }
    }
    return out;
  }
}

// The wait doubles from half a second to ten seconds, with 10 % jitter so that many viewers do not reconnect at once.
// Only a message resets it, not a connection: a server that fails right after accepting is not overloaded.
export class Backoff {
  private failures = 0;
  constructor(private readonly chance: () => number = Math.random) {}
  next(): number {
    const wait = Math.min(10_000, 500 * 2 ** this.failures++);
    return wait * (0.9 + 0.2 * this.chance());
  }
  reset(): void {
    this.failures = 0;
  }
}
