import { KnownTexts } from '../memory/known-texts.ts';
import { spellings } from '../secrets/mask.ts';
import { anyBelow, fourTimes } from '../text/four-bytes.ts';
import { createSubstringSearch, type SubstringSearch } from '../secrets/substring-search.ts';
import { Hits } from './find/hits.ts';
import { Effort, findAll, passage, rangesOf } from './find/text.ts';
import { isPlain } from './find/plain.ts';
import { framesAsEvents } from './streams/frames.ts';
import { eventsOfList } from './streams/list.ts';
import { type CompiledRules, compileRules, Masker } from './masker.ts';
import { MaskedFields } from './masked-fields.ts';
import { isMaskedMember } from './member-names.ts';
import { digestOf } from './media.ts';
import { lastUserText } from './preview.ts';
import { RequestMasker } from './request.ts';
import { type Counts, type FindKnown, type RedactionRules, TooLarge } from './rules.ts';
import { StreamMasker } from './streams/stream-masker.ts';
import { PlainStream } from './streams/plain-stream.ts';

/** A body as it may be stored. */
export interface Redacted {
  readonly bytes: Buffer;
  /** Not all of the body is in it. */
  readonly isCut: boolean;
  /** Where an offset of the body is in `bytes`; offsets must ascend. */
  moved(offset: number): number;
}

/** One body of a response, as far as it was kept. */
export interface ResponseBody {
  readonly pieces: readonly Buffer[];
  /** Bytes of the whole body. */
  readonly size: number;
  readonly contentType: string;
  /** It ended too early: what is left of a value at its end is hidden as where it is cut. */
  readonly isBroken?: boolean | undefined;
}

const tooLarge = 'too-large';
export type TooLargeBody = typeof tooLarge;

/** Masks what a record stores. Nothing is remembered between two calls but what was compiled, and short texts without a find. */
export class BodyRedactor {
  readonly #made: { readonly rules: RedactionRules; readonly secrets: readonly string[] };
  readonly #rules: CompiledRules;
  /** Of texts by which records are found: without what names a person there on purpose. */
  readonly #nameRules: CompiledRules;
  readonly #clean: CleanTexts = { texts: new KnownTexts(), names: new KnownTexts() };

  /** @param secrets known ones, in every spelling that a text may contain */
  constructor(rules: RedactionRules, secrets: readonly string[]) {
    this.#made = { rules, secrets };
    const findKnown = knownFinder(secrets);
    this.#rules = compileRules(rules, findKnown);
    const patterns = new Set([...rules.patterns].filter((pattern) => pattern === 'iban' || pattern === 'credit_card'));
    this.#nameRules = compileRules({ ...rules, patterns, fields: [] }, findKnown);
    Object.freeze(this);
  }

  /** What it was made of: for the same one in another thread. */
  get made(): { readonly rules: RedactionRules; readonly secrets: readonly string[] } {
    return this.#made;
  }

  /** Starts with one record: what it costs and finds is counted over all of its bodies. */
  begin(limit: number): Redaction {
    return new Redaction(this.#rules, this.#nameRules, this.#clean, limit);
  }
}

function knownFinder(secrets: readonly string[]): FindKnown {
  let search: SubstringSearch | undefined;
  return (text, hits) => {
    if (secrets.length === 0) return;
    search ??= createSubstringSearch(spellings(secrets).map((one) => Buffer.from(one, 'utf8')));
    search.each(Buffer.from(text, 'latin1'), (from, to) => hits.add('secret', from, to));
  };
}

/** Texts in which nothing was found, by the rules. */
interface CleanTexts {
  readonly texts: KnownTexts;
  readonly names: KnownTexts;
}

/** The bodies of one record. */
export class Redaction {
  readonly counts: Counts = {};
  readonly #rules: CompiledRules;
  readonly #nameRules: CompiledRules;
  readonly #clean: CleanTexts;
  readonly #limit: number;
  /** Texts of fields that were masked: in another format the same text is elsewhere. */
  #fields: MaskedFields | undefined;

