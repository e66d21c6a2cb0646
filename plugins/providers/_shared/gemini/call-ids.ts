/**
 * Ids of the tool calls of one answer. The service's own are kept where it gives them and they differ; others are made
 * from the request's id, so that they differ over a whole conversation and show that they are ours (decisions D40).
 * OpenAI's own service takes 40 characters: a conversation may go on there.
 */
export class CallIds {
  readonly #request: string;
  readonly #given = new Set<string>();

  constructor(requestId: string) {
    this.#request = requestId.replace(/^req_/, '');
  }

  next(own: string | undefined, choice: number, index: number): string {
    const id = own !== undefined && !this.#given.has(own) ? own : `call_gw_${this.#request}_${choice}_${index}`;
    this.#given.add(id);
    return id;
  }
}
