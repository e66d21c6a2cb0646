import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectFiles, readProjectFile } from '../repo/tree.ts';
import { cannotMount, RootFs } from './root-fs.ts';
import { type Stage, stagesOf, argumentsOf } from './dockerfile.ts';
import { skipping } from '../support/skipping.ts';

/**
 * The image, built and run without a container engine: the instructions of the Dockerfile in folders of their own, the
 * command as its user in a read-only root file system.
 */

const stages = stagesOf(readProjectFile('Dockerfile'));
const last = stages.at(-1) as Stage;
const instruction = (name: string) => last.instructions.filter((one) => one.name === name);

const probeOfImage = ['node', '/app/dist/bin.js', 'health'];

function probeOfCompose(): unknown {
  const { services } = parse(readProjectFile('deploy/compose/compose.yaml')) as {
    services: { gateway: { healthcheck: { test: unknown } } };
  };
  return services.gateway.healthcheck.test;
}

/** `.dockerignore`: a path is excluded unless a later line includes it again. */
function ignoredBy(lines: readonly string[]): (path: string) => boolean {
  const rules = lines.map((line) => ({ isBack: line.startsWith('!'), matches: matcher(line.replace(/^!/, '')) }));
  return (path) => path !== '' && (rules.findLast(({ matches }) => matches(path))?.isBack ?? true) === false;
}

function matcher(pattern: string): (path: string) => boolean {
  const source = pattern.replace(/[.]/g, '\\.').replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'));
  const sourcePattern = new RegExp(`^${source}(?:/.*)?$`);
  // Parent folders of an included path are searched.
  return (path) => sourcePattern.test(path) || (pattern.includes('/') && pattern.startsWith(`${path}/`));
}

const ignored = ignoredBy(
  readProjectFile('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')),
);