  /** @param limit bytes of one body */
  constructor(rules: CompiledRules, nameRules: CompiledRules, clean: CleanTexts, limit: number) {
    this.#rules = rules;
    this.#nameRules = nameRules;
    this.#clean = clean;
    this.#limit = limit;
  }

  /** What may be masked is known without the operator's own fields and patterns. */
  get isUsual(): boolean {
    return this.#rules.isUsual;
  }

  get hasOwnPatterns(): boolean {
    return this.#rules.own.length > 0;
  }

  /**
   * A request, and a line of what its user said last.
   *
   * @param text one byte a character
   * @param source of its bytes, where they need not be made of the text
   * @param isShown false where nobody asks for the line
   */
  request(text: string, source?: ByteSource, isShown = true): { readonly body: Redacted | TooLargeBody; readonly preview: string | null } {
    try {
      const bytes = this.#mayBePlain(text) ? (source?.start(text.length) ?? Buffer.from(text, 'latin1')) : undefined;
      if (bytes !== undefined && isPlain(text, bytes, isMaskedMember)) {
        return { body: unmoved(bytes), preview: isShown ? lastUserText(text, (start, end) => text.slice(start, end)) : null };
      }
      const masker = new RequestMasker(text, this.#rules, new Effort(), this.#limit);
      masker.fields = this.#fields ??= new MaskedFields();
      masker.run();
      const shown = masker.edits.apply(text, 0, masker.end);
      return { body: this.#done(masker, shown, masker.end < text.length), preview: isShown ? masker.preview() : null };
    } catch (error) {
      return { body: ifTooLarge(error), preview: null };
    }
  }

  /** A line of what the user of a request said last, masked; null where nothing of it is known. */
  preview(text: string): string | null {
    try {
      return new RequestMasker(text, this.#rules, new Effort(), 0).preview();
    } catch (error) {
      ifTooLarge(error);
      return null;
    }
  }

  /** A body that was kept as far as its first bytes, in any format. */
  response(body: ResponseBody): Redacted | TooLargeBody {
    try {
      const masked = this.#response(body);
      const isThere = body.isBroken === true && sizeOfPieces(body.pieces) === body.size && masked.bytes.length < this.#limit;
      return isThere ? { ...masked, isCut: false } : masked;
    } catch (error) {
      return ifTooLarge(error);
    }
  }

  /** A text from outside that is part of the record itself. */
  text(text: string): string {
    return this.#shown(text, this.#rules, this.#clean.texts);
  }

  /** A text by which records are found. */
  name(text: string): string {
    return this.#shown(text, this.#nameRules, this.#clean.names);
  }

  #shown(text: string, rules: CompiledRules, clean: KnownTexts): string {
    if (clean.has(text)) return text;
    const hits = new Hits();
    try {
      findAll(passage(text, ''), rules, new Effort(), hits);
    } catch (error) {
      ifTooLarge(error);
      return '[text]';
    }
    let out = '';
    let from = 0;
    for (const range of rangesOf(hits)) {
      out += text.slice(from, range.from) + range.words;
      from = range.to;
      this.#count(range.kind, 1);
    }
    if (from > 0) return out + text.slice(from);
    clean.add(text);
    return text;
  }

  /** A value of JSON that is part of the record itself. */
  value<T>(value: T): T {
    return this.#cleaned(value, this.#rules);
  }

  /** The same for values by which records are found. */
  labels<T>(value: T): T {
    return this.#cleaned(value, this.#nameRules);
  }

  #cleaned<T>(value: T, rules: CompiledRules): T {
    const json = JSON.stringify(value);
    if (json === undefined) return value;
    const bytes = Buffer.from(json, 'utf8');
    const text = bytes.length === json.length ? json : bytes.toString('latin1');
    if (rules.isUsual && isPlain(text, bytes, isMaskedMember)) return value;
    const shown = this.#masked(text, rules);
    return shown === text ? value : (JSON.parse(Buffer.from(shown, 'latin1').toString('utf8')) as T);
  }

  /** The text of such a value, one byte a character; `{}` where it cannot be looked through. */
  json(text: string): string {
    return this.#masked(text, this.#rules);
  }

  #masked(text: string, rules: CompiledRules): string {
    const masker = new Masker(text, rules, new Effort());
    try {
      masker.walk.run(text, 0, text.length, masker);
    } catch (error) {
      ifTooLarge(error);
      return '{}';
    }
    this.addCounts(masker.edits.counts);
    return masker.edits.apply(text);
  }

