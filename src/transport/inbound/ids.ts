import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const hex = '0123456789abcdef';

/** Makes ids from a pool of random bytes: one call into the system serves some hundred requests. */
export class Ids {
  readonly #pool = Buffer.allocUnsafe(8192);
  #at = 8192;

  /** `req_`, ten characters of time and sixteen of chance: sorts by time (Crockford's base 32). */
  request(now: number): string {
    let time = '';
    for (let rest = now, i = 0; i < 10; i += 1, rest = Math.floor(rest / 32)) time = alphabet[rest % 32] + time;
    let chance = '';
    const from = this.#take(16);
    for (let i = 0; i < 16; i += 1) chance += alphabet[(this.#pool[from + i] ?? 0) & 31];
    return `req_${time}${chance}`;
  }

  /** 32 hex digits (W3C Trace Context, 3.2.2.3). */
  trace(): string {
    const from = this.#take(32);
    let id = '';
    for (let i = 0; i < 32; i += 1) id += hex[(this.#pool[from + i] ?? 0) & 15];
    return id;
  }

  #take(count: number): number {
    if (this.#at + count > this.#pool.length) {
      randomFillSync(this.#pool);
      this.#at = 0;
    }
    const from = this.#at;
    this.#at += count;
    return from;
  }
}
