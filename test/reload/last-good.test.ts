import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProcess, run, type Running } from '../cli/process.ts';

let cwd: string;
let started: Running[];

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'last-good-'));
  started = [];
});

afterEach(async () => {
  for (const one of started) one.child.kill('SIGKILL');
  await Promise.all(started.map((one) => one.ended));
  rmSync(cwd, { recursive: true, force: true });
});

const save = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
const validConfig = (text: string): string => `version: 1
include: [configs/*.yaml]
providers: {mock: {type: mock, replies: {hello: {text: ${text}}}}, keyed: {type: openai, api_key: "\${file:secret}"}}
`;
const config = 'configs: {support: {targets: [mock/hello]}}\n';

function start(...flags: readonly string[]): Running {
  const running = startProcess(['start', '--listen', '127.0.0.1:0', '--log-format', 'pretty', ...flags], cwd, {});
  started.push(running);
  return running;
}

async function stop(running: Running): Promise<void> {
  running.child.kill('SIGTERM');
  await running.ended;
}

async function urlOf(running: Running): Promise<string> {
  const [, url = ''] = await running.waitForOutput(/listening {2}(\S+)[^]*ready in/);
  return url;
}

async function replyText(url: string): Promise<string> {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-config': 'support' },
    body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'x' }] }),
  });
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content ?? '';
}

const copies = (dir = '.gateway'): string[] => readdirSync(join(cwd, dir)).filter((name) => name.startsWith('last-good'));

/** A gateway that served `good('one')` once and was stopped. */
async function serveOnce(more = ''): Promise<void> {
  mkdirSync(join(cwd, 'configs'));
  save('configs/support.yaml', config);
  save('secret', 'sk-never-in-a-copy\n');
  save('gateway.yaml', validConfig('one') + more);
  const running = start();
  expect(await replyText(await urlOf(running))).toBe('one');
  await stop(running);
}

describe('last good copy', () => {
  it('contains the text of all files without resolved references, with mode 600', async () => {
    await serveOnce();
    expect(copies()).toHaveLength(1);
    const path = join(cwd, '.gateway', copies()[0] ?? '');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain('sk-never-in-a-copy');
    expect(JSON.parse(text)).toEqual({
      entry: join(cwd, 'gateway.yaml'),
      files: { [join(cwd, 'gateway.yaml')]: validConfig('one'), [join(cwd, 'configs/support.yaml')]: config },
      revision: expect.stringMatching(/^[0-9a-f]{7}$/) as string,
    });
  });

  it('is updated by good reloads and not by rejected ones', async () => {
    await serveOnce();
    const running = start('--no-watch');
    await urlOf(running);
    for (const [text, line] of [
      [validConfig('two'), /config reloaded/],
      ['version: 1\nproviderz: {}\n', /config NOT reloaded/],
    ] as const) {
      save('gateway.yaml', text);
      running.child.kill('SIGHUP');
      await running.waitForOutput(line);
    }
    await stop(running);
    const { files } = JSON.parse(readFileSync(join(cwd, '.gateway', copies()[0] ?? ''), 'utf8')) as { files: Record<string, string> };
    expect(files[join(cwd, 'gateway.yaml')]).toBe(validConfig('two'));
  });
});

describe('gateway start --last-good', () => {
  it.each([
    ['a file that is not valid YAML', (): void => save('gateway.yaml', 'version: 1\nproviders: {mock: [\n')],
    ['an unknown key in an included file', (): void => save('configs/support.yaml', 'configs: {support: {targetz: []}}\n')],
    ['a new included file that is invalid', (): void => save('configs/zz.yaml', 'providers: {x: {type: nothing}}\n')],
    ['a deleted file', (): void => rmSync(join(cwd, 'gateway.yaml'))],
  ])('serves the copy instead of %s, reports it, and applies the fixed file', async (_name, breakIt) => {
    await serveOnce();
    breakIt();
    const running = start('--last-good', '-c', 'gateway.yaml');
    const url = await urlOf(running);
    expect(running.out()).toMatch(
      /\.\/gateway\.yaml is INVALID: serving the last valid copy, revision [0-9a-f]{7}, saved \d{4}-\d\d-\d\d \d\d:\d\d UTC\n {10}\S/,
    );
    expect(running.out()).toMatch(/config {5}last valid copy of \.\/gateway\.yaml \+ 1 included/);
    expect(await replyText(url)).toBe('one');
    rmSync(join(cwd, 'configs/zz.yaml'), { force: true });
    save('configs/support.yaml', config);
    save('gateway.yaml', validConfig('two'));
    await running.waitForOutput(/config reloaded/);
    expect(await replyText(url)).toBe('two');
    await stop(running);
  });

  it('reports that the files are valid again if they equal the copy', async () => {
    await serveOnce();
    const { revision } = JSON.parse(readFileSync(join(cwd, '.gateway', copies()[0] ?? ''), 'utf8')) as { revision: string };
    save('gateway.yaml', 'version: 1\nproviderz: {}\n');
    save('secret', 'sk-never-in-a-copy\n');
    const running = start('--last-good');
    await urlOf(running);
    save('gateway.yaml', validConfig('one'));
    await running.waitForOutput(new RegExp(`config valid again · revision ${revision}`));
  });

  it('finds the copy in the state directory that an invalid file names', async () => {
    await serveOnce('server: {state_dir: elsewhere}\n');
    expect(copies('elsewhere')).toHaveLength(1);
    save('gateway.yaml', 'version: 1\nserver: {state_dir: elsewhere}\nproviderz: {}\n');
    const running = start('--last-good');
    expect(await replyText(await urlOf(running))).toBe('one');
  });

  it('uses the state directory of the copy if a file that fails during setup names another', async () => {
    await serveOnce();
    save('broken.js', "export default { name: 'broken', options: {}, setup() { throw new Error('not today'); } };\n");
    save('gateway.yaml', `${validConfig('two')}server: {state_dir: elsewhere}\nplugins: [auth, routing, transform, {use: ./broken.js}]\n`);
    const running = start('--last-good');
    expect(await replyText(await urlOf(running))).toBe('one');
    expect(readdirSync(cwd)).not.toContain('elsewhere');
  });

  it('starts from the file if it is valid', async () => {
    await serveOnce();
    save('gateway.yaml', validConfig('two'));
    const running = start('--last-good');
    expect(await replyText(await urlOf(running))).toBe('two');
    expect(running.out()).not.toContain('last good copy');
  });

  it('returns exit code 3 without a copy or with an invalid copy', async () => {
    mkdirSync(join(cwd, 'configs'));
    save('gateway.yaml', 'version: 1\nproviderz: {}\n');
    const none = await run(['start', '--last-good'], cwd);
    expect(none.code).toBe(3);
    expect(none.err).toContain('unknown key "providerz"');
    expect(none.err).toContain('there is no saved copy');
    rmSync(join(cwd, 'configs'), { recursive: true });
    await serveOnce();
    save('gateway.yaml', 'version: 1\nproviderz: {}\n');
    rmSync(join(cwd, 'secret'));
    const result = await run(['start', '--last-good'], cwd);
    expect(result.code).toBe(3);
    expect(result.err).toContain('the saved copy is not valid either');
  });
});
