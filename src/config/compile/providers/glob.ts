/** True when a name fits a pattern as a whole. */
export type Matches = (name: string) => boolean;

/** One step of a compiled pattern. A name fits when some way through the steps ends behind the last one. */
type Step =
  | { readonly kind: 'one'; fits(code: number): boolean }
  /** Any number of characters. */
  | { readonly kind: 'star' }
  /** Goes on at each of these steps, all of them further on, without reading a character. */
  | { readonly kind: 'jump'; readonly to: number[] };

const anyOne: Step = { kind: 'one', fits: () => true };
const star: Step = { kind: 'star' };

/**
 * Compiles a glob: `*` is any number of characters, slashes included, `?` one of any kind, `[a-c]` and `[!a-c]` one of a
 * set, `{a,b}` one of several texts, a backslash takes the next character as it is. An open bracket or brace that is not
 * closed is an ordinary character. Case counts.
 *
 * All ways through the pattern are followed at once, so that the work for a name is at most its length times the length
 * of the pattern, whatever the two are.
 */
export function compileGlob(pattern: string): Matches {
  if (!/[?[{\\]/.test(pattern)) return onlyStars(pattern.split('*'));
  const steps: Step[] = [];
  new Reader(pattern, steps).sequence(false);
  return (name) => fits(steps, name);
}

/** Nearly every pattern: the texts between stars are looked for in order, each as early as it occurs. */
function onlyStars(texts: readonly string[]): Matches {
  const [first = ''] = texts;
  const last = texts.at(-1) ?? '';
  const middle = texts.slice(1, -1);
  if (texts.length === 1) return (name) => name === first;
  return (name) => {
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
    let at = first.length;
    for (const text of middle) {
      const found = name.indexOf(text, at);
      if (found < 0) return false;
      at = found + text.length;
    }
    return at <= name.length - last.length;
  };
}

/** The one name that a pattern without special characters fits. */
export function literalOf(pattern: string): string | undefined {
  return /[*?[{\\]/.test(pattern) ? undefined : pattern;
}

function fits(steps: readonly Step[], name: string): boolean {
  let now = new Uint8Array(steps.length + 1);
  let next = new Uint8Array(steps.length + 1);
  now[0] = 1;
  for (let at = 0; at < name.length; at += 1) {
    if (!advance(steps, now, next, name.charCodeAt(at))) return false;
    [now, next] = [next, now];
    next.fill(0);
  }
  advance(steps, now, next, undefined);
  return now[steps.length] === 1;
}

/** Reads one character, or none at the end of the name; false when no way goes on. Steps only ever lead further on. */
function advance(steps: readonly Step[], now: Uint8Array, next: Uint8Array, code: number | undefined): boolean {
  let goesOn = false;
  for (let i = 0; i < steps.length; i += 1) {
    const step = steps[i];
    if (now[i] !== 1 || step === undefined) continue;
    if (step.kind === 'jump') for (const to of step.to) now[to] = 1;
    else if (step.kind === 'star') {
      now[i + 1] = 1;
      next[i] = 1;
      goesOn = true;
    } else if (code !== undefined && step.fits(code)) {
      next[i + 1] = 1;
      goesOn = true;
    }
  }
  return goesOn;
}

class Reader {
  readonly #text: string;
  readonly #steps: Step[];
  #at = 0;

  constructor(text: string, steps: Step[]) {
    this.#text = text;
    this.#steps = steps;
  }

  /** Up to the end, or to the comma or brace that ends an alternative. */
  sequence(isAlternative: boolean): void {
    for (; this.#at < this.#text.length; this.#at += 1) {
      const c = this.#text.charAt(this.#at);
      if (isAlternative && (c === ',' || c === '}')) return;
      this.#one(c);
    }
  }

  #one(c: string): void {
    if (c === '*') {
      if (this.#steps.at(-1) !== star) this.#steps.push(star);
    } else if (c === '?') this.#steps.push(anyOne);
    else if (c === '[') this.#set();
    else if (c === '{') this.#alternatives();
    else {
      if (c === '\\' && this.#at + 1 < this.#text.length) this.#at += 1;
      this.#literal();
    }
  }

  #literal(): void {
    const wanted = this.#text.charCodeAt(this.#at);
    this.#steps.push({ kind: 'one', fits: (code) => code === wanted });
  }

  #set(): void {
    const found = /^\[([!^]?)(\]?[^\]]*)\]/.exec(this.#text.slice(this.#at));
    if (found === null) {
      this.#literal();
      return;
    }
    const [whole, sign, inside = ''] = found;
    const ranges = [...inside.matchAll(/([^])-([^])|[^]/g)].map(([one, from, to]) => [
      (from ?? one).charCodeAt(0),
      (to ?? one).charCodeAt(0),
    ]);
    const wanted = sign === '';
    this.#steps.push({ kind: 'one', fits: (code) => ranges.some(([from = 0, to = 0]) => code >= from && code <= to) === wanted });
    this.#at += whole.length - 1;
  }

  /** A fork to each alternative, and from the end of each to the end of all. */
  #alternatives(): void {
    if (!isClosed(this.#text, this.#at)) {
      this.#literal();
      return;
    }
    const starts: number[] = [];
    const ends: number[] = [];
    this.#steps.push({ kind: 'jump', to: starts });
    do {
      this.#at += 1;
      starts.push(this.#steps.length);
      this.sequence(true);
      this.#steps.push({ kind: 'jump', to: ends });
    } while (this.#text.charAt(this.#at) === ',');
    ends.push(this.#steps.length);
  }
}

/** True when the brace at this place is closed. */
function isClosed(text: string, from: number): boolean {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const c = text.charAt(at);
    if (c === '\\') at += 1;
    else if (c === '{') depth += 1;
    else if (c === '}') {
      depth -= 1;
      if (depth === 0) return true;
    }
  }
  return false;
}
