import { isCredentialHeader } from './credential-names.ts';
import { type HeaderPairs, placeholderCredentials } from '../http/headers.ts';
import type { Attempt } from '../plan.ts';
import { spellingsOf } from './spellings.ts';

/**
 * The secrets of one credential in each form in which a provider may repeat them: as written, escaped in JSON, and
 * percent-encoded. Made once for a credential, not for a request.
 */
export interface SecretForms {
  /** Longest first. */
  readonly texts: readonly string[];
  readonly bytes: readonly Buffer[];
  /** For each: how far its end may be moved on from a byte, whatever follows. Made for credentials that serve many requests. */
  shifts: readonly (readonly number[])[] | undefined;
  /** Chunks that were looked through. */
  uses: number;
  /** Length of the shortest text, in characters. */
  readonly shortest: number;
  /** None of them contains a byte in which an event or a JSON text ends. */
  readonly endsClosed: boolean;
}

/** Shorter texts are found in any answer by chance. Characters. */
const leastLength = 6;

/** `ollama`, `lm-studio`, `not-needed`: words that servers without keys accept as one, and that answers may contain. */
const placeholderWord = /^[A-Za-z]+(?:[-_ ][A-Za-z]+)*$/;
const longestWord = 15;

/** The scheme in front of a credential (RFC 9110 11.4): it is no part of the secret. */
const scheme = /^[A-Za-z][A-Za-z0-9-]* +(?=\S)/;

/**
 * The secrets in headers that sign a request. Undefined where none of them is long enough to be looked for.
 *
 * @param proofs further secrets, also those that look like a word
 */
