import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** Clients that send requests on one keep-alive connection each, until they are stopped. */
export class KeepAliveLoad {
  /** Complete, correct responses. */
  served = 0;
  /** Responses on a reused connection. */
  reused = 0;
  readonly failures: string[] = [];
  readonly #url: string;
  readonly #clients: readonly Promise<void>[];
  #stopped = false;

  constructor(url: string, clients: number) {
    this.#url = url;
    this.#clients = Array.from({ length: clients }, (_, index) => this.#client(index));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  async #client(index: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let turn = index; !this.#stopped; turn += 1) {
      try {
        await this.#ask(agent, turn);
        this.served += 1;
      } catch (error) {
        this.failures.push(String(error));
      }
      await pause((turn * 7) % 60);
    }
    agent.destroy();
  }

  /** A third of them stream; another third send their body in two parts with a pause. */
  async #ask(agent: Agent, turn: number): Promise<void> {
    const isStream = turn % 3 === 0;
    const body = JSON.stringify({ model: 'm', stream: isStream, messages: [{ role: 'user', content: 'hello' }] });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(`${this.#url}/v1/chat/completions`, {
        agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'x-gateway-provider': '@a' },
      });
      sent.on('response', resolve).on('error', (error) => reject(new Error(`${sent.reusedSocket ? 'reused' : 'new'}: ${error.message}`)));
      if (sent.reusedSocket) this.reused += 1;
      if (turn % 3 === 1) {
        sent.write(body.slice(0, 20));
        setTimeout(() => sent.end(body.slice(20)), 40);
      } else sent.end(body);
    });
    const answer = await text(response);
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${answer}`);
    if (!(isStream ? answer.endsWith('data: [DONE]\n\n') : answer.endsWith('}'))) throw new Error(`cut: ${answer}`);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
