import { isAscii as isAsciiBytes } from 'node:buffer';
import { GatewayError } from '../error.ts';
import { type JsonLimits, noLimits, requestLimits } from './limits.ts';
import { minReleasedSize } from '../memory/release-buffer.ts';
import { type Member, parseCheckedExact, recordList, scanObject } from './scan.ts';
import { includesFast } from './search/fast-search.ts';
import { TokenReader } from './search/token-reader.ts';
import { TokenTape } from './search/token-tape.ts';
import { firstNotUtf8 } from '../text/utf8.ts';

/** A scalar JSON value, as `peek` returns it without parsing the body. */
export type Scalar = string | number | boolean | null;

/** Top-level members to write: a value, or `undefined` to remove the member. */
export type BodyPatch = ReadonlyMap<string, unknown>;

export interface EmptyBody {
  readonly kind: 'none';
}

export const emptyBody: EmptyBody = Object.freeze({ kind: 'none' });

/** A colon followed by an escaped slash. Each search looks for a colon, which is rarer than a backslash. */
const escapedSlashes = [String.raw`:\/`, String.raw`:\u002`] as const;
const escapedColon = String.raw`\u003`;

/** The list whose structure is recorded when a body is scanned: most chat requests are checked by it. */
const recordedKey = 'messages';
const tape = new TokenTape();
const recorded = { key: recordedKey, tape };

const openBracket = 0x5b;

/**
 * A JSON object that is parsed only as far as needed. Top-level scalars are found by scanning; `json` builds the object
 * on its first call; an edit splices the text, so every byte that is not edited stays unchanged (64-bit integers, `1.0`,
 * key order). Immutable: `edit` returns a new body.
 */
export class JsonBody {
  readonly kind = 'json';
  readonly #text: string;
  readonly #edited: { readonly root: JsonBody; readonly patch: BodyPatch } | undefined;
  /** The pieces of a large edited text. The bytes are written from them, so that V8 need not flatten the text. */
  readonly #pieces: readonly string[] | undefined;
  #found: readonly Member[] | undefined;
  /** Undefined from `minReleasedSize` bytes on: a large body is kept only as text, and the receiver of `bytes()` releases them. */
  #bytes: Buffer | undefined;
  #object: Readonly<Record<string, unknown>> | undefined;
  /** Long values already returned by `peek`. */
  #texts: Map<string, Scalar> | undefined;
  /** Which recording of `tape` is that of the list `recordedKey`; -1: none. */
  #recording = -1;
  /** Index of the members, made only if there are more than `maxLinearSearch`. */
  #byKey: ReadonlyMap<string, Member> | undefined;

  private constructor(
    text: string,
    found: readonly Member[] | undefined,
    bytes: Buffer | undefined,
    edited?: { root: JsonBody; patch: BodyPatch },
    pieces?: readonly string[],
  ) {
    this.#pieces = pieces;
    this.#text = text;
    this.#found = found;
    this.#bytes = bytes;
    this.#edited = edited;
  }

  /** @throws GatewayError `invalid_json`, `json_too_complex` */
  static from(bytes: Buffer, limits: JsonLimits = requestLimits): JsonBody {
    const odd = firstNotUtf8(bytes);
    if (odd !== undefined) throw notUtf8(bytes[odd], odd);
    const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    const text = bytes.toString('latin1', start);
    const before = tape.recording;
    const members = scanObject(text, limits, recorded);
    if (hasDuplicateKeys(members)) return new JsonBody(withoutDuplicateKeys(text, members), undefined, undefined);
    const body = new JsonBody(text, members, start === 0 && bytes.length < minReleasedSize ? bytes : undefined);
    if (tape.recording !== before) body.#recording = tape.recording;
    return body;
  }

  /** Makes a body from a value, which is serialized once. */
  static of(value: Readonly<Record<string, unknown>>): JsonBody {
    const json = JSON.stringify(value);
    const bytes = Buffer.from(json, 'utf8');
    return new JsonBody(bytes.length === json.length ? json : bytes.toString('latin1'), undefined, bytes);
  }

  get size(): number {
    return this.#text.length;
  }

  /** The bytes as text with one character per byte, for searching without a copy. */
  get oneByte(): string {
    return this.#text;
  }

