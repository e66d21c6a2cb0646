import { chunks, completion, json, type Script } from '../support/upstream.ts';
import { pause } from './edits.ts';

/** The result of one request. */
export interface Served {
  readonly id: string | null;
  readonly isStream: boolean;
  /** The model in the response. */
  readonly model: string;
}

/** Responds with the requested model, with or without a delay, complete or streamed. */
export const echoModel: Script = async (response, request, count) => {
  const { model, stream } = JSON.parse(request.body.toString('utf8')) as { model: string; stream?: boolean };
  await pause(count % 7);
  if (stream !== true) {
    json(response, 200, completion(model, model));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks(model, ' and', ' more')) {
    response.write(chunk);
    await pause(count % 5);
  }
  response.end();
};

/** Clients that send requests without a pause until stopped; anything but a complete, correct response is a failure. */
export class Load {
  readonly served: Served[] = [];
  readonly failures: string[] = [];
  readonly #url: string;
  readonly #clients: readonly Promise<void>[];
  #stopped = false;

  constructor(url: string, clients: number) {
    this.#url = url;
    this.#clients = Array.from({ length: clients }, (_, i) => this.#client(i));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  async #client(index: number): Promise<void> {
    for (let turn = index; !this.#stopped; turn += 1) {
      try {
        this.served.push(await this.#ask(turn % 2 === 0));
      } catch (error) {
        this.failures.push(String(error));
      }
      await pause(turn % 4);
    }
  }

  async #ask(isStream: boolean): Promise<Served> {
    const response = await fetch(`${this.#url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gateway-config': 'support' },
      body: JSON.stringify({ model: 'as-the-config-says', stream: isStream, messages: [{ role: 'user', content: 'hi' }] }),
    });
    const id = response.headers.get('x-request-id');
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${id}: ${response.status} ${text}`);
    if (isStream && !text.endsWith('data: [DONE]\n\n')) throw new Error(`${id}: the stream was cut: ${text}`);
    const model = /"content":"(m-\d+)"/.exec(text)?.[1];
    if (model === undefined) throw new Error(`${id}: not the answer of a good config: ${text}`);
    return { id, isStream, model };
  }
}
