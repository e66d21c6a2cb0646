import { GatewayError } from '../../../core/error.ts';

/** Maximum number of characters that the conversion of one response may retain. */
const maxRetained = 16 * 1024 * 1024;
/** Overhead that is counted per entry, in characters. */
const entryOverhead = 128;

/**
 * Limits the memory that the conversion of one response retains: calls, sources and blocks, and the text in formats that repeat it
 * at the end. No other limit ends a stream that keeps sending them.
 */
export class RetainedSize {
  readonly #limit: number;
  #size = 0;

  /** @param limit in characters */
  constructor(limit = maxRetained) {
    this.#limit = limit;
  }

  /**
   * Counts one entry.
   *
   * @param characters length of its text
   * @throws GatewayError `upstream_invalid` above the limit
   */
  add(characters = 0): void {
    this.grow(entryOverhead + characters);
  }

  /** Counts text that is added to an entry. @throws GatewayError `upstream_invalid` above the limit */
  grow(characters: number): void {
    this.#size += characters;
    if (this.#size <= this.#limit) return;
    throw new GatewayError('upstream_invalid', {
      message: "The provider's response is larger than the gateway can convert.",
      source: 'provider',
    });
  }

  /** Counts one entry by the length of its JSON. @throws GatewayError `upstream_invalid` above the limit */
  addJson(value: unknown): void {
    this.add(JSON.stringify(value).length);
  }
}
