import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Step } from '../recipes/formats.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { npmPackages } from '../support/npm.ts';
import { skipping } from '../support/skipping.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';
import { startModel, type Turn } from './service.ts';

/** Claude Code from the registry runs its tool loop on models that do not support the Messages API. */

const programs = new URL('../recipes/clients/programs', import.meta.url).pathname;
const npm = npmPackages('programs', programs, ['node_modules/@anthropic-ai/claude-code/install.cjs']);
const missing = 'missing' in npm ? npm.missing : undefined;

/** Providers by type: the settings in addition to the address. */
const targets: readonly (readonly [name: string, entry: (url: string) => object, model: string])[] = [
  ['openai', (url) => ({ type: 'openai', api_key: 'k', custom_host: `${url}/v1` }), 'gpt-5'],
  ['azure-openai', (url) => ({ type: 'azure-openai', api_key: 'k', custom_host: url, api_version: 'v1' }), 'gpt-4.1'],
  ['gemini', (url) => ({ type: 'gemini', api_key: 'k', custom_host: `${url}/v1beta` }), 'gemini-3-pro-preview'],
  ['bedrock', (url) => ({ type: 'bedrock', access_key_id: 'AKIA1', secret_access_key: 's', custom_host: url }), 'amazon.nova-pro-v1:0'],
  ['groq', (url) => ({ type: 'groq', api_key: 'k', custom_host: `${url}/openai/v1` }), 'llama-3.3-70b'],
];

let folder = '';
let service: ScriptedUpstream;
let gateway: TestGateway;
afterEach(async () => {
  await gateway?.close();
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Reads and edits a file, runs a command on it, and returns the output of the command. */
function nextStep({ tools, results }: Turn): Step {
  // Some requests ask for a title and have no tools.
  if (!tools.includes('Edit')) return { text: 'A title' };
  const file = join(folder, 'notes.txt');
  const steps: readonly Step[] = [
    { call: 'Read', input: { file_path: file } },
    { call: 'Edit', input: { file_path: file, old_string: 'colour: blue', new_string: 'colour: green' } },
    { call: 'Bash', input: { command: 'cat notes.txt', description: 'Shows the file' } },
  ];
  const printed = /colour: (\w+)/.exec(JSON.stringify(results.at(-1)))?.[1] ?? 'unknown';
  return steps[results.length] ?? { text: `The colour is ${printed}.` };
}

async function run(model: string): Promise<string> {
  if ('missing' in npm) throw new Error(npm.missing);
  const args = ['-p', 'Make the colour green and show it.', '--model', model, '--allowedTools', 'Read,Edit,Bash'];
  const child = spawn(join(npm.folder, 'node_modules/.bin/claude'), args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.timeout(100_000),
    env: {
      PATH: [join(npm.folder, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter),
      HOME: join(folder, 'home'),
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ANTHROPIC_BASE_URL: gateway.url,
      ANTHROPIC_AUTH_TOKEN: 'none',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    },
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  // It prints there that it does not know the context size of such a model.
  child.stderr.resume();
  await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
  return out;
}

describe.skipIf(skipping(missing))(`Claude Code (${missing ?? 'run'})`, () => {
  describe.each(targets)('on %s', (_name, entry, model) => {
    it.each([
      ['streamed', false],
      ['whole', true],
    ] as const)('edits a file, runs a command and responds, %s', async (_form, isWhole) => {
      folder = await mkdtemp(join(tmpdir(), 'claude-code-'));
      await writeFile(join(folder, 'notes.txt'), 'colour: blue\n');
      service = await startModel(nextStep, isWhole);
      gateway = await startTestGateway(JSON.stringify({ version: 1, providers: { target: entry(service.url) } }));
      expect(await run(`@target/${model}`)).toBe('The colour is green.\n');
      expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('colour: green\n');
      const records = gateway.records.filter(({ endpoint }) => endpoint === 'messages');
      expect(records.length).toBeGreaterThanOrEqual(4);
      expect(records.map(({ status }) => status)).toEqual(records.map(() => 200));
    });
  });
});
