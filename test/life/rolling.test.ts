import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProcess, type Running } from '../cli/process.ts';
import { echoModel } from '../reload/load.ts';
import { until } from '../support/gateway.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { type Backend, type Balancer, startBalancer } from './balancer.ts';
import { KeepAliveLoad } from './keep-alive-load.ts';

let dir: string;
let upstream: ScriptedUpstream;
let balancer: Balancer;
const processes: Running[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'rolling-'));
  upstream = await startUpstream(echoModel);
  balancer = await startBalancer();
});
afterEach(async () => {
  for (const { child, ended } of processes.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  await balancer.close();
  await upstream.close();
  await rm(dir, { recursive: true, force: true });
});

interface Instance {
  readonly process: Running;
  readonly backend: Backend;
}

async function start(name: string, drain: object): Promise<Instance> {
  const probe = join(dir, `${name}.sock`);
  const config = {
    version: 1,
    server: { listen: '127.0.0.1:0', probe_listen: `unix:${probe}`, state_dir: 'memory', drain },
    providers: { a: { type: 'openai', api_key: 'sk-key-of-provider-a-0123', custom_host: `${upstream.url}/v1` } },
  };
  await writeFile(join(dir, `${name}.yaml`), JSON.stringify(config));
  const process = startProcess(['start', '-c', `${name}.yaml`, '--log-format', 'json', '--no-watch'], dir);
  processes.push(process);
  const [, port] = await process.waitForOutput(/"url":"http:\/\/127\.0\.0\.1:(\d+)/);
  return { process, backend: balancer.add({ host: '127.0.0.1', port: Number(port), probe }) };
}

describe('rolling restarts under load', () => {
  it('lose no request of 30 keep-alive clients in five restarts', async () => {
    // The delay must exceed the time between two probes of the balancer, also on a busy machine.
    const drain = { delay: '2s', timeout: '200s' };
    const running = [await start('one', drain), await start('two', drain)];
    const load = new KeepAliveLoad(balancer.url, 30);
    const codes: (number | null)[] = [];
    for (let restart = 0; restart < 5; restart += 1) {
      const before = load.served;
      await until(() => load.served > before + 100, 'the load to flow');
      const [old] = running.splice(0, 1);
      if (old === undefined) throw new Error('no instance is running');
      old.process.child.kill('SIGTERM');
      codes.push((await old.process.ended).code);
      balancer.remove(old.backend);
      running.push(await start(`next-${restart}`, drain));
    }
    await load.stop();
    expect(load.failures).toEqual([]);
    expect(balancer.failures).toEqual([]);
    expect(codes).toEqual([0, 0, 0, 0, 0]);
    // The clients did reuse their connections.
    expect(load.reused).toBeGreaterThan(load.served / 2);
  });
});
