import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProcess, type Running } from '../cli/process.ts';
import { until } from '../support/gateway.ts';

const secret = 'canary-of-the-plugin-0123456789';

let cwd: string;
let running: Running | undefined;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'plugin-leaks-'));
});
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  running = undefined;
  await rm(cwd, { recursive: true, force: true });
});

/** Starts a gateway with a plugin whose code runs when its file is imported. The loader is a child process with IPC. */
async function start(code: string, workers: number): Promise<Running> {
  await writeFile(
    join(cwd, 'plugin.mjs'),
    `const secret = process.env.CANARY;
const isLoader = process.argv[1].includes('config-worker');
const isWorker = process.argv[1].includes('serving-worker');
${code}
export default { name: 'own', options: {}, setup: () => ({}) };
`,
  );
  await writeFile(
    join(cwd, 'gateway.yaml'),
    `version: 1
server: {state_dir: memory, workers: ${workers}}
providers:
  mock: {type: mock}
  main: {type: openai, api_key: "\${env:CANARY}"}
plugins: [auth, virtual-key, routing, transform, fallback-retry, {use: ./plugin.mjs}]
`,
  );
  running = startProcess(['start', '--no-admin', '--listen', '127.0.0.1:0', '--log-format', 'json'], cwd, { CANARY: secret });
  return running;
}

async function expectMasked({ child, out, err, ended }: Running, sign: RegExp): Promise<void> {
  const shows = (pattern: RegExp): boolean => pattern.test(out() + err());
  await until(() => shows(sign) || shows(new RegExp(secret)), 'the text of the plugin');
  child.kill('SIGTERM');
  await ended;
  expect(shows(new RegExp(secret))).toBe(false);
}

/** What the code does with the secret, and what shows that it has done it. */
const shown: readonly (readonly [what: string, code: string, sign: RegExp])[] = [
  ['a warning', 'process.emitWarning(`warned: ${secret}`);', /warned: \*{3}/],
  ['an exception of the import while the gateway serves it', 'if (!isLoader) throw new Error(`thrown: ${secret}`);', /thrown: \*{3}/],
  ['an exception in a timer of the loader', 'if (isLoader) setTimeout(() => { throw new Error(`late: ${secret}`); });', /late: \*{3}/],
];

describe.each([1, 2])('with %d processes that serve', (workers) => {
  it.each(shown)('masks a secret in %s', async (_, code, sign) => {
    const process = await start(code, workers);
    await expectMasked(process, sign);
  });
});

it('masks a secret in an exception that ends the start of a worker process', async () => {
  const process = await start(
    'if (isWorker) { setTimeout(() => { throw new Error(`early: ${secret}`); }); }\nawait new Promise((resolve) => setTimeout(resolve, 100));',
    2,
  );
  await expectMasked(process, /early: \*{3}/);
});
