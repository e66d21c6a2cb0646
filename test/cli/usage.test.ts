import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { runHere } from './in-process.ts';
import { startProcess, main, run, runOnFullDisk } from './process.ts';
import { json, startUpstream } from '../support/upstream.ts';

const cwd = mkdtempSync(join(tmpdir(), 'cli-'));
afterAll(() => rmSync(cwd, { recursive: true }));

it.each([
  [['strat'], 2],
  [['version'], 0],
])('the process of %j has the exit code and the output of the command', async (args, code) => {
  const result = await run(args, cwd);
  expect(result).toEqual(await runHere(args, cwd));
  expect(result.code).toBe(code);
});

it('a process reads its standard input only once', async () => {
  const result = await run(['explain', '-c', '-', '--body', '-'], cwd);
  expect(result).toEqual({ code: 2, out: '', err: expect.stringMatching(/standard input is named twice/) });
});

describe('invalid usage', () => {
  it.each([
    [['strat'], /unknown command 'strat'\n\(Did you mean start\?\)/],
    [['chekc'], /unknown command 'chekc'\n\(Did you mean check\?\)/],
    [['start', '--lisen', 'x'], /unknown option '--lisen'\n\(Did you mean --listen\?\)/],
    [['start', '--log-level', 'loud'], /'loud' is invalid. Allowed choices are debug, info, warn, error/],
    [['start', 'what'], /too many arguments.*\n.*--help\.\n$/],
    [['start', 'team.yaml'], /too many arguments.*\n.*\nTo use this configuration file, write -c team\.yaml\.\n$/],
    [['keys', 'list', 'team.yml'], /write -c team\.yml\.\n$/],
    [['version', 'team.yaml'], /too many arguments.*\n.*--help\.\n$/],
    [['keys', 'create'], /missing required argument 'name'\n[^]*--help/],
    [['start', '--port', '9000'], /unknown option '--port'\nRun gateway --help, or gateway COMMAND --help/],
    [['start', '--listen'], /argument missing/],
    [['start', '--listen', 'nonsense'], /"nonsense" is not an address to listen on\nWrite host:port or unix:\/path \(--listen\)\./],
    [['start', '--probe-listen', 'a:b:1'], /"a:b:1" is not an address to listen on\n.*\(--probe-listen\)/],
    [['start', '--admin-listen', '99999'], /"99999" is not an address to listen on\n.*\(--admin-listen\)/],
    [['start', '--workers', '0'], /"0" is not a number of workers\nWrite a number from 1 to 64, or auto \(--workers\)\./],
    [['start', '--workers', 'many'], /"many" is not a number of workers/],
    [['check', ''], /the name of the configuration file is empty/],
    [['start', '-c', ''], /^error: the name of the configuration file is empty$/m],
    [['init', '--provider', 'groq', '--file', ''], /the name of the file to write is empty/],
    [['test', '--junit', ''], /the name of the file to write is empty/],
    [['init', '--provider', 'groq', '--file', '-'], /"-" is not a file\nTo print the configuration, use --dry-run\./],
    [['test', '--junit', '-'], /"-" is not a file\nTo print the results, use --json\./],
    [['logs', 'export', '--format', 'xml'], /"xml" is not a format; write jsonl or csv/],
    [['logs', 'export', '--columns', 'id'], /--columns has no effect on JSON/],
    [['logs', 'search', '--columns', 'id', '--json'], /--columns has no effect on JSON/],
    [['help', 'nothing'], /no help on "nothing"; available: config, secrets, errors, filters, signals, and each command\n/],
    [['help', 'strat'], /no help on "strat"; .*\n\(Did you mean start\?\)/],
    [['help', 'filter'], /\(Did you mean filters\?\)/],
    [['help', 'logs', 'tial'], /no help on "logs tial"; .*\n\(Did you mean tail\?\)/],
    [['health', '--timeout', '5'], /--timeout is not a duration from 1ms to 10m: "5"\nWrite a number with a unit/],
    [['providers', 'test', '--timeout', '30d'], /--timeout is not a duration from 1ms to 10m: "30d"/],
    [['rollback', '--admin', ''], /the address after --admin is empty/],
    [['logs', 'show', ''], /"" is not an id/],
    [['drain', '--timeout', '30'], /--timeout is not a duration: "30"/],
    [['logs', 'search', '--slow', '2'], /--slow is not a duration: "2"\nWrite a number with a unit, such as 2s/],
    [['logs', 'search', '--since', '1y'], /--since is not a time: "1y"\nWrite a duration before now, such as 1h/],
    [['logs', 'export', '--until', '1h" status:500'], /--until is not a time: "1h" status:500"\n/],
    [['check', '--live', '--json'], /--live has only the format pretty\nFor JSON, run gateway providers test --json/],
    [['check', '--live', '-'], /--live needs a file, not standard input/],
    [['plan', '--sample', '-1'], /--sample is not a whole number from 0 up: "-1"/],
    [['logs', 'tail', '--limit', ''], /--limit is not a whole number from 1 up: ""/],
    [[], /Examples:\n/],
  ])('%j exits with 2 and prints the error to stderr', async (args, message) => {
    const { code, out, err } = await runHere(args, cwd);
    expect(err).toMatch(message);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

describe('output to a pipe', () => {
  it('is complete if the reader is slow', async () => {
    const slugs = Array.from({ length: 1500 }, (_, n) => `p${n}`);
    writeFileSync(join(cwd, 'many.yaml'), `version: 1\nproviders:\n${slugs.map((slug) => `  ${slug}: {type: mock}\n`).join('')}`);
    const child = spawn(process.execPath, [main, 'providers', 'list', '-c', 'many.yaml', '--json'], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // A command that does not wait for its reader exits here; one that waits is still running.
    await Promise.race([once(child, 'exit'), pause(5000)]);
    const pieces: Buffer[] = [];
    for await (const piece of child.stdout) pieces.push(piece as Buffer);
    const listed = JSON.parse(Buffer.concat(pieces).toString('utf8')) as { slug: string }[];
    expect(listed.map(({ slug }) => slug).toSorted()).toEqual(slugs.toSorted());
  });
});

it('reports a working directory that was removed', async () => {
  const child = spawn('sh', ['-c', `mkdir gone && cd gone && rmdir ../gone && exec "${process.execPath}" "${main}" status`], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  child.stderr.on('data', (piece: Buffer) => (err += piece.toString()));
  const [code] = (await once(child, 'close')) as [number];
  expect({ code, err }).toEqual({ code: 1, err: 'error: the working directory no longer exists\nChange to another one, and try again.\n' });
});

describe('a full disk', () => {
  it.each([[['version']], [['help', 'errors']]])('makes %j fail, because the output is lost', async (args) => {
    const err = 'error: the output cannot be written: no space left on device\n';
    expect(await runOnFullDisk(args, cwd)).toEqual({ code: 1, out: '', err });
  });
});

describe('help and version', () => {
  it.each([
    [['-h'], /^Examples:\n {2}\$ gateway init --provider openai\n[^]*Commands:\n {2}start /],
    [['help'], /^Examples:\n/],
    [['start', '-h'], /^Examples:\n {2}\$ gateway start\n[^]*--allow-missing-secrets/],
    [['help', 'check'], /^Examples:\n {2}\$ gateway check\n[^]*--strict/],
    [['help', 'health'], /^Examples:\n {2}\$ gateway health\n[^]*--strict/],
    [['help', 'logs', 'tail'], /^[^]*gateway logs tail [^]*--errors/],
    [['help', 'keys', 'create'], /gateway keys create [^]*--expires/],
    [['help', 'config'], /\$GATEWAY_CONFIG, \.\/gateway\.yaml/],
    [['help', 'secrets'], /\$\{env:NAME\}/],
    [['help', 'errors'], /all_targets_failed +502/],
    [['help', 'signals'], /SIGHUP/],
    [['version'], new RegExp(`^${manifest.version}\n$`)],
    [['--version'], new RegExp(`^${manifest.version}\n$`)],
    [['version', '--json'], new RegExp(`^\\{\n {2}"version": "${manifest.version}"\n\\}\n$`)],
    [['version', '--no-color'], new RegExp(`^${manifest.version}\n$`)],
    [['help', 'check', '--no-color'], /^Examples:\n {2}\$ gateway check\n[^]*--strict[^]*--no-color/],
    [['completion', 'bash', '--no-color'], /^# Completion of gateway for bash/],
    [['config', 'schema', '--no-color'], /"\$schema"/],
  ])('%j exits with 0 and prints to stdout', async (args, expected) => {
    const { code, out, err } = await runHere(args, cwd);
    expect(out).toMatch(expected);
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });
});

it('Ctrl-C ends an export immediately, with a summary', async () => {
  const rows = [{ id: 'req_1', at: 0 }];
  const upstream = await startUpstream((response, { url }) => {
    if (!url.includes('before=')) json(response, 200, { rows, next: 'more' });
  });
  try {
    const command = startProcess(['logs', 'export'], cwd, { GATEWAY_ADMIN: upstream.url });
    await command.waitForOutput(/req_1/);
    command.child.kill('SIGINT');
    expect(await command.ended).toEqual({ code: 130, out: `${JSON.stringify(rows[0])}\n`, err: 'interrupted after 1 record\n' });
  } finally {
    await upstream.close();
  }
});

it('Ctrl-C ends an export whose reader has stopped reading', async () => {
  const rows = Array.from({ length: 500 }, (_, i) => ({ id: `req_${i}`, at: 0, preview: 'x'.repeat(2000) }));
  let pages = 0;
  const upstream = await startUpstream((response) => {
    pages += 1;
    json(response, 200, { rows, next: 'more' });
  });
  try {
    const command = startProcess(['logs', 'export'], cwd, { GATEWAY_ADMIN: upstream.url });
    command.child.stdout?.pause();
    await expect.poll(() => pages).toBe(1);
    await pause(500);
    command.child.kill('SIGINT');
    await expect.poll(() => command.child.exitCode).toBe(130);
    command.child.stdout?.resume();
    expect((await command.ended).err).toMatch(/^interrupted after \d+ records\n$/);
    expect(pages).toBe(1);
  } finally {
    await upstream.close();
  }
});

describe('a closed output', () => {
  it('ends a command without an error', async () => {
    const aborted: { now?: () => void } = {};
    const clientAborted = new Promise<void>((resolve) => (aborted.now = resolve));
    const upstream = await startUpstream((response, { url }) => {
      const respond = (): void => json(response, 200, { object: 'list', data: [] });
      if (url.startsWith('/late/')) void clientAborted.then(respond);
      else respond();
    });
    const entry = (path: string): string => `{type: openai, custom_host: "${upstream.url}/${path}", api_key: sk-0123456789}`;
    writeFileSync(join(cwd, 'two.yaml'), `version: 1\nproviders:\n  one: ${entry('v1')}\n  two: ${entry('late/v1')}\n`);
    try {
      const command = startProcess(['providers', 'test', '-c', 'two.yaml'], cwd);
      await command.waitForOutput(/^one .*\n/);
      command.child.stdout?.destroy();
      aborted.now?.();
      expect(await command.ended).toMatchObject({ code: 0, err: '' });
    } finally {
      await upstream.close();
    }
  });

  it.each([
    ['an invalid file', 'version: 2\n', 3],
    ['a valid file', 'version: 1\nproviders: {mock: {type: mock}}\n', 0],
  ])('does not change the exit code of gateway check for %s', async (_name, text, code) => {
    writeFileSync(join(cwd, 'checked.yaml'), text);
    const command = startProcess(['check', 'checked.yaml'], cwd);
    command.child.stdout?.destroy();
    expect(await command.ended).toEqual({ code, out: '', err: '' });
  });

  it('does not stop the gateway', async () => {
    const command = startProcess(['--no-color', 'start', '--no-admin', '--listen', '127.0.0.1:0', '--log-format', 'json'], cwd);
    try {
      const [, url] = await command.waitForOutput(/"url":"([^"]+)"/);
      command.child.stdout?.destroy();
      command.child.stderr?.destroy();
      for (let i = 0; i < 5; i += 1) expect((await fetch(`${url}/models`)).status).toBe(200);
    } finally {
      command.child.kill('SIGTERM');
      await command.ended;
    }
  });
});
