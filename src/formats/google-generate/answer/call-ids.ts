import { madeCallId } from '../../../core/model/call-id.ts';

/** Assigns ids to the tool calls of one response. The service's own ids are kept if they are present and unique. */
export class CallIds {
  readonly #request: string;
  readonly #given = new Set<string>();

  constructor(requestId: string) {
    this.#request = requestId;
  }

  next(own: string | undefined, choice: number, index: number): string {
    const id = own !== undefined && !this.#given.has(own) ? own : madeCallId(this.#request, choice, index);
    this.#given.add(id);
    return id;
  }
}
