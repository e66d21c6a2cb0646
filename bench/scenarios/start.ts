import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../processes.ts';
import { spread } from '../report/summary.ts';
import { gatewayCommand } from '../systems/gateway.ts';
import { key, model } from '../systems/system.ts';
import type { Probe, ProbeOptions } from './probe.ts';

export const starting: Probe = {
  name: 'start',
  about: 'from the start of the process to the complete response of a first request',
  async run(options) {
    const first = await timeOf(options, join(options.place.folder, 'compiled-first'));
    const again: number[] = [];
    const folder = join(options.place.folder, 'compiled');
    await timeOf(options, folder);
    for (let n = 0; n < options.rounds * 2; n++) again.push(await timeOf(options, folder));
    const [cold, warm] = [spread([first]), spread(again)];
    return cold === undefined || warm === undefined
      ? []
      : [
          { what: 'first start after an installation', unit: 'ms', value: cold },
          { what: 'every later start', unit: 'ms', value: warm },
        ];
  },
};

/** @param compiled the folder of Node's compile cache */
async function timeOf({ place, sources }: ProbeOptions, compiled: string): Promise<number> {
  const port = await freePort();
  const { command, env } = gatewayCommand(place, 'start', port, { sources });
  const [file = '', ...args] = command;
  const from = performance.now();
  const child = spawn(file, args, { stdio: 'ignore', env: { ...process.env, ...env, NODE_COMPILE_CACHE: compiled } });
  const ended = once(child, 'exit');
  while (!(await responds(port))) {
    if (performance.now() - from > 20_000) throw new Error('no response within 20 s of the start');
    await pause(3);
  }
  const time = performance.now() - from;
  // Node writes its compile cache when the process exits normally.
  child.kill('SIGTERM');
  await ended;
  return time;
}

const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] });

const responds = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const call = request({ port, host: '127.0.0.1', method: 'POST', path: '/v1/chat/completions', headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200));
    });
    call.on('error', () => resolve(false));
    call.end(body);
  });
