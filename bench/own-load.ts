import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { usageOf } from './proc.ts';
import type { Load, LoadResult } from './result.ts';

/** A small load client for machines without the Go tools: `node bench/own-load.ts '{"url": …}'`; prints a `LoadResult`. */
const load = JSON.parse(process.argv[2] ?? '{}') as Load;
const content = 'lorem ipsum dolor sit amet '.repeat(30).slice(0, 800);
const body = Buffer.from(JSON.stringify({ model: load.model, stream: load.stream, messages: [{ role: 'user', content }] }));
const agent = new Agent({ keepAlive: true, maxSockets: load.conns });
const headers = { 'content-type': 'application/json', 'content-length': body.length, authorization: `Bearer ${load.key}` };

interface Answer {
  readonly first: number;
  readonly end: number;
  readonly events: number;
  readonly fault: 'error' | 'incomplete' | undefined;
  readonly words: string;
}

const ask = (from: number): Promise<Answer> =>
  new Promise((resolve) => {
    let text = '';
    let first = 0;
    const done = (fault: Answer['fault'], words: string): void =>
      resolve({ first, end: performance.now() - from, events: text.split('\n\n').length - 1, fault, words });
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
    call.on('error', (error) => done('error', error.message));
    call.end(body);
  });

const answers: Answer[] = [];
const started = performance.now();
const end = started + load.durationMs;
const most = load.requests ?? Number.POSITIVE_INFINITY;
const before = load.pid === undefined ? undefined : usageOf(load.pid);
let sent = 0;

async function closedLoop(): Promise<void> {
  while (performance.now() < end && sent < most) {
    sent += 1;
    answers.push(await ask(performance.now()));
  }
}

/** Times count from the planned moment, so that a stalled system can't hide its queue. */
async function openLoop(rate: number): Promise<void> {
  const open: Promise<unknown>[] = [];
  for (; performance.now() < end && sent < most; sent += 1) {
    const due = started + (sent * 1000) / rate;
    if (due > performance.now()) await pause(due - performance.now());
    open.push(ask(due).then((answer) => answers.push(answer)));
  }
  await Promise.all(open);
}

if (load.rate === undefined) await Promise.all(Array.from({ length: load.conns }, closedLoop));
else await openLoop(load.rate);

const seconds = (performance.now() - started) / 1000;
const after = load.pid === undefined ? undefined : usageOf(load.pid);
const good = answers.filter((answer) => answer.fault === undefined);
const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
const micros = (after?.cpuSeconds ?? 0) * 1e6 - (before?.cpuSeconds ?? 0) * 1e6;
const events = good.reduce((sum, answer) => sum + answer.events, 0);
const bad = answers.find((answer) => answer.fault !== undefined);

const result: LoadResult = {
  ok: good.length,
  errors: answers.filter((answer) => answer.fault === 'error').length,
  incomplete: answers.filter((answer) => answer.fault === 'incomplete').length,
  rps: good.length / seconds,
  ...(bad === undefined ? {} : { first_error: bad.words }),
  latency_ms: {
    p50: quantile(
      good.map((answer) => answer.end),
      0.5,
    ),
    p99: quantile(
      good.map((answer) => answer.end),
      0.99,
    ),
  },
  ttft_ms: {
    p50: quantile(
      good.map((answer) => answer.first),
      0.5,
    ),
  },
  ...(after === undefined
    ? {}
    : {
        cpu_us_per_request: micros / Math.max(1, good.length),
        ...(load.stream ? { cpu_us_per_event: micros / Math.max(1, events) } : {}),
        rss_mb: after.rssMb,
        peak_rss_mb: after.rssMb,
      }),
};
console.log(JSON.stringify(result));
agent.destroy();
