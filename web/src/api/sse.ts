// The text of server-sent events, cut anywhere, into events.
export interface Message { event: string; data: string }

export class EventParser {
  private rest = "";
  private event = "";
  private data: string[] = [];

  push(text: string): Message[] {
    const out: Message[] = [];
    this.rest += text;
    // A lone CR at the very end may be half of a CRLF: it waits for what follows.
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

// Waits double from half a second to ten, with a fifth of chance so that many viewers do not come back at once. Only a
// message resets them, not a mere connection: a server that falls over at once is not hammered.
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
