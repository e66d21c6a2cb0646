import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProcess, run, type Running } from '../cli/process.ts';
import { readProjectFile } from '../repo/tree.ts';
import { Volume } from '../reload/edits.ts';
import { json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { configsOf, containerOf } from './manifests.ts';

/** Runs the commands of the deployment files with the same flags and the files as they are mounted. */

let upstream: ScriptedUpstream;
let dir: string;
let running: Running | undefined;

const key = 'change-me-0123456789';
const containers: string[] = [];
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'deploy-run-'));
  containers.push(dir);
  upstream = await startUpstream((response, { headers }) =>
    json(response, 200, {
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: /^Bearer sk-(\w+)-/.exec(String(headers.authorization))?.[1] ?? 'none' },
          finish_reason: 'stop',
        },
      ],
    }),
  );
});
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  await upstream.close();
});
afterAll(() => containers.forEach((one) => rmSync(one, { recursive: true, force: true })));

/** Replaces paths and the provider of the deployment files by those of the test. */
const here = (yaml: string): string =>
  yaml
    .replaceAll('/run/secrets/gateway', `${dir}/keys`)
    .replaceAll('/run/secrets', `${dir}/keys`)
    .replaceAll('/var/lib/gateway', `${dir}/state`)
    .replaceAll('/etc/gateway', `${dir}/etc`)
    .replace('type: openai,', `type: openai, custom_host: "${upstream.url}/v1",`)
    .replace('type: openai\n', `type: openai\n    custom_host: ${upstream.url}/v1\n`);

/** Uses free ports; those of the files may be in use on this machine. */
async function start(args: readonly string[]): Promise<string> {
  const ports = ['--listen', '127.0.0.1:0', '--probe-listen', `unix:${dir}/probe.sock`];
  running = startProcess([...args.map(here), ...ports], dir);
  await running.waitForOutput(/"msg":"gateway started"/);
  return /"(http:\/\/127\.0\.0\.1:\d+\/v1)"/.exec(running.out())?.[1] ?? '';
}

async function sendChat(url: string, headers: Record<string, string>): Promise<unknown> {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: headers['authorization'] === undefined ? '@openai/m' : 'm', messages: [{ role: 'user', content: 'x' }] }),
  });
  const { choices } = (await response.json()) as { choices?: [{ message: { content: string } }] };
  return choices?.[0].message.content ?? response.status;
}

function probe(path: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request({ socketPath: join(dir, 'probe.sock'), path }, (response) => {
      void text(response).then((body) => resolve({ status: response.statusCode, body }));
    })
      .on('error', reject)
      .end();
  });
}

const ended = async (): Promise<number | null | undefined> => (await running?.ended)?.code;

describe('Kubernetes', () => {
  it.each([
    ['deploy/kubernetes/service.yaml', { authorization: `Bearer ${key}` }],
    ['deploy/kubernetes/sidecar.yaml', {}],
  ] as const)('%s: serves, reloads its ConfigMap and its Secret, and drains', async (file, headers) => {
    const manifest = readProjectFile(file);
    const [config = ''] = configsOf(manifest).map(here);
    // The delay is for load balancers; the test has none.
    const quick = config.replace('delay: 5s', 'delay: 0s');
    const etc = new Volume(join(dir, 'etc'));
    const keys = new Volume(join(dir, 'keys'));
    await etc.create({ 'gateway.yaml': quick });
    await keys.create({ 'openai-api-key': 'sk-first-0123456789' });
    const url = await start(containerOf(manifest).args);
    expect((await probe('/readyz')).status).toBe(200);
    expect((await probe('/healthz')).status).toBe(200);
    expect(await sendChat(url, headers)).toBe('first');
    await keys.swap({ 'openai-api-key': 'sk-second-0123456789' });
    await running?.waitForOutput(/"msg":"config reloaded"/);
    expect(await sendChat(url, headers)).toBe('second');
    await etc.swap({ 'gateway.yaml': quick.replace('providers:', 'providers:\n  added: {type: mock}') });
    await running?.waitForOutput(/\+providers\.added/);
    await etc.swap({ 'gateway.yaml': quick.replace('providers:', 'provider:') });
    await running?.waitForOutput(/config NOT reloaded|not reloaded/i);
    expect(await sendChat(url, headers)).toBe('second');
    expect((await probe('/readyz')).status).toBe(200);
    running?.child.kill('SIGTERM');
    expect(await ended()).toBe(0);
  });
});

