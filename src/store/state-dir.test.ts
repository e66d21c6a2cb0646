import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStateDir, type StateDir, StateDirError, StateDirLocked } from './state-dir.ts';

let root: string;
let opened: StateDir[];
const children: ChildProcess[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'state-'));
  opened = [];
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const state of opened) if (state.kind === 'disk') state.release();
  rmSync(root, { recursive: true, force: true });
});

function open(
  setting: string | undefined,
  isRequired = false,
  configPath: string | undefined = join(root, 'gateway.yaml'),
  isShared = false,
): StateDir {
  const state = openStateDir({ setting, configPath, cwd: root, isRequired, isShared });
  opened.push(state);
  return state;
}

/** Another process that holds the directory; resolves to the path that it got. */
async function startOtherGateway(): Promise<{ readonly child: ChildProcess; readonly path: string }> {
  const child = spawn(process.execPath, [new URL('fixtures/hold-state-dir.ts', import.meta.url).pathname, join(root, 'gateway.yaml')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const [data] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, path: data.toString().trim() };
}

describe('openStateDir', () => {
  it('uses .gateway beside the configuration file, with mode 700 and a .gitignore', () => {
    const state = open(undefined);
    expect(state).toMatchObject({ kind: 'disk', path: join(root, '.gateway'), warning: undefined });
    expect(statSync(join(root, '.gateway')).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(root, '.gateway/.gitignore'), 'utf8')).toBe('*\n');
  });

  it('resolves a relative setting from the folder of the configuration file', () => {
    expect(open('var/state', false, 'sub/gateway.yaml')).toMatchObject({ path: join(root, 'sub/var/state') });
  });

  it('writes nothing to disk for "memory" and without a configuration file', () => {
    expect(open('memory')).toEqual({ kind: 'memory', warning: undefined });
    expect(openStateDir({ setting: undefined, configPath: undefined, cwd: root })).toEqual({ kind: 'memory', warning: undefined });
    expect(readdirSync(root)).toEqual([]);
  });

  it('falls back to memory with a warning if the default folder cannot be written', () => {
    writeFileSync(join(root, '.gateway'), 'a file');
    const state = open(undefined);
    expect(state.kind).toBe('memory');
    expect(state.warning).toContain("can't be used, records are kept in memory only: EEXIST");
  });

  it.each([
    ['it is a file', 'taken'],
    ['no folder can be created there', '/proc/state'],
    ['its spool folder is a file', 'half'],
    ['its database cannot be opened', 'looped'],
  ])('falls back to memory if a named folder cannot be used, and throws if it is required: %s', (_name, setting) => {
    writeFileSync(join(root, 'taken'), 'a file');
    mkdirSync(join(root, 'half'));
    writeFileSync(join(root, 'half/spool'), 'a file');
    mkdirSync(join(root, 'looped'));
    symlinkSync('log.sqlite', join(root, 'looped/log.sqlite'));
    expect(open(setting)).toMatchObject({
      kind: 'memory',
      warning: expect.stringContaining("can't be used, records are kept in memory only: E"),
    });
    expect(() => open(setting, true)).toThrow(StateDirError);
    expect(() => open(setting, true)).toThrow(/server\.state_dir \/.* can't be used: E/);
  });

  it('throws for "memory" if a folder is required', () => {
    expect(() => open('memory', true)).toThrow(StateDirError);
  });
});

const shared = (): StateDir => open(undefined, false, undefined, true);

describe('lock of the state directory', () => {
  it('rejects a second gateway and reports the pid of the first', async () => {
    const first = await startOtherGateway();
    expect(() => open(undefined)).toThrow(StateDirLocked);
    expect(() => open(undefined)).toThrow(`Another gateway (pid ${first.child.pid} on `);
    expect(() => open(undefined)).toThrow(`uses the state directory ${join(root, '.gateway')}.`);
    expect(readdirSync(join(root, '.gateway'))).not.toContain('instance-2');
  });

  it('gives a second gateway its own folder if the directory is shared', async () => {
    const first = await startOtherGateway();
    expect(first.path).toBe(join(root, '.gateway'));
    const ownDir = join(root, '.gateway/instance-2');
    expect(shared()).toMatchObject({ kind: 'disk', path: ownDir, warning: `another gateway uses ${first.path}, this one uses ${ownDir}` });
    expect(shared()).toMatchObject({ path: join(root, '.gateway/instance-3') });
  });

  it('is released when the process exits', async () => {
    const first = await startOtherGateway();
    first.child.stdin?.end();
    await once(first.child, 'exit');
    expect(open(undefined)).toMatchObject({ path: join(root, '.gateway') });
  });

  it('is taken over from a killed process', async () => {
    const first = await startOtherGateway();
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    expect(open(undefined)).toMatchObject({ path: join(root, '.gateway') });
    expect(readdirSync(join(root, '.gateway')).toSorted()).toEqual(['.gitignore', 'lock', 'lock.db', 'spool']);
  });

  it.each([
    ['of another host', JSON.stringify({ pid: process.pid, host: 'elsewhere' })],
    ['that is truncated', '{"pid":'],
  ])('ignores an owner file %s if nobody holds the lock', (_name, text) => {
    mkdirSync(join(root, '.gateway'));
    writeFileSync(join(root, '.gateway/lock'), text);
    expect(open(undefined)).toMatchObject({ path: join(root, '.gateway') });
    expect(JSON.parse(readFileSync(join(root, '.gateway/lock'), 'utf8'))).toEqual({ pid: process.pid, host: hostname() });
  });

  it('is held even if the owner process cannot be found', async () => {
    await startOtherGateway();
    // As if written by a process of another container.
    writeFileSync(join(root, '.gateway/lock'), JSON.stringify({ pid: 2 ** 30, host: hostname() }));
    expect(() => open(undefined)).toThrow(`Another gateway (pid ${2 ** 30} on ${hostname()}) uses the state directory`);
    rmSync(join(root, '.gateway/lock'));
    expect(() => open(undefined)).toThrow('Another gateway uses the state directory');
  });

  it('does not write through a symbolic link', () => {
    mkdirSync(join(root, '.gateway'));
    writeFileSync(join(root, 'other'), 'text');
    symlinkSync(join(root, 'other'), join(root, '.gateway/lock'));
    open(undefined);
    expect(readFileSync(join(root, 'other'), 'utf8')).toBe('text');
  });
});
