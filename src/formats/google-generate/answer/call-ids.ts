import { madeCallId } from '../../../core/model/call-id.ts';

/** Ids of the tool calls of one answer. The service's own are kept where it gives them and they differ. */
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