export function secretForms(headers: HeaderPairs, proofs: readonly string[] = []): SecretForms | undefined {
  const texts = new Set<string>();
  for (let i = 1; i < headers.length; i += 2) {
    const secret = (headers[i] ?? '').replace(scheme, '').trim();
    if (!placeholderCredentials.has(secret) && !isWord(secret)) addForms(secret, texts);
  }
  for (const proof of proofs) addForms(proof, texts);
  if (texts.size === 0) return undefined;
  const sorted = [...texts].toSorted((a, b) => b.length - a.length);
  const bytes = sorted.map((text) => Buffer.from(text, 'utf8'));
  return {
    texts: sorted,
    bytes,
    shifts: undefined,
    uses: 0,
    shortest: sorted.at(-1)?.length ?? 0,
    endsClosed: !sorted.some((text) => /[\n\r "\]}]/.test(text)),
  };
}

/** What must not come back in the answer to an attempt that was signed with these headers. */
export function secretsOf({ credential, forwarded }: SignedAttempt, signed: HeaderPairs | undefined): SecretForms | undefined {
  if (credential?.owner === 'forwarded' && forwarded !== undefined) return secretForms(forwarded.filter(isOfCredential));
  return signed === undefined ? undefined : credential?.secrets?.(signed);
}

type SignedAttempt = Pick<Attempt, 'credential' | 'forwarded'>;

const isOfCredential = (_: string, at: number, pairs: HeaderPairs): boolean => isCredentialHeader(pairs[at - (at % 2)] ?? '');

const isWord = (text: string): boolean => text.length <= longestWord && placeholderWord.test(text);

function addForms(secret: string, into: Set<string>): void {
  if (secret.length < leastLength) return;
  for (const spelling of spellingsOf(secret)) into.add(spelling);
}

const asterisk = 0x2a;
const none: Buffer = Buffer.alloc(0);

/** Line feed, carriage return, blank, quote, closing bracket and brace. */
const isClosing = (byte: number): boolean =>
  byte === 0x0a || byte === 0x7d || byte === 0x0d || byte === 0x20 || byte === 0x22 || byte === 0x5d;

/** Told of each secret that was found. */
export interface EchoListener {
  onEcho(): void;
}

/**
 * Overwrites secrets in a flow of bytes with asterisks, so that lengths stay as promised. A chunk that could end inside
 * a secret is passed on up to there; the rest waits for the next one. Chunks are written to where something was found,
 * otherwise they pass as they are.
 */
export class SecretRedactor {
  readonly #forms: SecretForms;
  readonly #listener: EchoListener;
  #pending: Buffer = none;

  constructor(forms: SecretForms, listener: EchoListener) {
    this.#forms = forms;
    this.#listener = listener;
  }

  /** What may leave now; it may be empty. */
  push(chunk: Buffer): Buffer {
    const bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    this.#overwrite(bytes);
    const open = this.#openEnd(bytes);
    this.#pending = open === 0 ? none : bytes.subarray(bytes.length - open);
    return open === 0 ? bytes : bytes.subarray(0, bytes.length - open);
  }

  /** The rest, after the last chunk. More than half of a secret is hidden like a whole one. */
  end(): Buffer {
    const rest = this.#pending;
    this.#pending = none;
    if (rest.length > 0 && this.#forms.bytes.some((secret) => rest.length * 2 > secret.length && isBeginning(secret, rest, 0))) {
      rest.fill(asterisk);
      this.#listener.onEcho();
    }
    return rest;
  }

  /** A body that came whole. Written to in place. */
  whole(bytes: Buffer): Buffer {
    this.#overwrite(bytes);
    return bytes;
  }

  /**
   * Overwrites in place and holds nothing back: for bytes that others have in their hands as well. Of a secret that is
   * cut by the end of a chunk only the second part is hidden.
   */
  passing(chunk: Buffer): void {
    const before = this.#pending;
    const joined = before.length === 0 ? chunk : Buffer.concat([before, chunk]);
    this.#overwrite(joined);
    if (joined !== chunk) joined.copy(chunk, 0, before.length);
    const open = this.#openEnd(joined);
    this.#pending = open === 0 ? none : Buffer.from(joined.subarray(joined.length - open));
  }

  text(value: string): string {
    if (value.length < this.#forms.shortest) return value;
    let out = value;
    for (const secret of this.#forms.texts) {
      if (!out.includes(secret)) continue;
      out = out.replaceAll(secret, '*'.repeat(secret.length));
      this.#listener.onEcho();
    }
    return out;
  }

  /** A name of a header, whose case is lost: true when it contains a secret. */
  isInName(name: string): boolean {
    if (name.length < this.#forms.shortest) return false;
    const lower = name.toLowerCase();
    const found = this.#forms.texts.some((secret) => lower.includes(secret.toLowerCase()));
    if (found) this.#listener.onEcho();
    return found;
  }

  /** Headers by name: the same object when nothing was found. */
  headers(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    let out: Record<string, string> | undefined;
    for (const name in headers) {
      const value = headers[name] ?? '';
      const shown = this.text(value);
      const isDropped = this.isInName(name);
      if (shown === value && !isDropped) continue;
      out ??= { ...headers };
      if (isDropped) delete out[name];
      else out[name] = shown;
    }
    return out ?? headers;
  }

  /** The same for a flat list of names and values. */
  pairs(pairs: HeaderPairs): HeaderPairs {
    const out: HeaderPairs = [];
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      const name = pairs[i] ?? '';
      if (!this.isInName(name)) out.push(name, this.text(pairs[i + 1] ?? ''));
    }
    return out;
  }

  #overwrite(bytes: Buffer): void {
    const secrets = this.#forms.bytes;
    const tables = shiftsOf(this.#forms);
    for (let k = 0; k < secrets.length; k += 1) {
      const secret = secrets[k] as Buffer;
      const shifts = tables?.[k];
      for (let at = find(bytes, secret, shifts, 0); at >= 0; at = find(bytes, secret, shifts, at + secret.length)) {
        bytes.fill(asterisk, at, at + secret.length);
        this.#listener.onEcho();
      }
    }
  }

  /** How many bytes at the end are the beginning of a secret. */
  #openEnd(bytes: Buffer): number {
    const end = bytes.length;
    const last = bytes[end - 1];
    if (last === undefined || (this.#forms.endsClosed && isClosing(last))) return 0;
    let open = 0;
    for (const secret of this.#forms.bytes) {
      for (let at = Math.max(0, end - secret.length + 1); end - at > open; at += 1) {
        if (bytes[at] === secret[0] && isBeginning(secret, bytes, at)) open = end - at;
      }
    }
    return open;
  }
}

/** Chunks after which a table pays. */
const fewUses = 8;

function shiftsOf(forms: SecretForms): SecretForms['shifts'] {
  if (forms.shifts !== undefined) return forms.shifts;
  forms.uses += 1;
  if (forms.uses > fewUses) forms.shifts = forms.bytes.map(tableOf);
  return forms.shifts;
}

function tableOf(secret: Buffer): readonly number[] {
  const last = secret.length - 1;
  const shifts = Array.from({ length: 256 }, () => secret.length);
  for (let at = 0; at < last; at += 1) shifts[secret[at] as number] = last - at;
  return shifts;
}

/**
 * Horspool's search: a key of 50 characters is looked for in every fiftieth byte. The one of `Buffer` looks at each, and
 * its call alone costs more than this does for an event of a stream.
 */
function find(bytes: Buffer, secret: Buffer, shifts: readonly number[] | undefined, from: number): number {
  if (bytes.length - from < secret.length) return -1;
  if (shifts === undefined) return bytes.indexOf(secret, from);
  const last = secret.length - 1;
  for (let end = from + last; end < bytes.length; ) {
    const byte = bytes[end] as number;
    if (byte === secret[last] && isAt(secret, bytes, end - last)) return end - last;
    end += shifts[byte] as number;
  }
  return -1;
}

function isAt(secret: Buffer, bytes: Buffer, at: number): boolean {
  for (let i = 0; i < secret.length; i += 1) if (bytes[at + i] !== secret[i]) return false;
  return true;
}

/** True when the bytes from `at` to their end are how the secret begins. */
function isBeginning(secret: Buffer, bytes: Buffer, at: number): boolean {
  for (let i = at; i < bytes.length; i += 1) if (bytes[i] !== secret[i - at]) return false;
  return true;
}
