import { isCredentialHeader } from './credential-names.ts';
import { type HeaderPairs, placeholderCredentials } from '../http/headers.ts';
import type { CredentialOwner } from '../provider/entry.ts';
import { variantsOf } from './variants.ts';

/**
 * The secrets of one credential in each spelling in which a provider may repeat them: as written, escaped in JSON, and
 * percent-encoded. Created once per credential, not per request.
 */
export interface SecretVariants {
  /** Longest first. */
  readonly texts: readonly string[];
  readonly bytes: readonly Buffer[];
  /**
   * Skip table of each secret: by the byte at the end of the search window, the distance by which the window may move.
   * Built only for credentials that are used often.
   */
  shifts: readonly (readonly number[])[] | undefined;
  /** Number of searched chunks. */
  uses: number;
  /** Length of the shortest text, in characters. */
  readonly shortest: number;
  /** True if no secret contains a byte with which an event or a JSON text ends. */
  readonly hasNoClosingByte: boolean;
}

/** Shorter texts occur in responses by chance. In characters. */
const leastLength = 6;

/** `ollama`, `lm-studio`, `not-needed`: words accepted as keys by servers without authentication, which responses may contain. */
const placeholderWord = /^[A-Za-z]+(?:[-_ ][A-Za-z]+)*$/;
const longestWord = 15;

/** The scheme before a credential (RFC 9110 11.4), which is not part of the secret. */
const scheme = /^[A-Za-z][A-Za-z0-9-]* +(?=\S)/;

/**
 * Returns the secrets in headers that sign a request; undefined if none is long enough to search for.
 *
 * @param proofs further secrets, included even if they look like a word
 */
