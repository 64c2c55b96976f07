// Names, labels and messages are untrusted. They are only ever shown as text. Characters that a reader could not see -
// control characters, direction marks, zero-width characters - are written out.

const HIDDEN =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

export type Part = { text: string; hidden: boolean };

function name(character: string): string {
  return "U+" + character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
}

// Splits the text into parts; each hidden character becomes its code point.
export function parts(text: string): Part[] {
  const found: Part[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index! > from) found.push({ text: text.slice(from, match.index), hidden: false });
    found.push({ text: name(match[0]), hidden: true });
    from = match.index! + match[0].length;
  }
  if (from < text.length || found.length === 0) found.push({ text: text.slice(from), hidden: false });
  return found;
}

// The same as one string: for canvas, titles and screen readers.
export function visible(text: string): string {
  return parts(text).map((part) => (part.hidden ? `‹${part.text}›` : part.text)).join("");
}
