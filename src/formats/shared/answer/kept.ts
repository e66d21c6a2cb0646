import { GatewayError } from '../../../core/error.ts';

/** Characters of one answer that its conversion may hold. */
const mostKept = 16 * 1024 * 1024;
/** Characters that stand for an entry of a list beside its text. */
const entrySize = 128;

/**
 * Counts what the conversion of one answer holds until later: calls, sources and blocks. Text passes, but these are
 * collected, and nothing else ends a stream that goes on with them.
 */
export class Kept {
  readonly #limit: number;
  #size = 0;

  /** @param limit in characters */
  constructor(limit = mostKept) {
    this.#limit = limit;
  }

  /**
   * One entry more.
   *
   * @param characters of its text
   * @throws GatewayError `upstream_invalid`
   */
  add(characters = 0): void {
    this.#size += entrySize + characters;
    if (this.#size <= this.#limit) return;
    throw new GatewayError('upstream_invalid', {
      message: "The provider's response has more choices, calls or sources than the gateway can convert.",
      source: 'provider',
    });
  }

  /** One entry more, by the length of its JSON. @throws GatewayError `upstream_invalid` */
  addJson(value: unknown): void {
    this.add(JSON.stringify(value).length);
  }
}
