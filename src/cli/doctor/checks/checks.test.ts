import { describe, expect, it } from 'vitest';
import { clockResult } from '../network/clock.ts';
import { reportText } from '../text.ts';
import type { Machine, Subject } from '../subject.ts';
import { checkMemory } from './memory.ts';
import { checkNode } from './node.ts';
import { checkOpenFiles } from './open-files.ts';
import { watchResult } from './watching.ts';

const mib = 1024 * 1024;

/** A subject with only the fields that these checks read. */
function subject(machine: Partial<Machine>, server: object = {}): Subject {
  return { machine: { memory: 64 * 1024 * mib, ...machine }, config: { loaded: { tree: { server } } } } as unknown as Subject;
}

describe('checkNode()', () => {
  it.each([
    ['22.19.0', 'ok'],
    ['24.1.0', 'ok'],
    ['22.18.9', 'fail'],
    ['9.99.0', 'fail'],
  ])('reports Node %s as %s', async (node, state) => {
    expect(await checkNode(subject({ node, engines: '>=22.19' }))).toMatchObject([{ state }]);
  });
});

describe('checkMemory()', () => {
  it.each<[string, number | undefined, object, string, string | undefined]>([
    ['a large limit', 1024, {}, 'memory limit 1 GB; the gateway needs up to 768 MB', undefined],
    ['a small limit', 128, {}, 'memory limit 128 MB; the gateway needs up to 320 MB', 'a limit of 512 MB'],
    [
      'a limit that fits a smaller server.memory',
      400,
      {},
      'memory limit 400 MB; the gateway needs up to 456 MB',
      'a limit of 512 MB, or server.memory: 72MB',
    ],
    [
      'a large server.memory',
      1024,
      { memory: '512MB' },
      'memory limit 1 GB; the gateway needs up to 1.3 GB',
      'a limit of 1.3 GB, or server.memory: 384MB',
    ],
    ['several workers', 512, { workers: 2, memory: '64MB' }, 'memory limit 512 MB; the gateway needs up to 640 MB', 'a limit of 640 MB'],
    ['no limit', undefined, { memory: '64MB' }, '64 GB of memory, no container limit; the gateway needs up to 384 MB', undefined],
  ])('reports %s', async (_, limit, server, message, hint) => {
    const memoryLimit = limit === undefined ? undefined : limit * mib;
    const [result] = await checkMemory(subject({ memoryLimit }, server));
    expect([result?.says, result?.fix, result?.state]).toEqual([message, hint, hint === undefined ? 'ok' : 'warn']);
  });
});

describe('open files', () => {
  it.each<[string, number | undefined, object, string, string, string | undefined]>([
    ['enough', 20_000, {}, 'ok', 'a process may open 20000 files; 8192 client connections need 10923', undefined],
    [
      'too few',
      4096,
      {},
      'warn',
      'a process may open 4096 files; 8192 client connections need 10923',
      'ulimit -n 10923 or LimitNOFILE=10923, or server.max_connections: 3072',
    ],
    ['few connections', 1024, { max_connections: 500 }, 'ok', 'a process may open 1024 files; 500 client connections need 667', undefined],
    [
      'several workers',
      1024,
      { workers: 2, max_connections: 2000 },
      'warn',
      'a process may open 1024 files; 2000 client connections need 1334',
      'ulimit -n 1334 or LimitNOFILE=1334, or server.max_connections: 1536',
    ],
    ['a system that does not show the limit', undefined, {}, 'skip', 'open files: this system does not show its limit', undefined],
  ])('%s', async (_, openFiles, server, state, message, hint) => {
    expect(await checkOpenFiles(subject({ openFiles }, server))).toEqual([
      { state, says: message, ...(hint === undefined ? {} : { fix: hint }) },
    ]);
  });
});

describe('the clock', () => {
  it.each([
    [900, 'ok', 'system time within 1 s of a.example'],
    [-900, 'ok', 'system time within 1 s of a.example'],
    [3000, 'ok', 'system time 3.00 s ahead of a.example'],
    [-60_000, 'warn', 'system time 1 min behind a.example'],
    [600_000, 'fail', 'system time 10 min ahead of a.example'],
  ])('reports a difference of %i ms as %s', (ms, state, message) => {
    expect(clockResult({ host: 'a.example', ms })).toMatchObject({ state, says: message });
  });
});

describe('watchResult()', () => {
  it.each([
    [true, true, undefined, 'ok', /native events/],
    [false, true, undefined, 'warn', /reports no changes here; the poll finds them/],
    [false, true, 'ENOSPC', 'warn', /max_user_watches is reached/],
    [false, false, 'EACCES', 'fail', /not seen here: not allowed/],
  ])('with events %s, change %s and fault %s returns %s', (hasEvents, hasChange, code, state, message) => {
    const fault = code === undefined ? undefined : Object.assign(new Error('failed'), { code });
    const result = watchResult({ hasEvents, hasChange, fault });
    expect(result.state).toBe(state);
    expect(result.says).toMatch(message);
  });
});

describe('reportText()', () => {
  const findings = [
    { check: 'node', state: 'ok', says: 'all is well with this one, at some length', fix: null },
    { check: 'config', state: 'warn', says: 'short', fix: 'do this' },
    { check: 'config', state: 'fail', says: 'longer', fix: 'do that' },
  ] as const;

  it('prints fixes in a column', () => {
    const text = 'ok    all is well with this one, at some length\nwarn  short    do this\nfail  longer   do that\n';
    expect(reportText(findings, { colors: false, width: undefined })).toBe(text);
  });

  it('prints fixes below their lines in a narrow terminal', () => {
    expect(reportText(findings.slice(1), { colors: false, width: 20 })).toBe(
      'warn  short\n      fix: do this\nfail  longer\n      fix: do that\n',
    );
  });

  it('prints the same text with colors', () => {
    expect(reportText(findings.slice(1, 2), { colors: true, width: undefined })).toBe('\u001b[33mwarn\u001b[0m  short   do this\n');
  });
});
