import { isAscii as isAsciiBytes } from 'node:buffer';
import { GatewayError } from '../error.ts';
import type { FormBody, FormBytes } from '../http/form.ts';
import type { HeaderPairs } from '../http/headers.ts';
import { type JsonLimits, noLimits, requestLimits } from './limits.ts';
import { type Member, membersAt, objectAround, parseCheckedExact, scanObject } from './scan.ts';
import { firstNotUtf8 } from '../text/utf8.ts';

/** A JSON value's scalar; what `peek` can give without parsing the body. */
export type Scalar = string | number | boolean | null;

/** Top-level members to write: a value, or `undefined` to take the member out. */
export type BodyPatch = ReadonlyMap<string, unknown>;

/** A request body as the pipeline sees it. */
export type RequestBody = JsonBody | EmptyBody | FormBody | PassingBody | SocketBody;

export interface EmptyBody {
  readonly kind: 'none';
}

/** Bytes that only pass through: any body of an unknown route. Nobody holds them, so they go out once. */
export interface PassingBody {
  readonly kind: 'passing';
  readonly contentType: string | undefined;
  /** Bytes; 0 where there is none, undefined where the client does not say. */
  readonly length: number | undefined;
  /** Bytes that came from the client so far. */
  readonly received: number;
  /** It may have been read, or acted upon, by a provider: it can't be sent again. */
  readonly isSpent: boolean;
  /** A provider is connected: what is sent from now on can't be taken back. */
  spend(): void;
  /** Not before it is connected: until then the next target may have the body whole. */
  open(): FormBytes;
}

/** A connection that asks to be switched to WebSocket frames. */
export interface SocketBody {
  readonly kind: 'socket';
  /** Bytes of frames that were passed on. */
  readonly received: number;
  /** Subprotocols that a provider may choose from. */
  readonly offered: readonly string[];
  /** The headers that ask for the switch. */
  readonly handshake: HeaderPairs;
  /** The provider has agreed: what the client sends goes there, beginning with what was kept. Once. */
  into(reader: SocketReader): void;
  pause(): void;
  resume(): void;
  /** The client is gone without a word, and nobody waits for the provider's. */
  leave(): void;
}

/** Takes what a client sends over its WebSocket. */
export interface SocketReader {
  data(chunk: Buffer): void;
  /** It sends nothing more. */
  end(): void;
  /** Its connection is closed. */
  gone(): void;
}

export const emptyBody: EmptyBody = Object.freeze({ kind: 'none' });

/** Bytes: a body from this size on is held as text alone. */
const large = 1024 * 1024;

/**
 * A JSON object that is read only as far as somebody asks. Top-level scalars are found by scanning; the object is
 * built on the first call of `json`; an edit splices the text, so every byte that is not edited stays as it came
 * (64-bit integers, `1.0`, key order). Immutable: `edit` gives a new body.
 */
