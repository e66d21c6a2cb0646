import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freePort, output, type Running, start } from './processes.ts';
import { type Measurement, type Scenario, summarize, table } from './report.ts';
import { type LoadResult, pacing } from './result.ts';
import { key, model, type System, systems } from './systems.ts';
import { findTools, ownTools, type Tools } from './tools.ts';

/**
 * `npm run bench -- [--quick] [--rounds N] [--only SYSTEM,…] [--scenarios NAME,…] [--own-tools]`: what a request costs in
 * the gateway, beside nginx and a plain http-proxy-3 relay, and what converting costs beside passing through. CPU time of
 * the process is the first figure, since it holds on a busy machine; the systems take turns within each round, and ratios
 * and differences are taken within a round.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    rounds: { type: 'string' },
    only: { type: 'string' },
    scenarios: { type: 'string' },
    'own-tools': { type: 'boolean' },
  },
});
const quick = values.quick === true;
const rounds = Number(values.rounds ?? (quick ? 1 : 3));
const only = values.only?.split(',');
const durationMs = quick ? 1500 : 4000;
const warmUpRequests = 15_000;

const known: readonly Scenario[] = [
  {
    name: 'json',
    about: '1 KB JSON, 32 connections, as fast as it goes; CPU per request',
    stream: false,
    conns: 32,
    cost: 'cpu_us_per_request',
  },
  {
    name: 'json-1000',
    about: '1 KB JSON at 1000 requests a second; CPU per request',
    stream: false,
    conns: 32,
    rate: 1000,
    cost: 'cpu_us_per_request',
  },
  {
    name: 'stream',
    about: `64 streams at a time, ${pacing.chunks} chunks each, ${pacing.delayMs} ms apart; CPU per event`,
    stream: true,
    conns: 64,
    cost: 'cpu_us_per_event',
  },
  {
    name: 'convert-json',
    about: 'the same as json, with answers of other providers converted; CPU per request',
    stream: false,
    conns: 32,
    cost: 'cpu_us_per_request',
    converts: true,
  },
  {
    name: 'convert-stream',
    about: 'the same as stream, with answers of other providers converted; CPU per event that the client gets',
    stream: true,
    conns: 64,
    cost: 'cpu_us_per_event',
    converts: true,
  },
];
const scenarios = known.filter(({ name }) => values.scenarios === undefined || values.scenarios.split(',').includes(name));

/** Providers of the gateway whose format is not the client's. */
const converted = ['gemini', 'anthropic'] as const;

interface Candidate {
  /** The system's name; with the provider's where answers are converted. */
  readonly name: string;
  readonly system: System;
  readonly running: Running;
  readonly model: string;
}

const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
async function main(): Promise<number> {
  const tools = values['own-tools'] === true ? ownTools : await findTools(folder);
  const port = await freePort();
  await using upstream = await start(tools.upstream(port), port);
  await using open = new AsyncDisposableStack();
  const passing = await startAll(upstream.port, open);
  const converting = passing.filter(({ name }) => name === 'nginx' || name === 'gateway').flatMap(withConversions);
  const warm = new Set<Candidate>();
  const all: Measurement[] = [];
  // Passing through is measured before a process has ever converted: it is then what a process is that never does.
  for (const scenario of scenarios) {
    const candidates = scenario.converts === true ? converting : passing;
    for (const candidate of candidates.filter((each) => !warm.has(each))) {
      await warmUp(tools, candidate);
      warm.add(candidate);
    }
    for (let round = 0; round < rounds; round++) {
      for (const candidate of turned(candidates, round)) {
        const result = await measure(tools, scenario, candidate);
        all.push({ scenario: scenario.name, system: candidate.name, round, result });
        process.stderr.write('.');
      }
    }
  }
  process.stderr.write('\n');
  return report(all, tools);
}

async function startAll(upstream: number, open: AsyncDisposableStack): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const system of systems.filter((entry) => only === undefined || only.includes(entry.name))) {
    try {
      found.push({ name: system.name, system, running: open.use(await system.start(upstream, folder)), model });
    } catch (error) {
      console.error(`SKIPPED ${system.name}: ${(error as Error).message}`);
    }
  }
  return found;
}

/** The same process once for each provider: conversions are compared with what it passes through. */
const withConversions = (candidate: Candidate): Candidate[] =>
  candidate.name === 'gateway'
    ? [candidate, ...converted.map((slug) => ({ ...candidate, name: `gateway → ${slug}`, model: `@${slug}/mock-1` }))]
    : [candidate];

/** Each round begins with another system, so that none always runs after the same one. */
const turned = (list: readonly Candidate[], by: number): Candidate[] => [
  ...list.slice(by % list.length),
  ...list.slice(0, by % list.length),
];

function urlOf(running: Running): string {
  return `http://127.0.0.1:${running.port}/v1/chat/completions`;
}

/** The first thousand requests of a JavaScript process cost several times as much as the later ones. */
async function warmUp(tools: Tools, { running, model: asked }: Candidate): Promise<void> {
  const load = { url: urlOf(running), key, model: asked, durationMs: 60_000 };
  await run(tools.load({ ...load, stream: false, conns: 32, requests: warmUpRequests }));
  await run(tools.load({ ...load, stream: true, conns: 64, requests: Math.ceil(warmUpRequests / pacing.chunks) }));
  process.stderr.write('w');
}

async function measure(tools: Tools, scenario: Scenario, { system, running, model: asked }: Candidate): Promise<LoadResult> {
  return run(
    tools.load({
      url: urlOf(running),
      key,
      model: asked,
      durationMs,
      stream: scenario.stream,
      conns: scenario.conns,
      ...(scenario.rate === undefined ? {} : { rate: scenario.rate }),
      ...(system.name === 'direct' ? {} : { pid: running.pid }),
    }),
  );
}

/** A load tool's last line is its result. */
async function run(command: readonly string[]): Promise<LoadResult> {
  const lines = (await output(command)).trim().split('\n');
  return JSON.parse(lines.at(-1) ?? '{}') as LoadResult;
}

function report(all: readonly Measurement[], tools: Tools): number {
  const summary = scenarios.map((scenario) => ({ scenario, rows: summarize(scenario, all) }));
  for (const { scenario, rows } of summary) console.log(`\n${table(scenario, rows)}`);
  const results = join(dirname(fileURLToPath(import.meta.url)), 'results');
  mkdirSync(results, { recursive: true });
  const at = new Date().toISOString();
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, tools: tools.name };
  const file = join(results, `${at.replaceAll(/[:.]/g, '-')}.json`);
  writeFileSync(file, `${JSON.stringify({ at, machine, quick, rounds, durationMs, summary, measurements: all }, null, 2)}\n`);
  console.log(`${rounds} rounds of ${durationMs} ms each, ${tools.name} tools, written to bench/results/`);
  const failed = all.filter(({ result }) => result.errors + result.incomplete > 0);
  for (const { scenario, system, result } of failed)
    console.error(`FAILED answers in ${scenario} through ${system}: ${result.first_error ?? 'cut short'}`);
  return failed.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
