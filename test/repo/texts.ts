/** A piece of a source file that a person reads: what a string literal, a template or a comment says. */
export interface Text {
  readonly kind: 'string' | 'comment';
  readonly line: number;
  readonly text: string;
}

const space = /\s/;
const wordChar = /[\w$]/;
/** After these a slash begins a regular expression, after everything else it divides. */
const beforeRegex = /(?:^|[=(,:;!&|?{}[+\-*%<>~^]|\b(?:return|typeof|case|in|of|void|throw|await|yield))$/;

/** The string literals, templates and comments of a TypeScript file. Knows what our sources hold: no JSX. */
export function textsOf(source: string): Text[] {
  const found: Text[] = [];
  new Tokenizer(source, found).code(0, undefined);
  return found;
}

class Tokenizer {
  private readonly source: string;
  private readonly found: Text[];
  private line = 1;
  private counted = 0;
  private tail = '';

  constructor(source: string, found: Text[]) {
    this.source = source;
    this.found = found;
  }

  /** Reads code from `at` to the brace that closes a template's hole, or to the end. */
  code(at: number, closing: '}' | undefined): number {
    let i = at;
    let depth = 0;
    this.tail = '';
    while (i < this.source.length) {
      const c = this.source[i] ?? '';
      if (closing !== undefined && c === '}' && depth === 0) return i + 1;
      if (c === '{') depth++;
      if (c === '}') depth--;
      i = this.token(c, i);
    }
    return i;
  }

  private token(c: string, i: number): number {
    if (c === '/' && this.source[i + 1] === '/') return this.comment(i, '\n', 0);
    if (c === '/' && this.source[i + 1] === '*') return this.comment(i, '*/', 2);
    if (c === "'" || c === '"') return this.quoted(i, c);
    if (c === '`') return this.template(i);
    if (c === '/' && beforeRegex.test(this.tail)) return this.regex(i);
    if (!space.test(c)) this.tail = wordChar.test(c) && wordChar.test(this.source[i - 1] ?? '') ? (this.tail + c).slice(-12) : c;
    return i + 1;
  }

  private comment(start: number, end: string, length: number): number {
    const close = this.source.indexOf(end, start + 2);
    const stop = close < 0 ? this.source.length : close;
    const text = this.source
      .slice(start + 2, stop)
      .replace(/^\*/, '')
      .replaceAll(/\n\s*\* ?/g, '\n');
    const line = this.lineOf(start);
    const last = this.found.at(-1);
    // Lines of `//` below each other are one comment.
    if (length === 0 && last?.kind === 'comment' && /^\n[ \t]*$/.test(this.between(last, start)))
      this.found[this.found.length - 1] = { ...last, text: `${last.text}\n${text.trim()}` };
    else this.found.push({ kind: 'comment', line, text: text.trim() });
    this.lastEnd = stop + length;
    return stop + length;
  }

  private lastEnd = -1;
  private between(_last: Text, start: number): string {
    return this.source.slice(this.lastEnd, start);
  }

  private quoted(start: number, quote: string): number {
    let i = start + 1;
    while (i < this.source.length && this.source[i] !== quote) i += this.source[i] === '\\' ? 2 : 1;
    this.push(start, this.source.slice(start + 1, i));
    return i + 1;
  }

  /** A template is one text; its holes read `${}`, and what is in them is read as code. */
  private template(start: number): number {
    let i = start + 1;
    let text = '';
    const at = this.found.length;
    while (i < this.source.length && this.source[i] !== '`') {
      if (this.source.startsWith('${', i)) {
        text += '${}';
        i = this.code(i + 2, '}');
        continue;
      }
      const step = this.source[i] === '\\' ? 2 : 1;
      text += this.source.slice(i, i + step);
      i += step;
    }
    this.found.splice(at, 0, { kind: 'string', line: this.lineOf(start), text: unescaped(text) });
    this.tail = 'x';
    return i + 1;
  }

  private regex(start: number): number {
    let i = start + 1;
    let inClass = false;
    while (i < this.source.length && (inClass || this.source[i] !== '/')) {
      if (this.source[i] === '[') inClass = true;
      if (this.source[i] === ']') inClass = false;
      i += this.source[i] === '\\' ? 2 : 1;
    }
    this.tail = 'x';
    return i + 1;
  }

  private push(start: number, text: string): void {
    this.found.push({ kind: 'string', line: this.lineOf(start), text: unescaped(text) });
    this.tail = 'x';
  }

  private lineOf(offset: number): number {
    if (offset < this.counted) return this.source.slice(0, offset).split('\n').length;
    this.line += this.source.slice(this.counted, offset).split('\n').length - 1;
    this.counted = offset;
    return this.line;
  }
}

const unescaped = (text: string): string => text.replaceAll(/\\([\s\S])/g, (_all, c: string) => (c === 'n' ? '\n' : c === '\n' ? '' : c));
