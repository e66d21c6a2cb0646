import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startProcess, type Running } from '../cli/process.ts';
import { until } from '../support/gateway.ts';
import { skipping } from '../support/skipping.ts';

/** Queries of the request log run in their own process with the lowest priority, which ends with its gateway. */
const dir = mkdtempSync(join(tmpdir(), 'reader-process-'));
let running: Running | undefined;

afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  rmSync(dir, { recursive: true, force: true });
});

const procFile = (pid: number, file: string): string => readFileSync(`/proc/${pid}/${file}`, 'latin1');
const readersOf = (pid: number): number[] =>
  procFile(pid, `task/${pid}/children`)
    .trim()
    .split(' ')
    .map(Number)
    .filter((child) => child > 0 && procFile(child, 'cmdline').includes('log-reader.js'));

it.skipIf(skipping(process.platform === 'linux' ? undefined : 'the system shows no processes as files'))(
  'a query starts a process with the lowest priority, which ends when its gateway is killed',
  async () => {
    const server = '{state_dir: state, admin: {open: true, listen: "127.0.0.1:0"}}';
    writeFileSync(join(dir, 'gateway.yaml'), `version: 1\nserver: ${server}\nproviders: {mock: {type: mock}}\n`);
    running = startProcess(['start', '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0', '--log-format', 'json'], dir, {
      OPENAI_API_KEY: 'canary-variable',
    });
    const [, admin = ''] = await running.waitForOutput(/"dashboard":"(http:\/\/[^/"]+)/);
    const pid = running.child.pid ?? 0;
    expect(readersOf(pid)).toEqual([]);
    const response = await fetch(`${admin}/api/requests`);
    expect([response.status, await response.json()]).toEqual([200, { rows: [], next: null }]);
    const [reader = 0, ...others] = readersOf(pid);
    expect(others).toEqual([]);
    expect(new Set(readdirSync(`/proc/${reader}/task`).map((thread) => getPriority(Number(thread))))).toEqual(new Set([19]));
    expect(procFile(reader, 'environ')).not.toContain('canary');
    running.child.kill('SIGKILL');
    await running.ended;
    await until(() => !existsSync(`/proc/${reader}`) || /^State:\s+Z/m.test(procFile(reader, 'status')), 'its end');
  },
);
