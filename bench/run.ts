import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, type as systemType } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeProfile } from './profile/write-profile.ts';
import { readOptions } from './options.ts';
import { freePort, output, startProcess } from './processes.ts';
import type { BenchRecord, Conditions, ScenarioResult } from './report/bench-record.ts';
import { saveResults } from './report/record.ts';
import { type Measurement, summarize } from './report/summary.ts';
import { findingsTable, loadTable } from './report/tables.ts';
import { loads } from './scenarios/loads.ts';
import { memory } from './scenarios/memory.ts';
import { openStreams } from './scenarios/open-streams.ts';
import { reload } from './scenarios/reload.ts';
import { runLoads } from './scenarios/rounds.ts';
import { starting } from './scenarios/start.ts';
import type { GatewayOptions } from './systems/gateway.ts';
import { gateways, systems, tlsFrontCommand } from './systems/index.ts';
import type { BenchEnvironment } from './systems/system.ts';
import { findTools, nodeTools, type Tools } from './tools.ts';

/**
 * Compares the cost of the gateway with nginx, a bare relay and another gateway. CPU time of the process is the primary metric,
 * since it is meaningful on a busy machine. The systems alternate within each round, and ratios and differences are computed
 * within a round.
 */
const options = readOptions(process.argv.slice(2));
const { rounds, durationMs, sources } = options;
const busy = loadavg()[0] ?? 0;
const isSelected = ({ name }: { readonly name: string }): boolean => options.scenarios === undefined || options.scenarios.includes(name);
const probes = [memory, starting, reload, openStreams];

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const results = join(root, 'bench/results');
const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));

async function main(): Promise<number> {
  const unknown = (options.scenarios ?? []).filter((requested) => ![...loads, ...probes].some(({ name }) => name === requested));
  if (unknown.length > 0)
    throw new Error(`there is no scenario ${unknown.join(', ')}: ${[...loads, ...probes].map(({ name }) => name).join(', ')}`);
  const tools = options.nodeTools ? nodeTools : await findTools(folder);
  if (!sources) await output([process.execPath, join(root, '.ci/build.mjs')]);
  const port = await freePort();
  await using upstream = await startProcess(tools.upstream(port), port);
  const tlsPort = await freePort();
  await using tlsFront = await startProcess(tlsFrontCommand(tlsPort, port), tlsPort);
  const environment = { upstream: upstream.port, tlsUpstream: tlsFront.port, folder };
  mkdirSync(results, { recursive: true });
  if (options.profile) {
    const picture = join(results, 'profile.html');
    const scenario = loads.find(isSelected);
    if (scenario === undefined) throw new Error('--profile needs a scenario with a load');
    const variant = gateways[options.only?.find((name) => name in gateways) ?? 'gateway'] as GatewayOptions;
    await writeProfile({ tools, place: environment, durationMs, file: picture, scenario, variant });
    console.log(`Open ${picture} in a browser.`);
    return 0;
  }
  const conditions = await conditionsOf(tools);
  const { measurements, entries } = await loadEntries(tools, environment, conditions);
  for (const probe of probes.filter(isSelected)) {
    const { name, about } = probe;
    try {
      entries[name] = { conditions, name, about, findings: await probe.run({ tools, place: environment, rounds, sources }) };
    } catch (error) {
      console.error(`\nSKIPPED ${name}: ${(error as Error).message}`);
    }
  }
  process.stderr.write('\n');
  return report(entries, measurements, conditions);
}

async function loadEntries(tools: Tools, environment: BenchEnvironment, conditions: Conditions) {
  const entries: Record<string, ScenarioResult> = {};
  const scenarios = loads.filter(isSelected);
  const taking = systems(sources).filter(
    ({ name }) => options.only?.includes(name) !== false && scenarios.some((scenario) => scenario.systems.includes(name)),
  );
  const measurements = await runLoads(scenarios, taking, { tools, place: environment, rounds, durationMs });
  for (const scenario of scenarios) entries[scenario.name] = { conditions, scenario, rows: summarize(scenario, measurements) };
  return { measurements, entries };
}

async function conditionsOf(tools: Tools): Promise<Conditions> {
  const commit = await output(['git', '-C', root, 'describe', '--always', '--dirty']).then(
    (text) => text.trim(),
    () => 'no repository',
  );
  return {
    at: new Date().toISOString(),
    commit,
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    kernel: `${systemType()} ${release()}`,
    busy,
    rounds,
    durationMs,
    tools: tools.name,
    sources,
  };
}

function report(entries: BenchRecord, measurements: readonly Measurement[], conditions: Conditions): number {
  for (const [name, entry] of Object.entries(entries)) {
    const text = 'rows' in entry ? loadTable(entry.scenario, entry.rows) : findingsTable(entry.findings);
    console.log(`\n${name}: ${'rows' in entry ? entry.scenario.about : entry.about}\n\n${text}`);
  }
  const file = join(results, `${conditions.at.replaceAll(/[:.]/g, '-')}.json`);
  writeFileSync(file, `${JSON.stringify({ conditions, entries, measurements }, null, 2)}\n`);
  if (options.record) saveResults(entries);
  console.log(`\n${rounds} rounds of ${durationMs} ms each, ${conditions.tools} tools, load average before ${busy.toFixed(1)}; ${file}`);
  const failed = measurements.filter(({ result }) => result.errors + result.incomplete > 0);
  for (const { scenario, system, result } of failed)
    console.error(`FAILED responses in ${scenario} through ${system}: ${result.first_error ?? 'cut short'}`);
  return failed.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
