import type { Redaction } from '../../core/redaction/index.ts';
import { isMaskedMember } from '../../core/redaction/names/member-names.ts';
import type { Notes } from '../../core/records/record.ts';
import { bounded, HeaderBudget } from './bounds.ts';
import type { Policy } from './policy.ts';

/** Built-in patterns match nothing in names and labels that are shorter than this. Patterns of the operator may. */
const minBuiltInLength = 13;

/** Headers that may contain user content, besides those that begin with `x-`. */
const userContentHeaders: ReadonlySet<string> = new Set(['from', 'referer', 'baggage', 'tracestate']);
const mayContainUserContent = (name: string): boolean =>
  (name.charCodeAt(0) === 0x78 && name.charCodeAt(1) === 0x2d) || userContentHeaders.has(name);

/** True for the name of a text that is a secret whatever its form, or that looks like one. */
const namesSecretText = (name: string): boolean => isMaskedMember(name, 0x22);

/**
 * Masks the parts of a record other than bodies. Error texts may repeat what was sent, so they are masked like bodies.
 * Operators search records by metadata, labels and paths, so email addresses and phone numbers in those are not masked.
 */
export class RecordMasker {
  readonly #redaction: Redaction;
  readonly isOff: boolean;
  readonly #shortest: number;

  constructor(redaction: Redaction, { bodies }: Policy) {
    this.#redaction = redaction;
    this.isOff = bodies === 'full';
    this.#shortest = redaction.hasOwnPatterns ? 1 : minBuiltInLength;
  }

  /** Masks before truncating: a truncated value would no longer match. */
  text(text: string, limit: number): string {
    return bounded(this.isOff ? text : this.#redaction.text(text.slice(0, limit * 8)), limit);
  }

  /** Masks the model name that a client sent. It can be any text. */
  model(name: string): string {
    return this.isOff || name.length < this.#shortest ? name : this.#redaction.text(name);
  }

  name(text: string): string {
    return this.isOff || text.length < this.#shortest ? text : this.#redaction.name(text);
  }

  /** Masks a name of several words, before it is truncated. */
  title(text: string, limit: number): string {
    return bounded(this.name(text.slice(0, limit * 8)), limit);
  }

  /** Headers of callers and providers can contain metadata and any other content. */
  headers(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    let out: Record<string, string> | undefined;
    for (const name in headers) {
      const value = headers[name] ?? '';
      const shown = mayContainUserContent(name) ? this.name(value) : value;
      if (shown === value) continue;
      out ??= { ...headers };
      out[name] = shown;
    }
    return out ?? headers;
  }

  /** Response headers of a provider: credentials masked, up to the limits of `HeaderBudget`. */
  responseHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const room = new HeaderBudget();
    const out: Record<string, string> = {};
    for (const name in headers) {
      const kept = room.take(name, headers[name] as string);
      if (kept === undefined) break;
      out[name] = mayContainUserContent(name) ? this.name(kept) : kept;
    }
    return out;
  }

  texts(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const texts = Object.keys(given).some(namesSecretText) ? this.value(given) : given;
    let isClean = true;
    const out: [name: string, text: string][] = [];
    for (const key in texts) {
      const text = texts[key] ?? '';
      const shown = this.name(text);
      const name = this.name(key);
      isClean &&= shown === text && name === key;
      out.push([name, shown]);
    }
    return isClean ? texts : Object.fromEntries(out);
  }

  /** Masks the notes of plugins. Direct texts of a note are names and ids; nested values may contain anything that a client sent. */
  notes(notes: Notes): Notes {
    if (this.isOff) return notes;
    let out: Record<string, Notes[string]> | undefined;
    for (const plugin in notes) {
      const note = notes[plugin] ?? {};
      const shown = Object.fromEntries(Object.entries(note).map(([name, value]) => [name, this.#noted(value)]));
      if (Object.entries(note).every(([name, value]) => shown[name] === value)) continue;
      out ??= { ...notes };
      out[plugin] = shown as Notes[string];
    }
    return out ?? notes;
  }

  #noted(value: unknown): unknown {
    if (typeof value === 'string') return this.name(value);
    return typeof value === 'object' && value !== null ? this.#redaction.value(value) : value;
  }

  value<Labels extends Readonly<Record<string, unknown>>>(labels: Labels): Labels {
    for (const key in labels) {
      const label = labels[key];
      if (typeof label === 'object' || (typeof label === 'string' && (label.length >= this.#shortest || namesSecretText(key))))
        return this.isOff ? labels : this.#redaction.labels(labels);
    }
    return labels;
  }
}
