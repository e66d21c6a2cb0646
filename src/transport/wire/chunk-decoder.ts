import { malformed, WireFault } from './fault.ts';
import { headLimit, invalidNameCharacter, invalidValueCharacter } from './field-text.ts';

/** Maximum hexadecimal digits of a chunk size: more than any chunk needs, and few enough for an exact number. */
const sizeDigits = 12;
/** Maximum length of the chunk extensions after a size. They are ignored. */
const extensionLimit = 1024;

type State = 'size' | 'extension' | 'size-lf' | 'data' | 'data-cr' | 'data-lf' | 'trailer' | 'trailer-value' | 'last-lf' | 'over';

/**
 * Strict decoder of chunked bodies (RFC 9112 7.1). Moves the content of one read together in place and returns it as
 * one range, because a stream of events arrives as many small chunks.
 */
export class ChunkDecoder {
  #state: State = 'size';
  #digits = 0;
  /** Size of the current chunk while it is read, then its remaining bytes. */
  #remaining = 0;
  /** The chunk extensions or the name of the trailer field read so far. */
  #line = '';
  /** Size of all trailer lines, in bytes. */
  #trailer = 0;

  reset(): void {
    this.#state = 'size';
    this.#digits = 0;
    this.#remaining = 0;
    this.#line = '';
    this.#trailer = 0;
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  /** Where the last `read` stopped: after the body, or at the end of the bytes. */
  at = 0;
  /** Set if the last `read` stopped at an error. The content before it is valid. */
  fault: WireFault | undefined;

  /**
   * Moves the content of the chunks to `from`.
   *
   * @returns the end of the content; `at` and `fault` hold the rest of the result
   */
  read(bytes: Buffer, from: number): number {
    let end = from;
    let at = from;
    while (at < bytes.length && this.#state !== 'over') {
      if (this.#state !== 'data') {
        this.fault = this.#framingByte(bytes[at] as number);
        if (this.fault !== undefined) break;
        at += 1;
        continue;
      }
      const length = Math.min(this.#remaining, bytes.length - at);
      if (end !== at) bytes.copyWithin(end, at, at + length);
      end += length;
      at += length;
      this.#remaining -= length;
      if (this.#remaining === 0) this.#state = 'data-cr';
    }
    this.at = at;
    return end;
  }

  /** Processes one byte that is not content. */
  #framingByte(byte: number): WireFault | undefined {
    switch (this.#state) {
      case 'size':
        return this.#size(byte);
      case 'extension':
        return this.#inExtension(byte);
      case 'size-lf':
        this.#digits = 0;
        return this.#expect(byte, 0x0a, this.#remaining === 0 ? 'trailer' : 'data', noLineBreak);
      case 'data-cr':
        return this.#expect(byte, 0x0d, 'data-lf', tooLong);
      case 'data-lf':
        return this.#expect(byte, 0x0a, 'size', tooLong);
      case 'last-lf':
        return this.#expect(byte, 0x0a, 'trailer', noLineBreak) ?? this.#endOfLine();
      default:
        return this.#inTrailer(byte);
    }
  }

  #expect(byte: number, wanted: number, next: State, fault: string): WireFault | undefined {
    this.#state = next;
    return byte === wanted ? undefined : malformed(fault);
  }

  #size(byte: number): WireFault | undefined {
    const digit = hexadecimal(byte);
    if (digit >= 0) {
      this.#digits += 1;
      this.#remaining = this.#remaining * 16 + digit;
      return this.#digits > sizeDigits ? malformed('the size of a chunk is too long') : undefined;
    }
    if (this.#digits === 0) return malformed('a chunk has no size');
    if (byte === 0x0d) this.#state = 'size-lf';
    else if (byte === 0x3b) this.#state = 'extension';
    else return malformed('a chunk has an invalid size');
    return undefined;
  }

  #inExtension(byte: number): WireFault | undefined {
    if (byte !== 0x0d) {
      const character = String.fromCharCode(byte);
      this.#line += character;
      if (this.#line.length > extensionLimit) return malformed('the extensions of a chunk are too long');
      return invalidExtensionCharacter.test(character) ? malformed(invalidExtension) : undefined;
    }
    const isValid = extensions.test(this.#line);
    this.#line = '';
    this.#state = 'size-lf';
    return isValid ? undefined : malformed(invalidExtension);
  }

  /** Trailer fields are validated and discarded. An error is found at its first byte, as in `node:http`: a response may be waiting. */
  #inTrailer(byte: number): WireFault | undefined {
    if (byte === 0x0d) {
      const isValid = this.#line === '' || this.#state === 'trailer-value';
      this.#state = 'last-lf';
      return isValid ? undefined : malformed(invalidTrailer);
    }
    this.#trailer += 1;
    if (this.#trailer >= headLimit) return new WireFault('UPSTREAM_HEAD_TOO_LARGE', 'the trailer is too large');
    const character = String.fromCharCode(byte);
    if (this.#state === 'trailer-value') return invalidValueCharacter.test(character) ? malformed(invalidTrailer) : undefined;
    if (byte === 0x3a) {
      this.#state = 'trailer-value';
      return this.#line === '' || framing.test(this.#line) ? malformed(invalidTrailer) : undefined;
    }
    this.#line += character;
    return invalidNameCharacter.test(character) ? malformed(invalidTrailer) : undefined;
  }

  /** An empty line ends the body. */
  #endOfLine(): undefined {
    if (this.#line === '') this.#state = 'over';
    this.#line = '';
  }
}

const tooLong = 'a chunk is longer than its size';
const invalidExtension = 'a chunk has an invalid extension';
const invalidTrailer = 'the trailer has an invalid line';
const noLineBreak = 'a line of the chunked body does not end with CRLF';

/** Chunk extensions, with or without a value. Quoted values are rejected: no common sender uses them, and parsers read them differently. */
const extensions = /^[\w!#$%&'*+\-.^`|~]+(?:=[\w!#$%&'*+\-.^`|~]+)?(?:;[\w!#$%&'*+\-.^`|~]+(?:=[\w!#$%&'*+\-.^`|~]+)?)*$/;
const invalidExtensionCharacter = /[^\w!#$%&'*+\-.^`|~=;]/;
/** Framing headers must not be in a trailer (RFC 9110 6.5.1). */
const framing = /^(?:content-length|transfer-encoding|connection)$/i;

/** Returns the value of a hexadecimal digit, or -1. */
function hexadecimal(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
