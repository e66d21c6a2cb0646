import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProcess, type Running } from '../cli/process.ts';
import { byRename } from './edits.ts';

let cwd: string;
let running: Running | undefined;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'reload-process-'));
});

afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  rmSync(cwd, { recursive: true, force: true });
});

const yaml = (text: string): string => `version: 1
providers: {mock: {type: mock, replies: {hello: {text: "${text}"}, long: {text: "${text} b c d e f g h", chunks: 8, chunk_delay: 60ms}}}}
`;

async function start(...flags: readonly string[]): Promise<{ process: Running; url: string }> {
  writeFileSync(join(cwd, 'gateway.yaml'), yaml('one'));
  const process = startProcess(['start', '--listen', '127.0.0.1:0', '--log-format', 'json', ...flags], cwd);
  running = process;
  const [, url = ''] = await process.waitForOutput(/"url":"([^"]+)"/);
  return { process, url };
}

const chat = (url: string, model: string, more: object = {}): Promise<Response> =>
  fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }], ...more }),
  });

function probe(socketPath: string): Promise<{ status: number | undefined; body: unknown }> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path: '/readyz', agent: false }, (response) => {
      void text(response).then((body) => resolve({ status: response.statusCode, body: JSON.parse(body) as unknown }));
    })
      .on('error', reject)
      .end();
  });
}

/** The log lines with a message, parsed as a log collector does. */
const linesOf = (process: Running, message: string): readonly Record<string, unknown>[] =>
  process
    .out()
    .split('\n')
    .filter((line) => line.includes(`"msg":${JSON.stringify(message)}`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('running gateway', () => {
  it('reloads on SIGHUP without interrupting a running stream', async () => {
    const { process, url } = await start('--no-watch');
    const stream = await chat(url, '@mock/long', { stream: true });
    writeFileSync(join(cwd, 'gateway.yaml'), yaml('two'));
    process.child.kill('SIGHUP');
    await process.waitForOutput(/"msg":"config reloaded"/);
    expect(await (await chat(url, '@mock/hello')).json()).toMatchObject({ choices: [{ message: { content: 'two' } }] });
    const text = await stream.text();
    expect(text).toContain('"one');
    expect(text).toContain('data: [DONE]');
    expect(linesOf(process, 'config reloaded')).toMatchObject([{ level: 'info', changes: ['~providers.mock'], restart: [] }]);
  });

  it('logs each invalid edit that it detects, and one line after the fix', async () => {
    const { process, url } = await start();
    const edit = (text: string): Promise<void> => byRename(join(cwd, 'gateway.yaml'), text);
    await edit(yaml('one').replace('providers', 'providerz'));
    await process.waitForOutput(/"msg":"config NOT reloaded"/);
    expect(await (await chat(url, '@mock/hello')).json()).toMatchObject({ choices: [{ message: { content: 'one' } }] });
    await edit(yaml('one'));
    await process.waitForOutput(/"msg":"config valid again"/);
    const [started] = linesOf(process, 'gateway started');
    expect(linesOf(process, 'config NOT reloaded')).toMatchObject([
      {
        level: 'error',
        revision: started?.['revision'],
        diagnostics: [expect.stringMatching(/^gateway\.yaml:2:1 error: unknown key "providerz" \(did you mean "providers"\?\)$/)],
      },
    ]);
    expect(linesOf(process, 'config valid again')).toMatchObject([{ revision: started?.['revision'] }]);
    await edit(yaml('two'));
    await process.waitForOutput(/"msg":"config reloaded"/);
    expect(await (await chat(url, '@mock/hello')).json()).toMatchObject({ choices: [{ message: { content: 'two' } }] });
  });

  it('shows the result of the last reload on /readyz and logs it on SIGHUP', async () => {
    const socket = join(cwd, 'probe.sock');
    const { process } = await start('--no-watch', '--probe-listen', `unix:${socket}`);
    const [started] = linesOf(process, 'gateway started');
    const hangUp = async (message: string): Promise<void> => {
      const before = linesOf(process, message).length;
      process.child.kill('SIGHUP');
      await expect.poll(() => linesOf(process, message).length).toBe(before + 1);
    };
    const ok = { state: 'ok', revision: started?.['revision'], loaded_at: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect(await probe(socket)).toEqual({ status: 200, body: { status: 'ok', reasons: [], config: ok } });
    await hangUp('config unchanged');
    writeFileSync(join(cwd, 'gateway.yaml'), yaml('two').replace('providers', 'providerz'));
    await hangUp('config NOT reloaded');
    const failed = await probe(socket);
    expect(failed).toEqual({
      status: 200,
      body: {
        status: 'ok',
        reasons: [],
        config: {
          ...ok,
          state: 'failed',
          failed_since: expect.any(String),
          errors: 1,
          why: ['gateway.yaml:2:1 error: unknown key "providerz" (did you mean "providers"?)'],
        },
      },
    });
    // The same failure is logged again on request, and failed_since stays.
    await hangUp('config NOT reloaded');
    expect(await probe(socket)).toEqual(failed);
    writeFileSync(join(cwd, 'gateway.yaml'), yaml('two'));
    await hangUp('config reloaded');
    const [reloaded] = linesOf(process, 'config reloaded');
    expect(await probe(socket)).toMatchObject({ body: { config: { state: 'ok', revision: reloaded?.['revision'] } } });
  });

  it('leaves no process behind after SIGKILL', async () => {
    const { process } = await start();
    process.child.kill('SIGKILL');
    // The loader process writes to the same standard error: this ends after both have exited.
    expect(await process.ended).toMatchObject({ code: null, err: '' });
  });
});
