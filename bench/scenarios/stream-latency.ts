import { createServer, request, Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Upstream and clients of many slow streams in one process, so that the same clock measures both ends. `node
 * bench/scenarios/stream-latency.ts '{"port": …}'` listens. For each line `{"url", "key", "model", "streams", "events"}` on standard
 * input it prints a line with statistics of the events.
 */
export interface StreamsRequest {
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly streams: number;
  /** Number of events of each stream, one per second. */
  readonly events: number;
}

export interface StreamsResult {
  readonly events: number;
  readonly failed: number;
  /** Error of the first failed stream. */
  readonly why?: string;
  /** Events that arrived more than 50 ms after they were sent. */
  readonly late: number;
  /** Milliseconds from sending to arrival. */
  readonly p50: number;
  readonly max: number;
}

const everyMs = 1000;
/** Number of streams opened per second. */
const openings = 1000;
const event = (content: string): string =>
  `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]}\n\n`;
const last =
  'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

let planned = 1;
createServer({ keepAliveTimeout: 600_000 }, (incoming, response) => {
  incoming.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let left = planned;
  const send = (): void => {
    left -= 1;
    if (left >= 0) response.write(event(`@${performance.now()}@`));
    else {
      clearInterval(timer);
      response.end(last);
    }
  };
  const timer = setInterval(send, everyMs);
  response.on('close', () => clearInterval(timer));
  send();
}).listen(Number(process.argv[2]), '127.0.0.1');

async function runStreams({ url, key, model, streams, events }: StreamsRequest): Promise<StreamsResult> {
  planned = events;
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'hello' }] });
  const delays: number[] = [];
  let why: string | undefined;
  const one = (): Promise<boolean> =>
    new Promise((resolve) => {
      let end = '';
      const call = request(url, { method: 'POST', agent, headers }, (response) => {
        response.setEncoding('latin1').on('data', (text: string) => {
          const now = performance.now();
          for (const [, sent] of text.matchAll(/@([\d.]+)@/g)) delays.push(now - Number(sent));
          end = (end + text).slice(-400);
        });
        response.on('close', () => {
          const isWhole = end.endsWith('data: [DONE]\n\n');
          if (!isWhole) why ??= `${response.statusCode} ${end}`;
          resolve(isWhole);
        });
      });
      call.on('error', (error) => {
        why ??= error.message;
        resolve(false);
      });
      call.end(body);
    });
  const all: Promise<boolean>[] = [];
  for (let n = 0; n < streams; n++) {
    all.push(one());
    if (n % (openings / 50) === 0) await pause(20);
  }
  const whole = await Promise.all(all);
  agent.destroy();
  const sorted = delays.toSorted((a, b) => a - b);
  return {
    events: delays.length,
    failed: whole.filter((isWhole) => !isWhole).length,
    ...(why === undefined ? {} : { why }),
    late: delays.filter((delay) => delay > 50).length,
    p50: sorted[Math.floor(sorted.length / 2)] ?? 0,
    max: sorted.at(-1) ?? 0,
  };
}

process.stdin.setEncoding('utf8').on('data', (line: string) => {
  void runStreams(JSON.parse(line) as StreamsRequest).then((seen) => console.log(JSON.stringify(seen)));
});