export function secretVariants(headers: HeaderPairs, proofs: readonly string[] = []): SecretVariants | undefined {
  const texts = new Set<string>();
  for (let i = 1; i < headers.length; i += 2) {
    const secret = (headers[i] ?? '').replace(scheme, '').trim();
    if (!placeholderCredentials.has(secret) && !isPlaceholderWord(secret)) addVariants(secret, texts);
  }
  for (const proof of proofs) addVariants(proof, texts);
  if (texts.size === 0) return undefined;
  const sorted = [...texts].toSorted((a, b) => b.length - a.length);
  const bytes = sorted.map((text) => Buffer.from(text, 'utf8'));
  return {
    texts: sorted,
    bytes,
    shifts: undefined,
    uses: 0,
    shortest: sorted.at(-1)?.length ?? 0,
    hasNoClosingByte: !sorted.some((text) => /[\n\r "\]}]/.test(text)),
  };
}

/** Returns the secrets to mask in the response to an attempt that was signed with these headers. */
export function secretsOf({ credential, forwarded }: SignedAttempt, signed: HeaderPairs | undefined): SecretVariants | undefined {
  if (credential?.owner === 'forwarded' && forwarded !== undefined) return secretVariants(forwarded.filter(isOfCredential));
  return signed === undefined ? undefined : credential?.secrets?.(signed);
}

/** The members of an attempt that show which secrets it contained. */
interface SignedAttempt {
  readonly credential: { readonly owner: CredentialOwner; secrets?(used: HeaderPairs): SecretVariants | undefined } | undefined;
  readonly forwarded: HeaderPairs | undefined;
}

const isOfCredential = (_: string, at: number, pairs: HeaderPairs): boolean => isCredentialHeader(pairs[at - (at % 2)] ?? '');

const isPlaceholderWord = (text: string): boolean => text.length <= longestWord && placeholderWord.test(text);

function addVariants(secret: string, into: Set<string>): void {
  if (secret.length < leastLength) return;
  for (const variant of variantsOf(secret)) into.add(variant);
}

const asterisk = 0x2a;
const none: Buffer = Buffer.alloc(0);

/** Line feed, carriage return, blank, quote, closing bracket and closing brace. */
const isClosing = (byte: number): boolean =>
  byte === 0x0a || byte === 0x7d || byte === 0x0d || byte === 0x20 || byte === 0x22 || byte === 0x5d;

/** Called for each secret that was found. */
export interface EchoListener {
  onEcho(): void;
}

/**
 * Overwrites secrets in a stream of bytes with asterisks, so that lengths do not change. If a chunk may end within a
 * secret, the bytes from there on are held back until the next chunk. Chunks are modified only where a secret was
 * found.
 */
export class SecretRedactor {
  readonly #variants: SecretVariants;
  readonly #listener: EchoListener;
  #pending: Buffer = none;

  constructor(forms: SecretVariants, listener: EchoListener) {
    this.#variants = forms;
    this.#listener = listener;
  }

  /** Returns the bytes that may be sent now, possibly none. */
  push(chunk: Buffer): Buffer {
    const bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    this.#overwrite(bytes);
    const open = this.#partialSecretLength(bytes);
    this.#pending = open === 0 ? none : bytes.subarray(bytes.length - open);
    return open === 0 ? bytes : bytes.subarray(0, bytes.length - open);
  }

  /** Returns the rest after the last chunk. A prefix of more than half of a secret is masked like a whole one. */
  end(): Buffer {
    const rest = this.#pending;
    this.#pending = none;
    if (rest.length > 0 && this.#variants.bytes.some((secret) => rest.length * 2 > secret.length && isPrefixAt(secret, rest, 0))) {
      rest.fill(asterisk);
      this.#listener.onEcho();
    }
    return rest;
  }

  /** Masks a complete body, in place. */
  whole(bytes: Buffer): Buffer {
    this.#overwrite(bytes);
    return bytes;
  }

  /**
   * Masks in place and holds nothing back, for bytes that other code also uses. If a secret is split between two
   * chunks, only its second part is masked.
   */
  overwriteChunk(chunk: Buffer): void {
    const before = this.#pending;
    const joined = before.length === 0 ? chunk : Buffer.concat([before, chunk]);
    this.#overwrite(joined);
    if (joined !== chunk) joined.copy(chunk, 0, before.length);
    const open = this.#partialSecretLength(joined);
    this.#pending = open === 0 ? none : Buffer.from(joined.subarray(joined.length - open));
  }

  text(value: string): string {
    if (value.length < this.#variants.shortest) return value;
    let out = value;
    for (const secret of this.#variants.texts) {
      if (!out.includes(secret)) continue;
      out = out.replaceAll(secret, '*'.repeat(secret.length));
      this.#listener.onEcho();
    }
    return out;
  }

  /** Returns whether a header name contains a secret, ignoring case. */
  isInName(name: string): boolean {
    if (name.length < this.#variants.shortest) return false;
    const lower = name.toLowerCase();
    const found = this.#variants.texts.some((secret) => lower.includes(secret.toLowerCase()));
    if (found) this.#listener.onEcho();
    return found;
  }

  /** Masks headers by name; returns the same object if nothing was found. */
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

  #overwrite(bytes: Buffer): void {
    const secrets = this.#variants.bytes;
    const tables = shiftsOf(this.#variants);
    for (let k = 0; k < secrets.length; k += 1) {
      const secret = secrets[k] as Buffer;
      const shifts = tables?.[k];
      for (let at = find(bytes, secret, shifts, 0); at >= 0; at = find(bytes, secret, shifts, at + secret.length)) {
        bytes.fill(asterisk, at, at + secret.length);
        this.#listener.onEcho();
      }
    }
  }

  /** Number of bytes at the end that may be the start of a secret. */
  #partialSecretLength(bytes: Buffer): number {
    const end = bytes.length;
    const last = bytes[end - 1];
    if (last === undefined || (this.#variants.hasNoClosingByte && isClosing(last))) return 0;
    let open = 0;
    for (const secret of this.#variants.bytes) {
      for (let at = Math.max(0, end - secret.length + 1); end - at > open; at += 1) {
        if (bytes[at] === secret[0] && isPrefixAt(secret, bytes, at)) open = end - at;
      }
    }
    return open;
  }
}

/** Number of searches after which building a table pays off. */
const fewUses = 8;

function shiftsOf(forms: SecretVariants): SecretVariants['shifts'] {
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
 * Horspool's search: a key of 50 characters is compared at about every fiftieth byte. `Buffer.indexOf` reads each byte,
 * and its call alone costs more than this whole search in a stream event.
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

/** True if the bytes from `at` to the end are a prefix of the secret. */
function isPrefixAt(secret: Buffer, bytes: Buffer, at: number): boolean {
  for (let i = at; i < bytes.length; i += 1) if (bytes[i] !== secret[i - at]) return false;
  return true;
}
