import { Agent, request } from '../../core/node-http.ts';

export interface LoadSettings {
  /** Including `/v1`. */
  readonly url: string;
  readonly model: string;
  readonly isStream: boolean;
  readonly concurrency: number;
  readonly durationMs: number;
}

/** Results of a load. */
export interface Measured {
  /** Milliseconds to the end of each response, or to the first bytes of a stream. */
  readonly latencies: number[];
  readonly failed: number;
  /** Reason of the first failure. */
  readonly fault: string | undefined;
  readonly seconds: number;
}

const requestTimeout = 15_000;

/** Sends requests over a fixed number of connections, each after the response of the last one. Ends early with the signal. */
export async function runLoad({ url, model, isStream, concurrency, durationMs }: LoadSettings, signal: AbortSignal): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const content = 'lorem ipsum dolor sit amet '.repeat(30);
  const body = Buffer.from(JSON.stringify({ model, stream: isStream, messages: [{ role: 'user', content }] }));
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const latencies: number[] = [];
  let failed = 0;
  let fault: string | undefined;

  const sendRequest = (): Promise<void> =>
    new Promise((resolve) => {
      const from = performance.now();
      let first = 0;
      let isSettled = false;
      // An error of the connection is an error of both the request and its response.
      const fail = (why: string): void => {
        if (isSettled) return;
        isSettled = true;
        if (!signal.aborted) {
          failed += 1;
          fault ??= why;
        }
        resolve();
      };
      const call = request(`${url}/chat/completions`, { method: 'POST', agent, headers, signal, timeout: requestTimeout }, (response) => {
        response.on('data', () => (first ||= performance.now() - from));
        response.on('error', (error) => fail(error.message));
        response.on('end', () => {
          if (response.statusCode !== 200) return fail(`status ${response.statusCode}`);
          isSettled = true;
          latencies.push(isStream ? first : performance.now() - from);
          return resolve();
        });
      });
      call.on('timeout', () => call.destroy(new Error('timeout')));
      call.on('error', (error) => fail(error.message));
      call.end(body);
    });

  const started = performance.now();
  const sendUntilEnd = async (): Promise<void> => {
    while (!signal.aborted && performance.now() - started < durationMs) await sendRequest();
  };
  await Promise.all(Array.from({ length: concurrency }, sendUntilEnd));
  agent.destroy();
  return { latencies, failed, fault, seconds: (performance.now() - started) / 1000 };
}
