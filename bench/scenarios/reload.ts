import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, startProcess } from '../processes.ts';
import { spread } from '../report/summary.ts';
import { gatewayCommand, gatewayConfig } from '../systems/gateway.ts';
import type { Probe, ProbeOptions } from './probe.ts';

const targets = 5000;

export const reload: Probe = {
  name: 'reload',
  about: `a reload of ${targets} targets after each of them has changed: the longest pause of the event loop`,
  async run(options) {
    const value = spread(await pauses(options));
    return value === undefined ? [] : [{ what: 'longest pause', unit: 'ms', value }];
  },
};

async function pauses({ place, sources, rounds }: ProbeOptions): Promise<number[]> {
  const port = await freePort();
  const { command, env, home } = gatewayCommand(place, 'reload', port, { sources, loadsAgent: true, config: configOf(0) });
  const log = join(home, 'log');
  await using running = await startProcess(command, port, env, { log, loadsAgent: true });
  const found: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    await pause(1500);
    await running.ask('watch');
    writeFileSync(join(home, 'gateway.yaml'), configOf(round));
    for (const end = Date.now() + 30_000; reloads(log) < round; await pause(50)) {
      if (Date.now() > end) throw new Error(`no reload within 30 s: ${readFileSync(log, 'utf8').slice(-500)}`);
    }
    // Includes work that follows a reload.
    await pause(500);
    found.push((await running.ask('longest')) as number);
    process.stderr.write('.');
  }
  return found;
}

const reloads = (log: string): number => readFileSync(log, 'utf8').split('"msg":"config reloaded"').length - 1;

function configOf(round: number): string {
  const lines = Array.from(
    { length: targets },
    (_, n) => `      - {provider: bench, weight: ${1 + n}, override_params: {model: "m-${round}-${n}"}}`,
  );
  return `${gatewayConfig()}configs:\n  many:\n    strategy: {mode: loadbalance}\n    targets:\n${lines.join('\n')}\n`;
}
