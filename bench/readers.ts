import { setTimeout as pause } from 'node:timers/promises';
import { lowerAllPriorities } from '../src/store/log/rpc/priority.ts';

/**
 * Readers that use the admin API at its limit: search, statistics, suggestions, status, an export in pages of 500, and three
 * readers of the live tail. `node bench/readers.ts '{"url": …, "token": …, "seconds": 10}'` prints the duration of each request in
 * milliseconds.
 */
export interface AdminApi {
  readonly url: string;
  readonly token: string;
}

type Ask = (round: number) => string;

/** Each of these is requested repeatedly by one reader. */
const requests: Readonly<Record<string, Ask>> = {
  search: (round) => `/api/requests?limit=100&q=${encodeURIComponent(rare[round % rare.length] ?? '')}`,
  stats: (round) => `/api/stats?step=3600&by=${['model', 'status', 'config', 'provider'][round % 4] ?? ''}`,
  suggest: (round) => `/api/suggest?text=${['model:g', 'config:s', 'meta.user:u4', 'st'][round % 4] ?? ''}`,
  status: () => '/api/status',
};
const rare = [
  'unicorn',
  'meta.user:u4211',
  '"refund my order"',
  'latency:>25s',
  'model:o3-mini status:>=500 meta.team:ops',
  'agent:nobody',
];
const tails = ['', 'status:>=400 model:gpt*', 'refund'];

/**
 * Pause between a response and the next request of a reader, in milliseconds: the API rejects more than 60 requests per second of
 * one user.
 */
const pauseMs = 80;

const { url, token, seconds } = JSON.parse(process.argv[2] ?? '{}') as AdminApi & { readonly seconds: number };
// The readers get the lowest priority, because the measurement is about the gateway, not about their own CPU time.
lowerAllPriorities(19);
const signal = AbortSignal.timeout(seconds * 1000);
const headers = { authorization: `Bearer ${token}` };
const times = new Map<string, number[]>();

async function requestText(name: string, path: string): Promise<string> {
  const begun = performance.now();
  const response = await fetch(url + path, { headers, signal });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path} is ${response.status}: ${text.slice(0, 200)}`);
  times.set(name, [...(times.get(name) ?? []), performance.now() - begun]);
  return text;
}

async function read(work: (round: number) => Promise<void>): Promise<void> {
  try {
    for (let round = 0; !signal.aborted; round += 1) {
      await work(round);
      await pause(pauseMs);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

let before = '';
async function exportPage(): Promise<void> {
  const page = await requestText('export', `/api/requests?limit=500${before === '' ? '' : `&before=${before}`}`);
  before = /"next":"(\d+)"/.exec(page.slice(-100))?.[1] ?? '';
}

async function follow(query: string): Promise<void> {
  const response = await fetch(`${url}/api/live?q=${encodeURIComponent(query)}`, { headers, signal });
  for await (const piece of response.body ?? []) void piece;
}

await Promise.all([
  ...Object.entries(requests).map(([name, path]) => read(async (round) => void (await requestText(name, path(round))))),
  read(exportPage),
  ...tails.map((query) => read(() => follow(query))),
]);
console.log(JSON.stringify([...times]));
