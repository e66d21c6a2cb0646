import { writeFileSync } from 'node:fs';
import { gateway } from '../systems/gateway.ts';
import { key, model, type Place } from '../systems/system.ts';
import { runLoad } from '../scenarios/measure.ts';
import { urlOf } from '../scenarios/rounds.ts';
import type { Tools } from '../tools.ts';
import { flames } from './flames.ts';
import { type CpuProfile, treeOf } from './tree.ts';

export interface DrawOptions {
  readonly tools: Tools;
  readonly place: Place;
  readonly durationMs: number;
  readonly file: string;
}

/** Profiles the gateway's main thread with 1 KB JSON requests. Runs the sources, whose function names are readable. */
export async function drawProfile({ tools, place, durationMs, file }: DrawOptions): Promise<void> {
  await using running = await gateway('profile', { sources: true, answers: true }).start(place);
  const load = { url: urlOf(running), key, model, stream: false, conns: 32 };
  await runLoad(tools, { ...load, requests: 15_000, durationMs: 20_000 });
  await running.ask('profile');
  const { ok } = await runLoad(tools, { ...load, durationMs });
  const profile = (await running.ask('profiled')) as CpuProfile;
  writeFileSync(`${file.replace(/\.html$/, '')}.cpuprofile`, JSON.stringify(profile));
  writeFileSync(file, flames(treeOf(profile), ok));
}
