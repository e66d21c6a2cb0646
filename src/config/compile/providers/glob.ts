import { compileFullMatch } from '../../validate/regex.ts';

/** True when a pattern matches the whole name. */
export type Matches = (name: string) => boolean;

/**
 * Compiles a glob. `*` matches any number of characters, including slashes, `?` one character, `[a-c]` and `[!a-c]` one
 * character of a set, `{a,b}` one of several texts. A backslash quotes the next character. An unclosed bracket or brace
 * is an ordinary character, as is a brace inside 100 others. Matching is case-sensitive.
 *
 * Matching takes time linear in the length of the name, for every pattern.
 */
export function compileGlob(pattern: string): Matches {
  if (!/[?[{\\]/.test(pattern)) return compileStars(pattern.split('*'));
  return compileFullMatch(new Translator(pattern).translate());
}

/** Fast path for patterns with no special character except `*`: finds the texts between stars in order, each at its first occurrence. */
function compileStars(texts: readonly string[]): Matches {
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

/** The name that a pattern without special characters matches; undefined for other patterns. */
export function literalOf(pattern: string): string | undefined {
  return /[*?[{\\]/.test(pattern) ? undefined : pattern;
}

/** Translates a glob to a regular expression. */
class Translator {
  readonly #text: string;
  /** Offsets of braces that begin a list of texts. */
  readonly #lists: ReadonlySet<number>;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lists = listsIn(text);
  }

  translate(): string {
    return this.#sequence(false);
  }

  /** Translates up to the end, or to the comma or brace that ends an alternative. */
  #sequence(isAlternative: boolean): string {
    let out = '';
    for (; this.#at < this.#text.length; this.#at += 1) {
      const c = this.#text.charAt(this.#at);
      if (isAlternative && (c === ',' || c === '}')) break;
      out += this.#character(c);
    }
    return out;
  }

  #character(c: string): string {
    if (c === '*') return '.*';
    if (c === '?') return '.';
    if (c === '[') return this.#set() ?? escaped(c);
    if (this.#lists.has(this.#at)) return this.#alternatives();
    if (c === '\\' && this.#at + 1 < this.#text.length) this.#at += 1;
    const literal = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    this.#at += literal.length - 1;
    return escaped(literal);
  }

  #set(): string | undefined {
    const [whole = '', sign = '', inside = ''] = /^\[([!^]?)(\]?[^\]]*)\]/.exec(this.#text.slice(this.#at)) ?? [];
    if (whole === '') return undefined;
    this.#at += whole.length - 1;
    const ranges = [...inside.matchAll(/([^])-([^])|[^]/g)].flatMap(([one, from = one, to = one]) =>
      from <= to ? [`${escaped(from)}-${escaped(to)}`] : [],
    );
    const isNegated = sign !== '';
    // A range with swapped ends is empty.
    if (ranges.length === 0) return isNegated ? '.' : '[^\\x00-\\x{10FFFF}]';
    return `[${isNegated ? '^' : ''}${ranges.join('')}]`;
  }

  #alternatives(): string {
    const found: string[] = [];
    do {
      this.#at += 1;
      found.push(this.#sequence(true));
    } while (this.#text.charAt(this.#at) === ',');
    return `(?:${found.join('|')})`;
  }
}

/** A literal character, valid inside and outside of brackets. */
const escaped = (c: string): string => (/^[\w]$/.test(c) ? c : `\\x{${(c.codePointAt(0) ?? 0).toString(16)}}`);

/** Most braces that contain each other: they are translated by recursion. */
const maxNesting = 100;

/** Offsets of the braces that are closed and not nested too deeply. */
function listsIn(text: string): ReadonlySet<number> {
  const lists = new Set<number>();
  const open: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const c = text.charAt(at);
    if (c === '\\') at += 1;
    else if (c === '{') open.push(at);
    else if (c === '}') {
      const start = open.pop();
      if (start !== undefined && open.length < maxNesting) lists.add(start);
    }
  }
  return lists;
}