  /** The names of the top-level members, in order. */
  *keys(): Iterable<string> {
    for (const member of this.#members) yield member.key;
  }

  /** The top-level members in order. `first` is the first character of the value. `textOf` returns the whole value for an `index`. */
  *members(): Iterable<{ readonly key: string; readonly first: string; readonly index: number }> {
    for (const [index, { key, keyStart, start }] of this.#members.entries()) {
      const exact = plainKey.test(key) ? key : this.#keyBetween(keyStart, start);
      yield { key: exact, first: this.#text[start] ?? '', index };
    }
  }

  /** The decoded key. Only blanks and the colon follow its closing quote. */
  #keyBetween(keyStart: number, start: number): string {
    return JSON.parse(utf8(this.#text.slice(keyStart, this.#text.lastIndexOf('"', start - 1) + 1))) as string;
  }

  /** The JSON text of one of `members`. */
  textOf(index: number): string {
    const { start, end } = this.#members[index] as Member;
    return utf8(this.#text.slice(start, end));
  }

  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  /** A top-level scalar; `undefined` if the member is absent, an object or an array. */
  peek(key: string): Scalar | undefined {
    const member = this.#find(key);
    if (member === undefined) return undefined;
    const first = this.#text.charCodeAt(member.start);
    if (first === 0x7b || first === 0x5b) return undefined;
    if (member.end - member.start <= shortLength) return this.value(key) as Scalar;
    this.#texts ??= new Map();
    const known = this.#texts.get(key) ?? (this.value(key) as Scalar);
    this.#texts.set(key, known);
    return known;
  }

  /** The value of one top-level member, without parsing the rest. */
  value(key: string): unknown {
    const member = this.#find(key);
    return member === undefined ? undefined : parse(this.#text.slice(member.start, member.end));
  }

  /** Like `value`, but numbers keep their digits when they are serialized again (`parseExact`). */
  exact(key: string): unknown {
    const member = this.#find(key);
    return member === undefined ? undefined : fromJson(utf8(this.#text.slice(member.start, member.end)), parseCheckedExact);
  }

  /**
   * Reads the structure of a top-level list; undefined if the member is absent or something else. Valid until another text is
   * scanned, so only within a synchronous function.
   *
   * @throws GatewayError `invalid_json`
   */
  listOf(key: string): TokenReader | undefined {
    // An edit keeps the text of the other members, and the tape is often still that of the body as received.
    if (this.#edited !== undefined && !this.#edited.patch.has(key)) return this.#edited.root.listOf(key);
    if (key !== recordedKey || this.#recording !== tape.recording) {
      const start = this.#find(key)?.start ?? 0;
      if (this.#text.charCodeAt(start) !== openBracket) return undefined;
      recordList(this.#text, start, tape);
      this.#recording = key === recordedKey ? tape.recording : -1;
    }
    return new TokenReader(this.#text, tape);
  }

  /** True if an ASCII text occurs anywhere in the body's JSON text. A fast check before parsing. */
  mentions(text: string): boolean {
    return includesFast(this.#text, text);
  }

  /**
   * True if the body may contain a URL, also with escaped characters, such as the `:\/\/` of PHP's `json_encode`. A fast check
   * before parsing.
   */
  mayContainUrl(): boolean {
    const text = this.#text;
    if (text.includes(':/')) return true;
    if (!text.includes('\\')) return false;
    return escapedSlashes.some((start) => text.includes(start)) || (text.includes(escapedColon) && /\\u003a/i.test(text));
  }

  /** The whole object, parsed once. The caller must not change it. */
  json(): Readonly<Record<string, unknown>> {
    if (this.#object !== undefined) return this.#object;
    const bytes = this.bytes();
    return (this.#object = fromJson(isAsciiBytes(bytes) ? this.#text : bytes.toString('utf8')));
  }

  /** The bytes to send. Those of a large body are made on each call, so that the body is not held twice. */
  bytes(): Buffer {
    if (this.#bytes !== undefined) return this.#bytes;
    if (this.#pieces !== undefined) return joined(this.#pieces, this.#text.length);
    const bytes = Buffer.from(this.#text, 'latin1');
    if (bytes.length < minReleasedSize) this.#bytes = bytes;
    return bytes;
  }

  /** False if `bytes` returns a new buffer on each call, whose memory the caller may return. */
  get holdsBytes(): boolean {
    return this.#bytes !== undefined;
  }

  /** Up to `length` first bytes. */
  start(length: number): Buffer {
    return this.#bytes?.subarray(0, length) ?? Buffer.from(this.#text.slice(0, length), 'latin1');
  }

  /** Returns the body with some top-level members changed, appended or removed. */
  edit(patch: BodyPatch): JsonBody {
    if (patch.size === 0) return this;
    let removes = false;
    for (const value of patch.values()) removes ||= value === undefined;
    const root = this.#edited?.root ?? this;
    const whole = this.#edited === undefined ? patch : new Map([...this.#edited.patch, ...patch]);
    const edited = { root, patch: whole };
    if (removes) return new JsonBody(this.#rejoin(patch), undefined, undefined, edited);
    const pieces = this.#splice(patch);
    let text = '';
    for (const piece of pieces) text += piece;
    return new JsonBody(text, undefined, undefined, edited, text.length < minReleasedSize ? undefined : pieces);
  }

  /** Returns a body made from another value. Plugin and provider files import nothing, so they make bodies with this. */
  replace(value: Readonly<Record<string, unknown>>): JsonBody {
    return JsonBody.of(value);
  }

  /** The origin of an edited body: the body as received, and all members that were changed. */
  get edited(): { readonly root: JsonBody; readonly patch: BodyPatch } | undefined {
    return this.#edited;
  }

  /** Writes the values in place. Every other byte, including white space, stays unchanged. */
  #splice(patch: BodyPatch): string[] {
    const pieces: string[] = [];
    let from = 0;
    const written = new Set<string>();
    for (const member of this.#members) {
      if (!patch.has(member.key)) continue;
      written.add(member.key);
      pieces.push(this.#text.slice(from, member.start), toText(patch.get(member.key)));
      from = member.end;
    }
    const last = this.#members.at(-1)?.end ?? this.#text.indexOf('{') + 1;
    pieces.push(this.#text.slice(from, last));
    let separator = this.#members.length === 0 ? '' : ',';
    for (const [key, value] of patch) {
      if (written.has(key)) continue;
      pieces.push(`${separator}${toText(key)}:${toText(value)}`);
      separator = ',';
    }
    pieces.push(this.#text.slice(last));
    return pieces;
  }

  /** Joins the members again without the removed ones. Each keeps its own text. */
  #rejoin(patch: BodyPatch): string {
    const parts: string[] = [];
    const written = new Set<string>();
    for (const member of this.#members) {
      if (!patch.has(member.key)) {
        parts.push(this.#text.slice(member.keyStart, member.end));
        continue;
      }
      written.add(member.key);
      const value = patch.get(member.key);
      if (value !== undefined) parts.push(`${this.#text.slice(member.keyStart, member.start)}${toText(value)}`);
    }
    for (const [key, value] of patch) if (!written.has(key) && value !== undefined) parts.push(`${toText(key)}:${toText(value)}`);
    return `{${parts.join(',')}}`;
  }

  /** A body made here is scanned only when needed. */
  get #members(): readonly Member[] {
    this.#found ??= scanObject(this.#text, noLimits);
    return this.#found;
  }

  #find(key: string): Member | undefined {
    const members = this.#members;
    if (members.length > maxLinearSearch) {
      this.#byKey ??= new Map(members.map((member) => [member.key, member]));
      return this.#byKey.get(key);
    }
    for (const member of members) if (member.key === key) return member;
    return undefined;
  }
}

/** Joins one-byte texts to the bytes that they represent. */
function joined(pieces: readonly string[], size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const piece of pieces) at += bytes.write(piece, at, 'latin1');
  return bytes;
}

/** Up to this many members, a linear search is faster than a map. */
const maxLinearSearch = 64;

function notUtf8(byte: number | undefined, at: number): GatewayError {
  const what =
    byte === undefined ? 'it ends in the middle of a character' : `the byte 0x${byte.toString(16).padStart(2, '0')} is not UTF-8`;
  return new GatewayError('invalid_json', {
    message: `The body is not JSON: ${what} at position ${at}.`,
    hint: 'Send the body encoded in UTF-8.',
  });
}

/** Parsers disagree about duplicate members, so a body with duplicates is normalized: the last one wins. */
function hasDuplicateKeys(members: readonly Member[]): boolean {
  const seen = new Set<string>();
  for (const member of members) seen.add(member.key);
  return seen.size !== members.length;
}

/** The object with only the last member of each name, each with its own text. */
function withoutDuplicateKeys(text: string, members: readonly Member[]): string {
  const last = new Map(members.map((member) => [member.key, member]));
  return `{${Array.from(last.values(), ({ keyStart, end }) => text.slice(keyStart, end)).join(',')}}`;
}

/** Serializes a value to one-byte text: UTF-8 bytes as latin1 characters, like the text it is inserted into. */
function toText(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length <= shortLength && isAscii(json) ? json : Buffer.from(json, 'utf8').toString('latin1');
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

const parse = (oneByte: string): Record<string, unknown> => fromJson(utf8(oneByte));

/** Keys that are the same in one-byte text and decoded. */
const plainKey = /^[\w-]*$/;

/** Up to this many characters, checking each is faster than copying the text. */
const shortLength = 1024;

/** Decodes one-byte text. */
const utf8 = (oneByte: string): string =>
  oneByte.length <= shortLength && isAscii(oneByte) ? oneByte : Buffer.from(oneByte, 'latin1').toString('utf8');

/** @throws GatewayError `invalid_json` */
function fromJson(text: string, read: (text: string) => unknown = JSON.parse): Record<string, unknown> {
  try {
    return read(text) as Record<string, unknown>;
  } catch (error) {
    throw new GatewayError('invalid_json', { message: `The body is not JSON: ${(error as Error).message}.`, cause: error });
  }
}
