import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { processTreeOf, memoryOf } from '../process-stats.ts';
import { freePort, type RunningProcess } from '../processes.ts';
import type { Finding } from '../report/tables.ts';
import { spread } from '../report/summary.ts';
import { gateway, gatewayConfig } from '../systems/gateway.ts';
import { nginx } from '../systems/nginx.ts';
import { key, model, type System } from '../systems/system.ts';
import type { Probe, ProbeOptions } from './probe.ts';
import { urlOf } from './rounds.ts';
import type { StreamsRequest, StreamsResult } from './stream-latency.ts';

const streams = 2000;
const events = 10;
/** The default limit would reject half of the streams. */
const maxInFlight = 4096;

export const openStreams: Probe = {
  name: 'open-streams',
  about: `${streams} streams open at once, an event a second each (server.max_in_flight: ${maxInFlight}): events that arrive more than 50 ms late, and memory`,
  async run(options) {
    const config = gatewayConfig().replace('server:\n', `server:\n  max_in_flight: ${maxInFlight}\n`);
    const [through, plain] = [
      await measure(gateway('streams', { sources: options.sources, config }), options),
      await measure(nginx, options),
    ];
    return [...findings('gateway', through), ...findings('nginx', plain)];
  },
};

interface StreamRound extends StreamsResult {
  /** KB (2^10 bytes). */
  readonly each: number;
}

function findings(name: string, rounds: readonly StreamRound[]): Finding[] {
  const rows: readonly [string, string, (seen: StreamRound) => number][] = [
    ['late events', `of ${rounds[0]?.events}`, (seen) => seen.late],
    ['streams that broke', '', (seen) => seen.failed],
    ['delay of an event at the median', 'ms', (seen) => seen.p50],
    ['longest delay', 'ms', (seen) => seen.max],
    ['memory per open stream', 'KB', (seen) => seen.each],
  ];
  return rows.flatMap(([what, unit, of]) => {
    const value = spread(rounds.map(of));
    return value === undefined ? [] : [{ what: `${name}: ${what}`, unit, value }];
  });
}

/** Each round uses a new process: one that has already had 2,000 streams needs no more memory for them. */
async function measure(system: System, { place, rounds }: ProbeOptions): Promise<StreamRound[]> {
  const upstream = await freePort();
  const here = dirname(fileURLToPath(import.meta.url));
  const clock = spawn(process.execPath, [join(here, 'stream-latency.ts'), String(upstream)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: clock.stdout });
  const found: StreamRound[] = [];
  try {
    for (let round = 0; round < Math.min(rounds, 2); round++) {
      await using running = await system.start({ ...place, upstream });
      found.push(
        await measureRound(running, async (asked) => {
          const seen = once(lines, 'line');
          clock.stdin.write(`${JSON.stringify({ url: urlOf(running), key, model, ...asked })}\n`);
          return JSON.parse(((await seen) as [string])[0]) as StreamsResult;
        }),
      );
      process.stderr.write('.');
    }
    return found;
  } finally {
    clock.kill();
  }
}

type RunStreams = (asked: Pick<StreamsRequest, 'streams' | 'events'>) => Promise<StreamsResult>;

/** Opens a few streams first, so that their code is loaded and compiled. Memory is read when all streams are open. */
async function measureRound({ pid }: RunningProcess, play: RunStreams): Promise<StreamRound> {
  await waitForChildExit(pid);
  await play({ streams: 50, events: 2 });
  const before = memoryOf(pid).rss;
  const playing = play({ streams, events });
  await pause((events - 1) * 1000);
  const each = ((memoryOf(pid).rss - before) * 1024) / streams;
  const seen = await playing;
  if (seen.why !== undefined) console.error(`\nA stream broke: ${seen.why}`);
  return { ...seen, each };
}

/** Waits for the process that reads the configuration at startup: it exits after 10 s, which frees its memory. */
async function waitForChildExit(pid: number): Promise<void> {
  for (const end = Date.now() + 20_000; processTreeOf(pid).length > 1 && Date.now() < end; ) await pause(500);
}
