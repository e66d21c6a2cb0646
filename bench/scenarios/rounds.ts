import type { Measurement, Scenario } from '../report/summary.ts';
import type { RunningProcess } from '../processes.ts';
import { type Load, pacing } from '../result.ts';
import { key, model, type BenchEnvironment, type System } from '../systems/system.ts';
import type { Tools } from '../tools.ts';
import { writeConversation } from './conversation.ts';
import { loads } from './loads.ts';
import { costOf, runLoad } from './measure.ts';

export interface RoundOptions {
  readonly tools: Tools;
  readonly place: BenchEnvironment;
  readonly rounds: number;
  readonly durationMs: number;
}

interface Candidate {
  /** The system's name, followed by the provider's if there are several. */
  readonly name: string;
  readonly running: RunningProcess;
  readonly load: Pick<Load, 'url' | 'key' | 'model' | 'headers'>;
}

const warmUpRequests = 15_000;
/** For requests of another size than those of the first warm-up. */
const largeRequests = 1500;

/** Runs each load on its systems, which alternate within a round. */
export async function runLoads(
  scenarios: readonly Scenario[],
  systems: readonly System[],
  { tools, place, rounds, durationMs }: RoundOptions,
): Promise<Measurement[]> {
  await using open = new AsyncDisposableStack();
  const started = await startAll(systems, place, open);
  const warm = new Set<string>();
  const all: Measurement[] = [];
  for (const scenario of scenarios) {
    const candidates = started.filter(({ name }) => scenario.systems.includes(name.split(' ')[0] ?? '')).flatMap(byProvider(scenario));
    for (const candidate of candidates) {
      if (warm.has(candidate.name)) continue;
      warm.add(candidate.name);
      await warmUp(tools, candidate);
      await warmUpStreams(tools, candidate);
    }
    const body = scenario.bytes === undefined ? {} : { bodyFile: writeConversation(place.folder, model, scenario.bytes) };
    if (scenario.bytes !== undefined) for (const candidate of candidates) await warmUp(tools, candidate, body, largeRequests);
    for (let round = 0; round < rounds; round++) {
      for (const { name, running, load } of turned(candidates, round)) {
        const { stream, conns, rate } = scenario;
        const asked = { ...load, ...body, durationMs, stream, conns, ...(rate === undefined ? {} : { rate }) };
        const { result, cpu, peak } = await costOf(tools, running, asked);
        const micros = 1000 * Math.max(1, scenario.unit === 'event' ? (result.events ?? 0) : result.ok);
        const each = { main: cpu.main / micros, other: cpu.other / micros };
        all.push({ scenario: scenario.name, system: name, round, result, cpu: each, peak });
        process.stderr.write('.');
      }
    }
  }
  process.stderr.write('\n');
  return all;
}

async function startAll(systems: readonly System[], place: BenchEnvironment, open: AsyncDisposableStack): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const system of systems) {
    try {
      const running = open.use(await system.start(place));
      const headers = system.headers?.(place);
      const load = { url: urlOf(running), key, model: system.model, ...(headers === undefined ? {} : { headers }) };
      found.push({ name: system.name, running, load });
    } catch (error) {
      console.error(`SKIPPED ${system.name}: ${(error as Error).message}`);
    }
  }
  return found;
}

export const urlOf = ({ port }: RunningProcess): string => `http://127.0.0.1:${port}/v1/chat/completions`;

/** Returns the same process once per provider, the first time with the provider whose responses it passes through. */
const byProvider =
  ({ providers = [] }: Scenario) =>
  (candidate: Candidate): Candidate[] => [
    candidate,
    ...providers.map((slug) => ({
      ...candidate,
      name: `${candidate.name} → ${slug}`,
      load: { ...candidate.load, model: modelOf(slug) },
    })),
  ];

export const modelOf = (slug: string): string => `@${slug}/mock-1`;

/** Each round begins with another system, so that the order varies. */
const turned = (list: readonly Candidate[], by: number): Candidate[] => [
  ...list.slice(by % list.length),
  ...list.slice(0, by % list.length),
];

type Body = Pick<Load, 'bodyFile'>;

/** Warms up a process: the first thousand requests of a JavaScript process cost several times as much as later ones. */
async function warmUp(tools: Tools, { load }: Candidate, body: Body = {}, requests = warmUpRequests): Promise<void> {
  await runLoad(tools, { ...load, ...body, stream: false, conns: 32, requests, durationMs: 8000 });
  process.stderr.write('w');
}

async function warmUpStreams(tools: Tools, { name, load }: Candidate): Promise<void> {
  const streams = loads.some(({ stream, systems }) => stream && systems.includes(name.split(' ')[0] ?? ''));
  if (!streams) return;
  await runLoad(tools, { ...load, stream: true, conns: 64, requests: Math.ceil(warmUpRequests / pacing.chunks), durationMs: 8000 });
}