describe('Dockerfile', () => {
  it('uses one base image with a tag', () => {
    expect(new Set(stages.map(({ image }) => image))).toEqual(new Set(['node:24-slim']));
  });

  it('runs as a numeric user, without a shell, with a health check of the listener', () => {
    expect(instruction('USER').map(({ rest }) => rest)).toEqual(['1000:1000']);
    expect(instruction('ENTRYPOINT').flatMap(argumentsOf).at(-1)).toBe('/app/dist/bin.js');
    expect(instruction('CMD').flatMap(argumentsOf)).toEqual(['start']);
    expect(instruction('HEALTHCHECK').flatMap(argumentsOf)).toEqual(probeOfImage);
    expect(probeOfCompose()).toEqual(['CMD', ...probeOfImage]);
  });

  it('starts Node with the flags and the variable of npm start', () => {
    const { config } = JSON.parse(readProjectFile('package.json')) as { config: { node: string; env: string } };
    expect(instruction('ENV').map(({ rest }) => rest)).toContain(config.env);
    expect(instruction('ENTRYPOINT').flatMap(argumentsOf).slice(1, -1)).toEqual(config.node.split(' '));
  });

  it('copies every file of the build context, without tests', () => {
    const sent = projectFiles().filter((file) => !ignored(file));
    const copied = stages.flatMap(({ instructions }) =>
      instructions
        .filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from'))
        .flatMap(({ rest }) =>
          rest
            .split(/\s+/)
            .slice(0, -1)
            .map((path) => path.replace(/^\.\//, '')),
        ),
    );
    expect(copied.filter((path) => !sent.some((file) => file === path || file.startsWith(`${path}/`)))).toEqual([]);
    expect(sent.filter((file) => !copied.some((path) => file === path || file.startsWith(`${path}/`)))).toEqual([]);
    expect(sent.filter((file) => /\.test\.ts$|fixtures\//.test(file))).toEqual([]);
  });
});

const reason = cannotMount();
const folder = mkdtempSync(join(tmpdir(), 'image-'));
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(skipping(reason))(`container image${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let image: RootFs;
  beforeAll(() => {
    const built = new Map<string, RootFs>();
    for (const stage of stages) {
      image = new RootFs(join(folder, stage.name));
      image.build(stage, built, ignored);
      built.set(stage.name, image);
    }
  }, 400_000);

  it('contains the compiled gateway, its packages, and its own state folder', () => {
    const app = join(image.dir, 'app');
    expect(readdirSync(app).toSorted()).toEqual(['LICENSE', 'configs', 'dist', 'node_modules', 'package.json']);
    expect(sizeOf(app)).toBeLessThan(30_000_000);
    const { uid, mode } = statSync(join(image.dir, 'var/lib/gateway'));
    expect([uid, mode & 0o777]).toEqual([1000, 0o700]);
  });

  it('serves a mounted configuration as its user on a read-only file system, and drains on SIGTERM', async () => {
    const mounted = join(folder, 'etc-gateway');
    const state = join(folder, 'state');
    mkdirSync(mounted);
    mkdirSync(state);
    chownSync(state, 1000, 1000);
    chmodSync(folder, 0o755);
    writeFileSync(
      join(mounted, 'gateway.yaml'),
      'version: 1\nserver: {listen: "127.0.0.1:0", probe_listen: "unix:/var/lib/gateway/probe.sock", state_dir: /var/lib/gateway, state_dir_required: true}\nproviders: {mock: {type: mock}}\n',
    );
    const command = [...instruction('ENTRYPOINT').flatMap(argumentsOf), ...instruction('CMD').flatMap(argumentsOf), '--log-format', 'json'];
    const child = image.start(command, { '/etc/gateway': mounted }, { '/var/lib/gateway': state });
    running.push(child);
    const ended = once(child, 'exit');
    const { url, pid } = await started(child);
    const status = readStatus(pid);
    expect([status['Uid'], status['CapEff'], status['CapBnd'], status['NoNewPrivs']]).toEqual([
      '1000 1000 1000 1000',
      '0000000000000000',
      '0000000000000000',
      '1',
    ]);
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: 'from the image' }] }),
    });
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'from the image' } }] });
    expect(await ready(join(state, 'probe.sock'))).toMatchObject({ status: 'ok' });
    const probe = image.start(probeOfImage, { '/etc/gateway': mounted }, { '/var/lib/gateway': state });
    running.push(probe);
    expect(probe.stdout === null ? '' : await text(probe.stdout)).toMatch(/^ready · unix:\/var\/lib\/gateway\/probe.sock · config ok/);
    expect(readdirSync(state)).toContain('spool');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('does not start on a public address without API keys', async () => {
    const mounted = join(folder, 'open');
    mkdirSync(mounted);
    writeFileSync(join(mounted, 'gateway.yaml'), 'version: 1\nserver: {listen: "0.0.0.0:0"}\nproviders: {mock: {type: mock}}\n');
    const child = image.start([...instruction('ENTRYPOINT').flatMap(argumentsOf), 'start'], { '/etc/gateway': mounted });
    running.push(child);
    expect(await once(child, 'exit')).toEqual([3, null]);
  });
});

function sizeOf(dir: string): number {
  return readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

async function started(child: ChildProcess): Promise<{ url: string; pid: number }> {
  const events: string[] = [];
  if (child.stdout === null || child.stderr === null) throw new Error('the child has no outputs');
  child.stderr.on('data', (chunk: Buffer) => events.push(chunk.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    events.push(line);
    if (!line.includes('"gateway started"')) continue;
    child.stdout.resume();
    return { url: /"(http:[^"]+\/v1)"/.exec(line)?.[1] ?? '', pid: child.pid ?? 0 };
  }
  throw new Error(`the gateway did not start: ${events.join('\n')}`);
}

function readStatus(pid: number): Readonly<Record<string, string>> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n');
  return Object.fromEntries(
    lines.map((line) => [
      line.split(':')[0] ?? '',
      line
        .slice(line.indexOf(':') + 1)
        .trim()
        .replace(/\s+/g, ' '),
    ]),
  );
}

function ready(socketPath: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path: '/readyz' }, (response) => void text(response).then((body) => resolve(JSON.parse(body))))
      .on('error', reject)
      .end();
  });
}
