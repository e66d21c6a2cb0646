import { writeFileSync } from 'node:fs';
import { gateway, type GatewayOptions } from '../systems/gateway.ts';
import { key, model, type BenchEnvironment } from '../systems/system.ts';
import { writeConversation } from '../scenarios/conversation.ts';
import { runLoad } from '../scenarios/measure.ts';
import { modelOf, urlOf } from '../scenarios/rounds.ts';
import type { Tools } from '../tools.ts';
import type { Scenario } from '../report/summary.ts';
import { flameGraph } from './flame-graph.ts';
import { type CpuProfile, callTreeOf } from './call-tree.ts';

export interface ProfileOptions {
  readonly tools: Tools;
  readonly place: BenchEnvironment;
  readonly durationMs: number;
  readonly file: string;
  readonly scenario: Scenario;
  readonly variant: GatewayOptions;
}

/** Profiles the gateway's main thread under one load. Runs the sources, whose function names are readable. */
export async function writeProfile({ tools, place, durationMs, file, scenario, variant }: ProfileOptions): Promise<void> {
  await using running = await gateway('profile', { ...variant, sources: true, loadsAgent: true }).start(place);
  const { stream, conns, bytes, providers } = scenario;
  const body = bytes === undefined ? {} : { bodyFile: writeConversation(place.folder, model, bytes) };
  const load = { url: urlOf(running), key, model: providers?.[0] === undefined ? model : modelOf(providers[0]), stream, conns, ...body };
  await runLoad(tools, { ...load, requests: 15_000, durationMs: 20_000 });
  await running.ask('profile');
  const { ok } = await runLoad(tools, { ...load, durationMs });
  const profile = (await running.ask('profiled')) as CpuProfile;
  writeFileSync(`${file.replace(/\.html$/, '')}.cpuprofile`, JSON.stringify(profile));
  writeFileSync(file, flameGraph(callTreeOf(profile), ok));
}
