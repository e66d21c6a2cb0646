import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openSqliteStore } from '../src/store/log/sqlite/store.ts';
import { fillLog } from './log-records.ts';
import { freePort, output, type RunningProcess, startProcess } from './processes.ts';
import type { AdminApi } from './readers.ts';
import type { LoadResult } from './result.ts';
import { findTools, type Tools } from './tools.ts';

/**
 * Measures whether reading the request log disturbs traffic: rounds of a steady load, alternating without and with readers
 * (`bench/readers.ts`). Linux only. `node bench/reading.ts --records 100000 --rate 300 --seconds 10 --rounds 3`.
 */
const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    rate: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
  },
});
const here = dirname(fileURLToPath(import.meta.url));
const key = 'bench-key-that-opens-nothing-else';

interface Round {
  readonly p50: number;
  readonly p99: number;
  /** CPU microseconds per proxied request: of the event loop's thread, and of the whole process. */
  readonly main: number;
  readonly all: number;
}

/** Creates the store's file with records of six days. */
async function prefilled(folder: string): Promise<void> {
  mkdirSync(join(folder, 'state'), { recursive: true });
  const store = openSqliteStore(join(folder, 'state/log.sqlite'));
  const now = Date.now();
  await fillLog(store, { count: Number(values.records), from: now - 6 * 86_400_000, to: now });
  while (await store.index('all'));
  await store.close();
}

function configOf(upstream: number, folder: string): string {
  return `version: 1
server:
  state_dir: ${join(folder, 'state')}
  admin: {users: {bench: {role: operator, token: "\${env:BENCH_TOKEN}"}}}
providers:
  bench: {type: openai, custom_host: "http://127.0.0.1:${upstream}/v1", api_key: upstream-key}
api_keys:
  bench: {hash: "sha256:${createHash('sha256').update(key).digest('hex')}"}
plugins: [auth, virtual-key, routing, transform, fallback-retry, logging]
logging: {format: json, requests: {bodies: full}}
`;
}

async function startGateway(upstream: number, folder: string): Promise<{ gateway: RunningProcess; admin: AdminApi }> {
  const [port, adminPort, token] = [await freePort(), await freePort(), randomBytes(24).toString('hex')];
  const config = join(folder, 'gateway.yaml');
  writeFileSync(config, configOf(upstream, folder));
  const manifest = JSON.parse(readFileSync(join(here, '../package.json'), 'utf8')) as { config: { node: string } };
  const own = ['-c', config, '--listen', `127.0.0.1:${port}`, '--admin-listen', `127.0.0.1:${adminPort}`];
  const command = [process.execPath, ...manifest.config.node.split(' '), join(here, '../src/cli/bin.js'), 'start', ...own];
  const gateway = await startProcess(command, port, { BENCH_TOKEN: token, NODE_ENV: 'production' });
  return { gateway, admin: { url: `http://127.0.0.1:${adminPort}`, token } };
}

/** CPU time in nanoseconds: of the thread that runs the event loop, and of all threads. */
function cpuOf(pid: number): { readonly main: number; readonly all: number } {
  const of = (thread: string): number => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]);
    } catch {
      // The thread ended while the list was read.
      return 0;
    }
  };
  return { main: of(String(pid)), all: readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + of(thread), 0) };
}

async function roundOf(tools: Tools, { pid, port }: RunningProcess, seconds: number): Promise<Round> {
  const before = cpuOf(pid);
  const load = { url: `http://127.0.0.1:${port}/v1/chat/completions`, key, model: '@bench/mock-1', conns: 32, stream: false };
  const out = await output(tools.load({ ...load, durationMs: seconds * 1000, rate: Number(values.rate) }));
  const after = cpuOf(pid);
  const { ok, errors, first_error: error, latency_ms: latency } = JSON.parse(out.trim().split('\n').at(-1) ?? '') as LoadResult;
  if (errors > 0) console.error(`  ${errors} requests failed: ${error ?? ''}`);
  return { ...latency, main: (after.main - before.main) / 1000 / ok, all: (after.all - before.all) / 1000 / ok };
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
const line = (name: string, { p50, p99, main, all }: Round): void =>
  console.log(
    `${name.padEnd(20)} p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms  event loop ${main.toFixed(0)} µs/request  process ${all.toFixed(0)} µs/request`,
  );

function sum(rounds: readonly Round[]): Round {
  const of = (name: keyof Round): number => median(rounds.map((round) => round[name]));
  return { p50: of('p50'), p99: of('p99'), main: of('main'), all: of('all') };
}

const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
try {
  const tools = await findTools(folder);
  await prefilled(folder);
  const port = await freePort();
  await using upstream = await startProcess(tools.upstream(port), port);
  const { gateway, admin } = await startGateway(upstream.port, folder);
  await using _gateway = gateway;
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? '?'}, Node ${process.version}, ${tools.name} tools, ${values.records} records`);
  await roundOf(tools, gateway, 3);
  const [without, during]: [Round[], Round[]] = [[], []];
  const asked = new Map<string, number[]>();
  for (let round = 0; round < Number(values.rounds); round += 1) {
    without.push(await roundOf(tools, gateway, Number(values.seconds)));
    line('without readers', without.at(-1) as Round);
    const reading = output([process.execPath, join(here, 'readers.ts'), JSON.stringify({ ...admin, seconds: Number(values.seconds) + 1 })]);
    during.push(await roundOf(tools, gateway, Number(values.seconds)));
    for (const [name, times] of JSON.parse(await reading) as [string, number[]][]) asked.set(name, [...(asked.get(name) ?? []), ...times]);
    line('with readers', during.at(-1) as Round);
  }
  const [one, other] = [sum(without), sum(during)];
  line('median without', one);
  line('median with', other);
  console.log(
    `ratio: p50 ${(other.p50 / one.p50).toFixed(2)}, p99 ${(other.p99 / one.p99).toFixed(2)}, event loop ${(other.main / one.main).toFixed(2)}, process ${(other.all / one.all).toFixed(2)}`,
  );
  for (const [name, times] of asked) console.log(`  ${name.padEnd(10)} asked ${times.length} times, median ${median(times).toFixed(0)} ms`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
