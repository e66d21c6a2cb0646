import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProcess, run, type Running } from '../cli/process.ts';
import { sendRequest, filesBelow, encodingsOf } from './sinks.ts';

/** An uncaught error may contain any secret: it is shown with the secret masked. */

const secret = 'canary-of-the-plugin/with+odd=characters';
const plugin = `
const fail = (word, secret) => Object.assign(new Error(word + ' ' + secret, { cause: new Error(secret) }), { detail: { secret } });
export default {
  name: 'crash',
  options: { type: 'object', properties: { secret: { type: 'string' }, when: { type: 'string' } } },
  moments: ['admit', 'settle'],
  setup({ secret, when }) {
    if (when === 'setup') throw fail('in setup', secret);
    if (when === 'timer') setTimeout(() => { throw fail('in a timer', secret); }, 0);
    if (when === 'rejection') void Promise.reject(fail('in a rejection', secret));
    return {
      admit(ctx) {
        const how = ctx.headers.get('x-crash');
        if (how === 'throw') throw fail('thrown', secret);
        if (how === 'object') throw { secret, toString: () => secret };
        if (how === 'text') throw 'as a text: ' + secret;
        if (how === 'timer') setTimeout(() => { throw fail('in a timer', secret); }, 0);
        if (how === 'rejection') void Promise.reject(fail('in a rejection', secret));
      },
      settle(ctx) {
        if (ctx.headers.get('x-crash') === 'settle') throw fail('settled', secret);
      },
    };
  },
};
`;

let dir: string;
let running: Running | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'leaks-crash-'));
  writeFileSync(join(dir, 'crash.mjs'), plugin);
});
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  running = undefined;
  rmSync(dir, { recursive: true, force: true });
});

const write = (when: string): void =>
  writeFileSync(
    join(dir, 'gateway.yaml'),
    `version: 1\nproviders: {mock: {type: mock}}\nplugins: [{use: ./crash.mjs, options: {secret: "\${env:CANARY}", when: ${when}}}, routing, transform, logging]\n`,
  );
const leaksIn = (text: string): string[] => encodingsOf(secret).filter((encoded) => text.includes(encoded));
const args = (format: string): string[] => ['start', '--listen', '127.0.0.1:0', '--log-format', format];

describe.each(['json', 'pretty'])('errors in the log format %s contain no secret', (format) => {
  it.each([
    ['setup', 3, 'could not be set up: in setup ***'],
    ['timer', 1, 'in a timer ***'],
    ['rejection', 1, 'in a rejection ***'],
  ])('if the start fails in a %s', async (when, expected, text) => {
    write(when);
    const { code, out, err } = await run(args(format), dir, { CANARY: secret });
    expect([code, leaksIn(out + err)]).toEqual([expected, []]);
    expect(out + err).toContain(text);
  });

  it('if requests and a reload fail', async () => {
    write('never');
    running = startProcess(args(format), dir, { CANARY: secret });
    const [, url = ''] = await running.waitForOutput(/(http:\/\/127\.0\.0\.1:\d+)\/v1/);
    const responseTexts: string[] = [];
    for (const failure of ['throw', 'object', 'text', 'timer', 'rejection', 'settle']) {
      const body = { model: '@mock/echo', messages: [{ role: 'user', content: 'hi' }] };
      responseTexts.push((await sendRequest(url, { path: '/v1/chat/completions', body, headers: { 'x-crash': failure } })).text);
    }
    await running.waitForOutput(/in a rejection \*\*\*/);
    write('setup');
    running.child.kill('SIGHUP');
    await running.waitForOutput(/could not be set up: in setup \*\*\*/);
    running.child.kill('SIGTERM');
    const { out, err } = await running.ended;
    for (const text of ['thrown ***', 'in a timer ***', 'settled ***']) expect(out).toContain(text);
    const files = [...filesBelow(dir)].filter(([path]) => !path.endsWith('.yaml'));
    expect(leaksIn([out, err, ...responseTexts, ...files.map(([, text]) => text)].join('\n'))).toEqual([]);
  });
});

describe('warnings of other commands contain no secret', () => {
  it.each([['check'], ['doctor'], ['providers list'], ['models'], ['explain --model @mock/echo']])('%s', async (command) => {
    writeFileSync(
      join(dir, 'warns.mjs'),
      `process.emitWarning('at the import: ' + process.env.CANARY);
export default { name: 'warns', options: {}, setup: () => void process.emitWarning('in the setup: ' + encodeURIComponent(process.env.CANARY)) };
`,
    );
    writeFileSync(
      join(dir, 'gateway.yaml'),
      `version: 1\nproviders: {mock: {type: mock}, main: {type: openai, api_key: "\${env:CANARY}"}}\nplugins: [auth, {use: ./warns.mjs}, virtual-key, routing, transform, fallback-retry, logging]\n`,
    );
    const { out, err } = await run(command.split(' '), dir, { CANARY: secret });
    expect(leaksIn(out + err)).toEqual([]);
    expect(err).toContain('at the import: ***');
  });
});

describe('errors of other commands', () => {
  it('are reported before any secret is known', async () => {
    const broken = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
      fs.existsSync = () => { throw new Error('broken'); }; syncBuiltinESMExports();`;
    const { code, out, err } = await run(['check'], dir, { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(broken)}` });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^error: an internal error ended the command\nError: broken\n/);
  });
});

describe('errors of other commands contain no secret', () => {
  it.each([
    ['check', 'timer'],
    ['check', 'rejection'],
    ['doctor', 'timer'],
    ['explain --model @mock/echo', 'never'],
  ])('%s, if the plugin fails in a %s', async (command, when) => {
    write(when);
    const more = when === 'never' ? ['--header', 'x-crash: rejection'] : [];
    const { code, out, err } = await run([...command.split(' '), ...more], dir, { CANARY: secret });
    expect([code, leaksIn(out + err)]).toEqual([1, []]);
    expect(err).toContain('error: an internal error ended the command\nError: in a ');
    expect(err).toMatch(/in a (?:timer|rejection) \*\*\*/);
  });
});
