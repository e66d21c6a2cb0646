import { sizeOfPieces } from '../memory/byte-pieces.ts';
import { KnownTexts } from '../memory/known-texts.ts';
import { allVariants } from '../secrets/mask.ts';
import { createSubstringSearch, type SubstringSearch } from '../secrets/substring-search.ts';
import { Hits } from './find/hits.ts';
import { PatternBudget, findAll, passage, rangesOf } from './find/text.ts';
import { cannotMatch } from './find/plain.ts';
import { framesAsEvents } from './streams/frames.ts';
import { eventsOfList } from './streams/list.ts';
import { formatOf } from './body-format.ts';
import type { Edit } from './edits.ts';
import { KnownElements } from './elements/known-elements.ts';
import { addElements, sizeOfNew } from './elements/outer-lists.ts';
import { type CompiledRules, compileRules, Masker } from './masker.ts';
import { MaskedFields } from './masked-fields.ts';
import { isMaskedMember } from './names/member-names.ts';
import { digestOf } from './media.ts';
import { lastUserText } from './preview.ts';
import { RequestMasker } from './request.ts';
import { type Counts, type FindKnown, type RedactionRules, TooLarge } from './rules.ts';
import { StreamMasker } from './streams/stream-masker.ts';
import { PlainStream } from './streams/plain-stream.ts';

/** A masked body, which may be stored. */
export interface Redacted {
  readonly bytes: Buffer;
  /** True if part of the body is missing. */
  readonly isCut: boolean;
  /** Maps an offset of the body to one in `bytes`. Offsets must ascend. */
  moved(offset: number): number;
}

/** A response body, of which only the kept part is available. */
export interface ResponseBody {
  readonly pieces: readonly Buffer[];
  /** Bytes of the whole body. */
  readonly size: number;
  readonly contentType: string;
  /** The body ended early: a partial value at its end is masked, as at the end of a truncated body. */
  readonly isBroken?: boolean | undefined;
}

const tooLarge = 'too-large';
export type TooLargeBody = typeof tooLarge;

/** Masks what a record stores. Between calls it keeps compiled rules, short texts without a match, and elements of large requests. */
export class BodyRedactor {
  readonly #constructorArguments: { readonly rules: RedactionRules; readonly secrets: readonly string[] };
  readonly #rules: CompiledRules;
  /** Rules for texts by which records are found. They do not match email addresses and phone numbers, which may be there on purpose. */
  readonly #nameRules: CompiledRules;
  readonly #known: KnownParts = { texts: new KnownTexts(), names: new KnownTexts(), elements: new KnownElements() };

  /** @param secrets known secrets, in every spelling that a text may contain */
  constructor(rules: RedactionRules, secrets: readonly string[]) {
    this.#constructorArguments = { rules, secrets };
    const findKnown = knownFinder(secrets);
    this.#rules = compileRules(rules, findKnown);
    const patterns = new Set([...rules.patterns].filter((pattern) => pattern === 'iban' || pattern === 'credit_card'));
    this.#nameRules = compileRules({ ...rules, patterns, fields: [] }, findKnown);
    Object.freeze(this);
  }

  /** The constructor arguments, with which another thread can create the same redactor. */
  get constructorArguments(): { readonly rules: RedactionRules; readonly secrets: readonly string[] } {
    return this.#constructorArguments;
  }

  /** Begins the redaction of one record. Matches are counted over all of its bodies. */
  begin(limit: number): Redaction {
    this.#known.elements.trim();
    return new Redaction(this.#rules, this.#nameRules, this.#known, limit);
  }
}

function knownFinder(secrets: readonly string[]): FindKnown {
  let search: SubstringSearch | undefined;
  return (text, hits) => {
    if (secrets.length === 0) return;
    search ??= createSubstringSearch(allVariants(secrets).map((one) => Buffer.from(one, 'utf8')));
    search.each(Buffer.from(text, 'latin1'), (from, to) => hits.add('secret', from, to));
  };
}

/** What earlier calls found. */
interface KnownParts {
  /** Texts without a match, by rules. */
  readonly texts: KnownTexts;
  readonly names: KnownTexts;
  readonly elements: KnownElements;
}

/** Redacts the bodies and texts of one record. */
export class Redaction {
  readonly counts: Counts = {};
  readonly #rules: CompiledRules;
  readonly #nameRules: CompiledRules;
  readonly #known: KnownParts;
  readonly #limit: number;
  /** Texts of masked fields. In another format the same text is in another place. */
  #fields: MaskedFields | undefined;

