import { GatewayError } from '../../../core/error.ts';

/** Maximum number of characters that the conversion of one response may hold. */
const mostKept = 16 * 1024 * 1024;
/** Overhead that is counted per entry, in characters. */
const entrySize = 128;

/**
 * Counts what the conversion of one response holds until later: calls, sources and blocks. Text is passed on, but these are
 * collected, and no other limit ends a stream that keeps sending them.
 */
export class Kept {
  readonly #limit: number;
  #size = 0;

  /** @param limit in characters */
  constructor(limit = mostKept) {
    this.#limit = limit;
  }

  /**
   * Counts one entry.
   *
   * @param characters length of its text
   * @throws GatewayError `upstream_invalid` above the limit
   */
  add(characters = 0): void {
    this.#size += entrySize + characters;
    if (this.#size <= this.#limit) return;
    throw new GatewayError('upstream_invalid', {
      message: "The provider's response has more choices, calls or sources than the gateway can convert.",
      source: 'provider',
    });
  }

  /** Counts one entry by the length of its JSON. @throws GatewayError `upstream_invalid` above the limit */
  addJson(value: unknown): void {
    this.add(JSON.stringify(value).length);
  }
}