  #response({ pieces, size, contentType, isBroken }: ResponseBody): Redacted {
    const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    const isCut = bytes.length < size || isBroken === true;
    const form = formOf(bytes, contentType.toLowerCase());
    switch (form) {
      case 'events':
      case 'lines': {
        const text = bytes.toString('latin1');
        return this.#events(isCut ? text.slice(0, lastEnd(text, form)) : text, isCut, bytes);
      }
      case 'list':
        return this.#list(bytes.toString('latin1'), isCut);
      case 'frames': {
        const { text, starts } = framesAsEvents(bytes);
        const redacted = this.#events(isCut ? text.slice(0, lastEnd(text, 'events')) : text, isCut, undefined);
        return { ...redacted, moved: (offset) => redacted.moved(startIn(starts, offset)) };
      }
      case 'json': {
        const text = bytes.toString('latin1', 0, Math.min(bytes.length, mostRead));
        if (!isCut && text.length === bytes.length && this.#mayBePlain(text) && isPlain(text, bytes, isMaskedMember)) return unmoved(bytes);
        return this.#json(text, isCut || bytes.length > mostRead);
      }
      case 'text':
        return this.#text(bytes.toString('latin1', 0, Math.min(bytes.length, this.#limit)), isCut || bytes.length > this.#limit);
      default: {
        const type = /^[\w.+/-]{1,80}$/.exec(contentType.split(';')[0]?.trim() ?? '')?.[0] ?? 'data';
        this.#count('media', 1);
        return plain(Buffer.from(isCut ? `[media ${type}, ${size} bytes]` : digestOf(bytes, type)));
      }
    }
  }

  /** Where a first look may say that nothing has to be masked. */
  #mayBePlain(text: string): boolean {
    return this.#rules.isUsual && this.#fields?.isEmpty !== false && text.length <= this.#limit;
  }

  #json(text: string, isCut: boolean): Redacted {
    const masker = new RequestMasker(text, this.#rules, new Effort(), this.#limit);
    masker.fields = this.#fields ??= new MaskedFields();
    masker.run();
    const isBeyond = masker.end < text.length;
    if (isCut && !isBeyond) masker.hideTail();
    return this.#done(masker, masker.edits.apply(text, 0, masker.end), isCut || isBeyond);
  }