describe('systemd', () => {
  const unit = readProjectFile('deploy/systemd/gateway.service');
  const commandOf = (setting: string): readonly string[] =>
    (new RegExp(`^${setting}=(.*)$`, 'm').exec(unit)?.[1] ?? '').replace('/opt/gateway/bin/gateway ', '').split(' ');

  it('starts, reloads on SIGHUP and stops', async () => {
    mkdirSync(join(dir, 'etc'));
    mkdirSync(join(dir, 'keys'));
    // LoadCredential puts the key into a folder of the service.
    writeFileSync(join(dir, 'keys/openai-api-key'), 'sk-unit-0123456789');
    const file = join(dir, 'etc/gateway.yaml');
    writeFileSync(file, here(readProjectFile('deploy/gateway.yaml')).replace('delay: 5s', 'delay: 0s'));
    const url = await start([...commandOf('ExecStart'), '--no-watch']);
    expect(await sendChat(url, { authorization: `Bearer ${key}` })).toBe('unit');
    writeFileSync(file, readFileSync(file, 'utf8').replace('providers:', 'providers:\n  added: {type: mock}'));
    expect(commandOf('ExecReload')).toEqual(['/bin/kill', '-HUP', '$MAINPID']);
    running?.child.kill('SIGHUP');
    await running?.waitForOutput(/\+providers\.added/);
    running?.child.kill('SIGTERM');
    expect(await ended()).toBe(0);
  });

  it('exits with a status of RestartPreventExitStatus for a wrong flag or an invalid configuration', async () => {
    // systemd ignores the exit status of ExecStartPre here (systemd issue 11868).
    expect(unit).not.toMatch(/^ExecStartPre=/m);
    const lasting = /^RestartPreventExitStatus=(.+)$/m.exec(unit)?.[1]?.split(' ').map(Number);
    mkdirSync(join(dir, 'etc'));
    writeFileSync(join(dir, 'etc/gateway.yaml'), 'version: 1\nprovider: {}\n');
    const command = commandOf('ExecStart').map(here);
    const ends = await Promise.all([[...command, '--listen', 'nowhere'], command].map((one) => run(one, dir)));
    expect(ends.map(({ code }) => code)).toEqual(lasting);
  });
});

describe('Docker Compose', () => {
  it('starts with the command of the service and its secrets as files', async () => {
    const { services } = parse(readProjectFile('deploy/compose/compose.yaml')) as {
      services: { gateway: { command: string[]; secrets: string[]; healthcheck: { test: string[] } } };
    };
    const { command, secrets, healthcheck } = services.gateway;
    mkdirSync(join(dir, 'etc'));
    mkdirSync(join(dir, 'keys'));
    for (const name of secrets) writeFileSync(join(dir, 'keys', name), 'sk-compose-0123456789');
    writeFileSync(join(dir, 'etc/gateway.yaml'), here(readProjectFile('deploy/gateway.yaml')).replace('delay: 5s', 'delay: 0s'));
    // In the container it is at its mount point.
    const url = await start([...command, '-c', '/etc/gateway/gateway.yaml']);
    expect(await sendChat(url, { authorization: `Bearer ${key}` })).toBe('compose');
    const [, node, bin, ...probe] = healthcheck.test;
    expect([node, bin]).toEqual(['node', '/app/dist/bin.js']);
    // Uses the ports of the test, like `start` above.
    const check = async (address: string): Promise<number | null> => (await run([...probe, '--url', address], dir)).code;
    expect([await check(new URL(url).origin), await check(`unix:${dir}/probe.sock`), await check('127.0.0.1:9')]).toEqual([0, 0, 1]);
    running?.child.kill('SIGTERM');
    expect(await ended()).toBe(0);
  });
});