  /** @param limit maximum bytes of one body */
  constructor(rules: CompiledRules, nameRules: CompiledRules, known: KnownParts, limit: number) {
    this.#rules = rules;
    this.#nameRules = nameRules;
    this.#known = known;
    this.#limit = limit;
  }

  /** True if the rules have no fields and no patterns of the operator. */
  get hasDefaultRules(): boolean {
    return this.#rules.hasDefaultRules;
  }

  get hasOwnPatterns(): boolean {
    return this.#rules.own.length > 0;
  }

  /**
   * Masks a request body, and returns a one-line preview of the last user message.
   *
   * @param text one character per byte
   * @param source provides the bytes, so that they need not be made from the text
   * @param withPreview false if no preview is needed
   */
  request(text: string, source?: ByteSource, withPreview = true): MaskedRequest {
    try {
      const bytes = this.#mayBePlain(text) ? (source?.start(text.length) ?? Buffer.from(text, 'latin1')) : undefined;
      if (bytes !== undefined && text.length <= maxAtOnce && cannotMatch(text, bytes, isMaskedMember)) {
        return { body: unchanged(bytes), preview: withPreview ? lastUserText(text, (start, end) => text.slice(start, end)) : null };
      }
      const known = text.length > maxAtOnce ? this.#known.elements : undefined;
      const masker = new RequestMasker(text, this.#rules, new PatternBudget(), this.#limit, bytes && { bytes, known });
      masker.fields = this.#fields ??= new MaskedFields();
      masker.run();
      const isCut = masker.end < text.length;
      const preview = withPreview ? masker.preview() : null;
      const edits = masker.repeatsOthers && masker.edits.count <= maxPostedEdits ? masker.edits.sorted() : undefined;
      if (bytes !== undefined && masker.edits.isEmpty && !isCut) return { body: unchanged(bytes), preview, edits };
      return { body: this.#result(masker, masker.edits.apply(text, 0, masker.end), isCut), preview, edits };
    } catch (error) {
      return { body: tooLargeOrThrow(error), preview: null };
    }
  }

  /** Bytes of a request that must be searched, because they were not part of an earlier one. Counting stops beyond `limit`. */
  sizeOfNew(text: string, source: ByteSource, limit: number): number {
    const mayKnow = text.length > maxAtOnce && this.#mayBePlain(text);
    return mayKnow ? sizeOfNew(text, source.start(text.length), this.#known.elements, limit) : text.length;
  }

  /** Remembers the elements of a large request that was masked in another thread. */
  remember(text: string, edits: readonly Edit[]): void {
    addElements(text, Buffer.from(text, 'latin1'), this.#known.elements, edits);
  }

  /** A masked one-line preview of the last user message; null if there is none. */
  preview(text: string): string | null {
    try {
      return new RequestMasker(text, this.#rules, new PatternBudget(), 0).preview();
    } catch (error) {
      tooLargeOrThrow(error);
      return null;
    }
  }

  /** Masks a response body of any format, of which only the first bytes may have been kept. */
  response(body: ResponseBody): Redacted | TooLargeBody {
    try {
      const masked = this.#response(body);
      const isThere = body.isBroken === true && sizeOfPieces(body.pieces) === body.size && masked.bytes.length < this.#limit;
      return isThere ? { ...masked, isCut: false } : masked;
    } catch (error) {
      return tooLargeOrThrow(error);
    }
  }

  /** Masks an external text that is part of the record itself. */
  text(text: string): string {
    return this.#maskText(text, this.#rules, this.#known.texts);
  }

  /** Masks a text by which records are found. */
  name(text: string): string {
    return this.#maskText(text, this.#nameRules, this.#known.names);
  }

  #maskText(text: string, rules: CompiledRules, clean: KnownTexts): string {
    if (clean.has(text)) return text;
    const hits = new Hits();
    try {
      findAll(passage(text, ''), rules, new PatternBudget(), hits);
    } catch (error) {
      tooLargeOrThrow(error);
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

  /** Masks a JSON value that is part of the record itself. */
  value<T>(value: T): T {
    return this.#cleaned(value, this.#rules);
  }

  /** Masks a JSON value by which records are found. */
  labels<T>(value: T): T {
    return this.#cleaned(value, this.#nameRules);
  }

  #cleaned<T>(value: T, rules: CompiledRules): T {
    const json = JSON.stringify(value);
    if (json === undefined) return value;
    const bytes = Buffer.from(json, 'utf8');
    const text = bytes.length === json.length ? json : bytes.toString('latin1');
    if (rules.hasDefaultRules && cannotMatch(text, bytes, isMaskedMember)) return value;
    const shown = this.#masked(text, rules);
    return shown === text ? value : (JSON.parse(Buffer.from(shown, 'latin1').toString('utf8')) as T);
  }

  /** Masks the text of a JSON value, one character per byte. Returns `{}` if it is too large to search. */
  json(text: string): string {
    return this.#masked(text, this.#rules);
  }

  #masked(text: string, rules: CompiledRules): string {
    const masker = new Masker(text, rules, new PatternBudget());
    try {
      masker.traversal.run(text, 0, text.length, masker);
    } catch (error) {
      tooLargeOrThrow(error);
      return '{}';
    }
    this.addCounts(masker.edits.counts);
    return masker.edits.apply(text);
  }

  #response({ pieces, size, contentType, isBroken }: ResponseBody): Redacted {
    const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    const isCut = bytes.length < size || isBroken === true;
    const form = formatOf(bytes, contentType.toLowerCase());
    switch (form) {
      case 'events':
      case 'lines':
      case 'json-lines': {
        if (form === 'json-lines' && bytes.length > 2 * this.#limit) return this.#json(bytes.toString('latin1'), isCut);
        const text = bytes.toString('latin1');
        return this.#events(isCut ? text.slice(0, endOfLastEvent(text, form)) : text, isCut, bytes, form === 'json-lines');
      }
      case 'list':
        return this.#list(bytes.toString('latin1'), isCut);
      case 'frames': {
        const { text, starts } = framesAsEvents(bytes);
        const redacted = this.#events(isCut ? text.slice(0, endOfLastEvent(text, 'events')) : text, isCut, undefined);
        return { ...redacted, moved: (offset) => redacted.moved(eventStartAt(starts, offset)) };
      }
      case 'json': {
        const text = bytes.toString('latin1', 0, Math.min(bytes.length, maxReadLength));
        if (!isCut && text.length === bytes.length && this.#mayBePlain(text) && cannotMatch(text, bytes, isMaskedMember))
          return unchanged(bytes);
        return this.#json(text, isCut || bytes.length > maxReadLength);
      }
      case 'text':
        return this.#text(bytes.toString('latin1', 0, Math.min(bytes.length, this.#limit)), isCut || bytes.length > this.#limit);
      default: {
        const type = /^[\w.+/-]{1,80}$/.exec(contentType.split(';')[0]?.trim() ?? '')?.[0] ?? 'data';
        this.#count('media', 1);
        return replaced(Buffer.from(isCut ? `[media ${type}, ${size} bytes]` : digestOf(bytes, type)));
      }
    }
  }

  /** True if the fast check is sufficient to decide that nothing has to be masked. */
  #mayBePlain(text: string): boolean {
    return this.#rules.hasDefaultRules && this.#fields?.isEmpty !== false && text.length <= this.#limit;
  }

  #json(text: string, isCut: boolean): Redacted {
    const masker = new RequestMasker(text, this.#rules, new PatternBudget(), this.#limit);
    masker.fields = this.#fields ??= new MaskedFields();
    masker.run();
    const isBeyond = masker.end < text.length;
    if (isCut && !isBeyond) masker.hideTail();
    return this.#result(masker, masker.edits.apply(text, 0, masker.end), isCut || isBeyond);
  }

  /**
   * An incomplete last event is dropped, because a truncated value in it might not be recognized.
   *
   * @param bytes of the text, if available
   * @param areSeparate true if the events may be texts of their own
   */
  #events(text: string, isCut: boolean, bytes: Buffer | undefined, areSeparate = false): Redacted {
    if (!isCut && this.#mayBePlain(text) && new PlainStream(text, this.#rules, areSeparate).run())
      return unchanged(bytes ?? Buffer.from(text, 'latin1'));
    const masker = new StreamMasker(text, this.#rules, new PatternBudget(), areSeparate);
    masker.fields = this.#fields;
    masker.run(isCut);
    return this.#result(masker, masker.edits.apply(text), isCut);
  }

  /** A stream that is one JSON list. */
  #list(whole: string, isCut: boolean): Redacted {
    const text = isCut ? whole.slice(0, eventsOfList(whole).end) : whole;
    const { events } = eventsOfList(text);
    const masker = new StreamMasker(text, this.#rules, new PatternBudget());
    masker.fields = this.#fields;
    masker.runOver(events, isCut);
    return this.#result(masker, masker.edits.apply(text), isCut);
  }

  #text(text: string, isCut: boolean): Redacted {
    const masker = new Masker(text, this.#rules, new PatternBudget());
    masker.string(0, text.length, false, 0, 0);
    if (isCut) masker.hideTail();
    return this.#result(masker, masker.edits.apply(text), isCut);
  }

  #result({ edits }: Masker, shown: string, isCut: boolean): Redacted {
    this.addCounts(edits.counts);
    const isLonger = shown.length > this.#limit;
    const bytes = Buffer.from(isLonger ? shown.slice(0, this.#limit) : shown, 'latin1');
    return { bytes, isCut: isCut || isLonger, moved: edits.offsetMapper() };
  }

  /** Adds the matches found elsewhere in the same record. */
  addCounts(counts: Counts): void {
    for (const kind in counts) this.#count(kind, counts[kind] ?? 0);
  }

  #count(kind: string, count: number): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + count;
  }
}

/** Maximum size of a request that is checked as a whole. Larger ones nearly always contain an id, so each of their texts is checked. */
const maxAtOnce = 16 * 1024;

/** Maximum bytes read of one whole response. Only files make a response larger than the kept part. */
const maxReadLength = 32 * 1024 * 1024;

/** Maximum number of edits that are posted to another thread. */
const maxPostedEdits = 1000;

interface MaskedRequest {
  readonly body: Redacted | TooLargeBody;
  readonly preview: string | null;
  /** The edits of a large request that mostly repeats earlier ones: with them, another thread can remember its elements. */
  readonly edits?: readonly Edit[] | undefined;
}

/** Provides the bytes of a body. */
export interface ByteSource {
  /** The first `length` bytes. */
  start(length: number): Buffer;
}

const unchanged = (bytes: Buffer): Redacted => ({ bytes, isCut: false, moved: (offset) => offset });

const replaced = (bytes: Buffer): Redacted => ({ bytes, isCut: false, moved: () => 0 });

function tooLargeOrThrow(error: unknown): TooLargeBody {
  if (error instanceof TooLarge) return tooLarge;
  throw error;
}

/** The offset after the last complete event. */
function endOfLastEvent(text: string, form: 'events' | 'lines' | 'json-lines'): number {
  if (form !== 'events') return text.lastIndexOf('\n') + 1;
  const ends = ['\n\n', '\r\n\r\n', '\r\r'].map((sign) => {
    const at = text.lastIndexOf(sign);
    return at < 0 ? 0 : at + sign.length;
  });
  return Math.max(...ends);
}

function eventStartAt(starts: readonly number[], offset: number): number {
  let found = 0;
  for (let i = 0; i < starts.length && (starts[i] as number) <= offset; i += 2) found = starts[i + 1] as number;
  return found;
}