  /**
   * An event that is cut is not kept: what is left of a value there cannot be recognised.
   *
   * @param bytes of the text, where they are there already
   */
  #events(text: string, isCut: boolean, bytes: Buffer | undefined): Redacted {
    if (!isCut && this.#mayBePlain(text) && new PlainStream(text, this.#rules).run()) return unmoved(bytes ?? Buffer.from(text, 'latin1'));
    const masker = new StreamMasker(text, this.#rules, new Effort());
    masker.run(isCut);
    return this.#done(masker, masker.edits.apply(text), isCut);
  }

  /** A stream that is one list. */
  #list(whole: string, isCut: boolean): Redacted {
    const text = isCut ? whole.slice(0, eventsOfList(whole).end) : whole;
    const { events } = eventsOfList(text);
    const masker = new StreamMasker(text, this.#rules, new Effort());
    masker.runOver(events, isCut);
    return this.#done(masker, masker.edits.apply(text), isCut);
  }

  #text(text: string, isCut: boolean): Redacted {
    const masker = new Masker(text, this.#rules, new Effort());
    masker.string(0, text.length, false, 0, 0);
    if (isCut) masker.hideTail();
    return this.#done(masker, masker.edits.apply(text), isCut);
  }

  #done({ edits }: Masker, shown: string, isCut: boolean): Redacted {
    this.addCounts(edits.counts);
    const isLonger = shown.length > this.#limit;
    const bytes = Buffer.from(isLonger ? shown.slice(0, this.#limit) : shown, 'latin1');
    return { bytes, isCut: isCut || isLonger, moved: edits.moved() };
  }

  /** What was found elsewhere in the same record. */
  addCounts(counts: Counts): void {
    for (const kind in counts) this.#count(kind, counts[kind] ?? 0);
  }

  #count(kind: string, count: number): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + count;
  }
}

/** Bytes of one whole response that are read: only files in it make it larger than what is kept. */
const mostRead = 32 * 1024 * 1024;

/** Something that has its bytes, or can make them. */
export interface ByteSource {
  /** The first so many. */
  start(length: number): Buffer;
}

const unmoved = (bytes: Buffer): Redacted => ({ bytes, isCut: false, moved: (offset) => offset });

const plain = (bytes: Buffer): Redacted => ({ bytes, isCut: false, moved: () => 0 });

function ifTooLarge(error: unknown): TooLargeBody {
  if (error instanceof TooLarge) return tooLarge;
  throw error;
}

export function sizeOfPieces(pieces: readonly Buffer[]): number {
  let size = 0;
  for (const piece of pieces) size += piece.length;
  return size;
}

/** Behind the last event that is there as a whole. */
function lastEnd(text: string, form: 'events' | 'lines'): number {
  if (form === 'lines') return text.lastIndexOf('\n') + 1;
  const ends = ['\n\n', '\r\n\r\n', '\r\r'].map((sign) => {
    const at = text.lastIndexOf(sign);
    return at < 0 ? 0 : at + sign.length;
  });
  return Math.max(...ends);
}

function startIn(starts: readonly number[], offset: number): number {
  let found = 0;
  for (let i = 0; i < starts.length && (starts[i] as number) <= offset; i += 2) found = starts[i + 1] as number;
  return found;
}

type Form = 'json' | 'events' | 'lines' | 'list' | 'frames' | 'text' | 'file';

/** How a body is read: by what its type says, else by how it begins. */
function formOf(bytes: Buffer, type: string): Form {
  if (type.startsWith('application/vnd.amazon.eventstream')) return 'frames';
  if (isBinary(bytes)) return 'file';
  if (type.startsWith('text/event-stream')) return 'events';
  if (/^application\/(?:(?:x-)?ndjson|stream\+json)/.test(type)) return 'lines';
  const start = bytes.toString('latin1', 0, 512).trimStart();
  // Streams come under other types as well.
  if (/^(?:data|event|id|retry)?:/.test(start)) return 'events';
  if (/^\[\s*\{\s*"candidates"/.test(start)) return 'list';
  return type.includes('json') || /^[[{"]/.test(start) ? 'json' : 'text';
}

const leastVisible = fourTimes(0x20);

/** Control characters that no text has. */
function isBinary(bytes: Buffer): boolean {
  const most = Math.min(bytes.length, 512);
  const view = new DataView(bytes.buffer, bytes.byteOffset, most);
  for (let at = 0; at < most; at += 1) {
    // Most lines are long.
    while (at + 4 <= most && anyBelow(view.getInt32(at, true), leastVisible) === 0) at += 4;
    if (at === most) break;
    const byte = bytes[at] as number;
    if (byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09 && byte !== 0x1b) return true;
  }
  return false;
}