export class JsonBody {
  readonly kind = 'json';
  readonly #text: string;
  readonly #edited: { readonly root: JsonBody; readonly patch: BodyPatch } | undefined;
  /** What a large edited text is made of: its bytes are written from there, so that the text itself is never put together. */
  readonly #pieces: readonly string[] | undefined;
  #found: readonly Member[] | undefined;
  #bytes: Buffer | undefined;
  #object: Readonly<Record<string, unknown>> | undefined;
  /** Long texts that were asked for. */
  #texts: Map<string, Scalar> | undefined;
  /** Made where there are too many to be looked through each time. */
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
    const members = scanObject(text, limits);
    return hasTwice(members)
      ? new JsonBody(lastOfEach(text, members), undefined, undefined)
      : new JsonBody(text, members, start === 0 && bytes.length < large ? bytes : undefined);
  }

  /** A body made from a value; the text is written once. */
  static of(value: Readonly<Record<string, unknown>>): JsonBody {
    const json = JSON.stringify(value);
    const bytes = Buffer.from(json, 'utf8');
    return new JsonBody(bytes.length === json.length ? json : bytes.toString('latin1'), undefined, bytes);
  }

  get size(): number {
    return this.#text.length;
  }

  /** The bytes as text, one a character: for whoever looks through them without a copy. */
  get oneByte(): string {
    return this.#text;
  }

  /** The names of the top-level members, in order. */
  *keys(): Iterable<string> {
    for (const member of this.#members) yield member.key;
  }

  /**
   * The top-level members in order. `first` is the first character of the value, whose whole text `textOf` gives by the
   * place of the member.
   */
  *members(): Iterable<{ readonly key: string; readonly first: string; readonly place: number }> {
    for (const [place, { key, keyStart, start }] of this.#members.entries()) {
      const exact = plainKey.test(key) ? key : this.#keyBetween(keyStart, start);
      yield { key: exact, first: this.#text[start] ?? '', place };
    }
  }

  /** A key as it is meant; behind its closing quote are blanks and the colon alone. */
  #keyBetween(keyStart: number, start: number): string {
    return JSON.parse(utf8(this.#text.slice(keyStart, this.#text.lastIndexOf('"', start - 1) + 1))) as string;
  }

  /** The JSON text of one of `members`. */
  textOf(place: number): string {
    const { start, end } = this.#members[place] as Member;
    return utf8(this.#text.slice(start, end));
  }

  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  /** A top-level scalar; `undefined` when the member is absent, an object or an array. */
  peek(key: string): Scalar | undefined {
    const member = this.#find(key);
    if (member === undefined) return undefined;
    const first = this.#text.charCodeAt(member.start);
    if (first === 0x7b || first === 0x5b) return undefined;
    if (member.end - member.start <= short) return this.value(key) as Scalar;
    this.#texts ??= new Map();
    const known = this.#texts.get(key) ?? (this.value(key) as Scalar);
    this.#texts.set(key, known);
    return known;
  }

  /** One top-level member as a value, without parsing the rest. */
  value(key: string): unknown {
    const member = this.#find(key);
    return member === undefined ? undefined : parse(this.#text.slice(member.start, member.end));
  }

  /** The same with numbers that keep their digits when they are written again (`parseExact`). */
  exact(key: string): unknown {
    const member = this.#find(key);
    return member === undefined ? undefined : fromJson(utf8(this.#text.slice(member.start, member.end)), parseCheckedExact);
  }

  /**
   * The objects, at any depth, that have this member with this plain text as its value: their members, as offsets into the
   * one-byte text. Found by the value, so that nothing else is looked at.
   */
  *objectsWith(key: string, value: string): Iterable<{ readonly text: string; readonly members: readonly Member[] }> {
    const text = this.#text;
    const wanted = `"${value}"`;
    let next = 0;
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, next)) {
      next = at + wanted.length;
      const start = behindKey(text, at, key) ? objectAround(text, at) : -1;
      if (start < 0) continue;
      const members = membersAt(text, start);
      next = Math.max(next, members.at(-1)?.end ?? 0);
      yield { text, members };
    }
  }

  /** Cheap test whether some ASCII text occurs anywhere in the body's JSON text: a look before parsing. */
  mentions(text: string): boolean {
    return this.#text.includes(text);
  }

  /** The whole object, parsed once; treat it as frozen. */
  json(): Readonly<Record<string, unknown>> {
    if (this.#object !== undefined) return this.#object;
    const bytes = this.bytes();
    return (this.#object = fromJson(isAsciiBytes(bytes) ? this.#text : bytes.toString('utf8')));
  }

  /** The bytes to send. Those of a large body are made when they are asked for, so that it is not held twice. */
  bytes(): Buffer {
    if (this.#bytes !== undefined) return this.#bytes;
    if (this.#pieces !== undefined) return joined(this.#pieces, this.#text.length);
    const bytes = Buffer.from(this.#text, 'latin1');
    if (bytes.length < large) this.#bytes = bytes;
    return bytes;
  }

  /** False where `bytes` makes new ones for whoever asks, who may give their memory back. */
  get holdsBytes(): boolean {
    return this.#bytes !== undefined;
  }

  /** The first bytes, as far as they go. */
  start(length: number): Buffer {
    return this.#bytes?.subarray(0, length) ?? Buffer.from(this.#text.slice(0, length), 'latin1');
  }

  /** The same body with some top-level members written anew, added at the end, or taken out. */
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
    return new JsonBody(text, undefined, undefined, edited, text.length < large ? undefined : pieces);
  }

  /** Another body in its place. A plugin or provider file, which imports nothing, makes its bodies with this. */
  replace(value: Readonly<Record<string, unknown>>): JsonBody {
    return JsonBody.of(value);
  }

  /** Where this body came from when it was edited: the body as received, and all that was written differently. */
  get edited(): { readonly root: JsonBody; readonly patch: BodyPatch } | undefined {
    return this.#edited;
  }

  /** Writes values in place; every other byte, white space included, stays. */
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

  /** With a member taken out the members are joined anew; each keeps its own text. */
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

  /** A body that was made here is scanned only if somebody asks. */
  get #members(): readonly Member[] {
    this.#found ??= scanObject(this.#text, noLimits);
    return this.#found;
  }

  #find(key: string): Member | undefined {
    const members = this.#members;
    if (members.length > few) {
      this.#byKey ??= new Map(members.map((member) => [member.key, member]));
      return this.#byKey.get(key);
    }
    for (const member of members) if (member.key === key) return member;
    return undefined;
  }
}

/** One-byte texts as the bytes that they stand for. */
function joined(pieces: readonly string[], size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const piece of pieces) at += bytes.write(piece, at, 'latin1');
  return bytes;
}

/** True where the value at an offset belongs to this key. */
function behindKey(text: string, value: number, key: string): boolean {
  const name = `"${key}"`;
  const colon = beforeSpace(text, value);
  const end = beforeSpace(text, colon);
  return text[colon] === ':' && text.startsWith(name, end + 1 - name.length);
}

function beforeSpace(text: string, from: number): number {
  let at = from - 1;
  while (text.charCodeAt(at) <= 0x20) at -= 1;
  return at;
}

/** Members that are looked through faster than found in a map. */
const few = 64;

function notUtf8(byte: number | undefined, at: number): GatewayError {
  const what =
    byte === undefined ? 'it ends in the middle of a character' : `the byte 0x${byte.toString(16).padStart(2, '0')} is not UTF-8`;
  return new GatewayError('invalid_json', {
    message: `The body is not JSON: ${what} at position ${at}.`,
    hint: 'Send the body encoded in UTF-8.',
  });
}

/** A member named twice means different things to different parsers: such a body is normalised (last one wins). */
function hasTwice(members: readonly Member[]): boolean {
  const seen = new Set<string>();
  for (const member of members) seen.add(member.key);
  return seen.size !== members.length;
}

/** The object with the last of each name alone, each in its own text. */
function lastOfEach(text: string, members: readonly Member[]): string {
  const last = new Map(members.map((member) => [member.key, member]));
  return `{${Array.from(last.values(), ({ keyStart, end }) => text.slice(keyStart, end)).join(',')}}`;
}

/** JSON text of a value in one-byte form: UTF-8 bytes as latin1 characters, like the text it is spliced into. */
function toText(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length <= short && isAscii(json) ? json : Buffer.from(json, 'utf8').toString('latin1');
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

const parse = (oneByte: string): Record<string, unknown> => fromJson(utf8(oneByte));

/** Keys that mean the same in the one-byte text and decoded. */
const plainKey = /^[\w-]*$/;

/** Characters that are looked at faster one by one than copied. */
const short = 1024;

/** The text that one-byte text stands for. */
const utf8 = (oneByte: string): string =>
  oneByte.length <= short && isAscii(oneByte) ? oneByte : Buffer.from(oneByte, 'latin1').toString('utf8');

/** @throws GatewayError `invalid_json` */
function fromJson(text: string, read: (text: string) => unknown = JSON.parse): Record<string, unknown> {
  try {
    return read(text) as Record<string, unknown>;
  } catch (error) {
    throw new GatewayError('invalid_json', { message: `The body is not JSON: ${(error as Error).message}.`, cause: error });
  }
}
