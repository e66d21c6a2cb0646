import { GatewayError } from '../../../core/error.ts';

/**
 * The message that is being converted, and the part in it. A conversion throws errors for `messages[].content[]`; where it begins,
 * `locate` adds the indices to them.
 */
export class Position {
  readonly #isTranslated: boolean;
  #message = 0;
  #outerPart: number | undefined;
  #part: number | undefined;
  #innerPart: number | undefined;

  /** @param isTranslated true if the request was translated from another format: its messages are not those of the client */
  constructor(isTranslated = false) {
    this.#isTranslated = isTranslated;
  }

  /** @param outerPart the part of the message that is converted like a message of its own */
  toMessage(index: number, outerPart?: number): void {
    this.#message = index;
    this.#outerPart = outerPart;
    this.#part = undefined;
    this.#innerPart = undefined;
  }

  toPart(index: number): void {
    this.#part = index;
    this.#innerPart = undefined;
  }

  /** Moves to a part of the current part, such as a tool result, or of a message whose parts are not visited one by one. */
  toInnerPart(index: number): void {
    this.#innerPart = index;
  }

  /** Adds the indices to the parameter of an error. Any other error stays unchanged. */
  locate(thrown: unknown): unknown {
    if (this.#isTranslated || !(thrown instanceof GatewayError) || thrown.param?.startsWith('messages[]') !== true) return thrown;
    const { code, message, status, hint, param } = thrown;
    const parts = [this.#outerPart, this.#part, this.#innerPart]
      .flatMap((index) => (index === undefined ? [] : `.content[${index}]`))
      .join('');
    const located = param.replace('[]', `[${this.#message}]`).replace('.content[]', parts === '' ? '.content[]' : parts);
    return new GatewayError(code, { message, status, hint, param: located, cause: thrown });
  }
}
