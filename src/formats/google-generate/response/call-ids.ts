import { makeCallId } from '../../../core/model/call-id.ts';

/** Assigns ids to the tool calls of one response. The service's own ids are kept if they are present and unique. */
export class CallIds {
  readonly #request: string;
  readonly #usedIds = new Set<string>();

  constructor(requestId: string) {
    this.#request = requestId;
  }

  next(serviceId: string | undefined, choice: number, index: number): string {
    const id = serviceId !== undefined && !this.#usedIds.has(serviceId) ? serviceId : makeCallId(this.#request, choice, index);
    this.#usedIds.add(id);
    return id;
  }
}
