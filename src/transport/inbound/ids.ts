import { randomFillSync } from 'node:crypto';

const alphabet = Buffer.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 'latin1');
const hex = Buffer.from('0123456789abcdef', 'latin1');

const prefix = 'req_';
const timeLength = 10;
const chanceLength = 16;
const traceLength = 32;

/**
 * Generates IDs from a pool of random bytes: one system call serves some hundred requests. Characters are written to a
 * buffer, because a string built character by character becomes a chain of as many pieces.
 */
export class Ids {
  readonly #pool = Buffer.allocUnsafe(8192);
  #at = 8192;
  readonly #request = Buffer.from(prefix.padEnd(prefix.length + timeLength + chanceLength, '0'), 'latin1');
  #time = Number.NaN;
  readonly #trace = Buffer.alloc(traceLength);

  /** `req_`, ten characters of time and sixteen random ones, in Crockford's base 32. Sorts by time. */
  request(now: number): string {
    const id = this.#request;
    if (now !== this.#time) {
      this.#time = now;
      for (let rest = now, i = prefix.length + timeLength - 1; i >= prefix.length; i -= 1, rest = Math.floor(rest / 32))
        id[i] = alphabet[rest % 32] as number;
    }
    this.#fillRandom(id, prefix.length + timeLength, alphabet);
    return id.toString('latin1');
  }

  /** 32 hex digits (W3C Trace Context, 3.2.2.3). */
  trace(): string {
    this.#fillRandom(this.#trace, 0, hex);
    return this.#trace.toString('latin1');
  }

  /** Fills the rest of `into` with random characters. @param characters the alphabet; its length is a power of two */
  #fillRandom(into: Buffer, start: number, characters: Buffer): void {
    const from = this.#takeRandom(into.length - start) - start;
    const mask = characters.length - 1;
    for (let i = start; i < into.length; i += 1) into[i] = characters[(this.#pool[from + i] as number) & mask] as number;
  }

  #takeRandom(count: number): number {
    if (this.#at + count > this.#pool.length) {
      randomFillSync(this.#pool);
      this.#at = 0;
    }
    const from = this.#at;
    this.#at += count;
    return from;
  }
}
