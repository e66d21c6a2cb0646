import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Load, LoadResult } from './result.ts';

/** A small load client for machines without the Go tools: `node bench/node-load.ts '{"url": …}'`; prints a `LoadResult`. */
const load = JSON.parse(process.argv[2] ?? '{}') as Load;
const content = 'lorem ipsum dolor sit amet '.repeat(30).slice(0, 800);
const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'iVBORw0K'.repeat((load.imageBytes ?? 0) / 8)}` } };
const messageContent = load.imageBytes === undefined ? content : [{ type: 'text', text: content }, image];
const body =
  load.bodyFile === undefined
    ? Buffer.from(JSON.stringify({ model: load.model, stream: load.stream, messages: [{ role: 'user', content: messageContent }] }))
    : readFileSync(load.bodyFile);
const agent = new Agent({ keepAlive: true, maxSockets: load.conns });
const headers = {
  'content-type': 'application/json',
  'content-length': body.length,
  authorization: `Bearer ${load.key}`,
  ...load.headers,
};

interface LoadResponse {
  readonly first: number;
  readonly end: number;
  readonly events: number;
  readonly fault: 'error' | 'incomplete' | undefined;
  readonly message: string;
}

const sendRequest = (from: number): Promise<LoadResponse> =>
  new Promise((resolve) => {
    let text = '';
    let first = 0;
    const done = (fault: LoadResponse['fault'], message: string): void =>
      resolve({ first, end: performance.now() - from, events: load.stream ? text.split('\n\n').length - 1 : 0, fault, message });
    const call = request(load.url, { method: 'POST', agent, headers, timeout: 15_000 }, (response) => {
      response.setEncoding('utf8').on('data', (chunk: string) => {
        first ||= performance.now() - from;
        text += chunk;
      });
      response.on('error', (error) => done('incomplete', error.message));
      response.on('end', () => {
        const isWhole = load.stream ? text.endsWith('data: [DONE]\n\n') : text.endsWith('}');
        if (response.statusCode !== 200) done('error', `status ${response.statusCode}: ${text.slice(0, 200)}`);
        else done(isWhole ? undefined : 'incomplete', text.slice(-100));
      });
    });
    call.on('timeout', () => call.destroy(new Error('no response within 15 s')));
    call.on('error', (error) => done('error', error.message));
    call.end(body);
  });

const responses: LoadResponse[] = [];
const started = performance.now();
const end = started + load.durationMs;
const maxRequests = load.requests ?? Number.POSITIVE_INFINITY;
let sent = 0;

async function closedLoop(): Promise<void> {
  while (performance.now() < end && sent < maxRequests) {
    sent += 1;
    responses.push(await sendRequest(performance.now()));
  }
}

/** Times count from the planned start of a request, so that the queue of a stalled system is included. */
async function openLoop(rate: number): Promise<void> {
  const open: Promise<unknown>[] = [];
  for (; performance.now() < end && sent < maxRequests; sent += 1) {
    const due = started + (sent * 1000) / rate;
    if (due > performance.now()) await pause(due - performance.now());
    open.push(sendRequest(due).then((response) => responses.push(response)));
  }
  await Promise.all(open);
}

if (load.rate === undefined) await Promise.all(Array.from({ length: load.conns }, closedLoop));
else await openLoop(load.rate);

const seconds = (performance.now() - started) / 1000;
const good = responses.filter((response) => response.fault === undefined);
const bad = responses.find((response) => response.fault !== undefined);

function quantiles(values: readonly number[]): { p50: number; p99: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

const result: LoadResult = {
  ok: good.length,
  errors: responses.filter((response) => response.fault === 'error').length,
  incomplete: responses.filter((response) => response.fault === 'incomplete').length,
  rps: good.length / seconds,
  events: good.reduce((sum, response) => sum + response.events, 0),
  ...(bad === undefined ? {} : { first_error: bad.message }),
  latency_ms: quantiles(good.map((response) => response.end)),
  ttft_ms: quantiles(good.map((response) => response.first)),
};
console.log(JSON.stringify(result));
agent.destroy();
