import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { providers } from '../../plugins/index.ts';
import { interrupt, runHere } from './in-process.ts';
import { startProcess } from './process.ts';

const dirs: string[] = [];
afterAll(() => dirs.forEach((dir) => rmSync(dir, { recursive: true })));

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'init-'));
  dirs.push(dir);
  return dir;
}

const read = (dir: string, file = 'gateway.yaml'): string => readFileSync(join(dir, file), 'utf8');
const services = providers.flatMap(({ type, entry: { service } }) =>
  service === undefined ? [] : [{ type, keyVariable: service.keyVariable }],
);
const env = Object.fromEntries(services.flatMap(({ keyVariable }) => (keyVariable === undefined ? [] : [[keyVariable, 'key-0123456789']])));

/** The part of the file that the tests check. */
interface Written {
  readonly providers: Readonly<Record<string, unknown>>;
  readonly configs: { readonly main: { readonly strategy?: unknown; readonly targets: readonly { readonly provider: string }[] } };
}
const parsed = (text: string): Written => parse(text) as Written;

describe('gateway init', () => {
  it.each(services.map((service) => [service.type, service] as const))(
    'writes a file for %s that gateway check accepts without a warning',
    async (name, { type, keyVariable }) => {
      const cwd = folder();
      const { code, out, err } = await runHere(['init', '--provider', name], cwd, { env });
      expect({ code, out, err }).toEqual({
        code: 0,
        out: 'wrote ./gateway.yaml\n',
        err: 'Added to ./.gitignore: .gateway/ .env\nStart it: gateway start\n',
      });
      expect(parsed(read(cwd)).providers[name]).toEqual({
        type,
        ...(keyVariable === undefined ? {} : { api_key: `\${env:${keyVariable}}` }),
      });
      const checked = await runHere(['check', '--strict'], cwd, { env });
      expect([checked.code, checked.err]).toEqual([0, '']);
    },
  );

  it('writes a fallback chain with the given environment variables', async () => {
    const cwd = folder();
    const flags = [
      '--provider',
      'groq',
      '--key-env',
      'MY_KEY',
      '--fallback',
      'openai',
      '--fallback',
      'ollama',
      '--key-env',
      'ollama=O_KEY',
    ];
    const { code, err } = await runHere(['init', ...flags, '--file', 'my.local.yaml'], cwd, { env: { MY_KEY: 'x' } });
    expect(code).toBe(0);
    expect(err).toBe(
      'Added to ./.gitignore: .gateway/ .env\nSet OPENAI_API_KEY and O_KEY in the environment of the gateway.\nStart it: gateway start -c ./my.local.yaml\n',
    );
    const { providers, configs } = parsed(read(cwd, 'my.local.yaml'));
    expect(Object.keys(providers)).toEqual(['groq', 'openai', 'ollama', 'mock']);
    expect(providers).toMatchObject({ groq: { api_key: '${env:MY_KEY}' }, ollama: { api_key: '${env:O_KEY}' } });
    expect(configs.main.strategy).toEqual({ mode: 'fallback' });
    expect(configs.main.targets.map(({ provider }) => provider)).toEqual(['groq', 'openai', 'ollama']);
    const set = { MY_KEY: 'key-0123456789', OPENAI_API_KEY: 'key-1123456789', O_KEY: 'key-2123456789' };
    expect((await runHere(['check', '--strict', 'my.local.yaml'], cwd, { env: set })).code).toBe(0);
  });

  it('adds missing lines to .gitignore', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, '.gitignore'), 'dist/\r\n/.gateway');
    expect((await runHere(['init', '--dry-run'], cwd)).err).toBe('');
    expect((await runHere(['init'], cwd)).err).toContain('Added to ./.gitignore: .env\n');
    expect(read(cwd, '.gitignore')).toBe('dist/\r\n/.gateway\n.env\n');
    expect((await runHere(['init', '--force'], cwd)).err).toBe('Start it: gateway start\n');
    expect(read(cwd, '.gitignore')).toBe('dist/\r\n/.gateway\n.env\n');
    rmSync(join(cwd, '.gitignore'));
    mkdirSync(join(cwd, '.gitignore'));
    const { code, err } = await runHere(['init', '--force'], cwd);
    expect([code, err]).toEqual([0, 'warning: ./.gitignore cannot be read (it is a directory)\nStart it: gateway start\n']);
  });

  it('does not overwrite a file that appears while it prompts', async () => {
    const cwd = folder();
    const onStderr = (): void => writeFileSync(join(cwd, 'gateway.yaml'), '# mine\n');
    const result = await runHere(['init'], cwd, { answers: ['', ''], onStderr });
    expect(result).toMatchObject({ code: 1, err: expect.stringContaining('./gateway.yaml was changed in the meantime') });
    expect(read(cwd)).toBe('# mine\n');
  });

  it('uses the providers whose keys are in the environment, otherwise the mock', async () => {
    const cwd = folder();
    await runHere(['init'], cwd, { env: { ANTHROPIC_API_KEY: 'x', XAI_API_KEY: 'x', HF_TOKEN: 'x' } });
    expect(Object.keys(parsed(read(cwd)).providers)).toEqual(['anthropic', 'xai', 'mock']);
    await runHere(['init', '--force'], cwd);
    expect(Object.keys(parsed(read(cwd)).providers)).toEqual(['mock']);
    expect((await runHere(['check', '--strict'], cwd)).code).toBe(0);
  });

  it('replaces an existing file only with --force', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'gateway.yaml'), 'version: 1\n');
    const { code, out, err } = await runHere(['init', '--provider', 'openai'], cwd);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toBe('error: ./gateway.yaml already exists: choose another file with --file, or replace it with --force\n');
    expect((await runHere(['init', '--provider', 'openai', '--file', 'gateway.yaml'], cwd)).err).toContain(
      'already exists: choose another file',
    );
    expect(read(cwd)).toBe('version: 1\n');
    expect((await runHere(['init', '--provider', 'openai', '--force'], cwd)).code).toBe(0);
    expect(read(cwd)).toContain('type: openai');
  });

  it('prompts on a terminal for missing values', async () => {
    const cwd = folder();
    const { code, err } = await runHere(['init'], cwd, { env: { XAI_API_KEY: 'x' }, answers: ['', 'vllm, mock'] });
    expect(code).toBe(0);
    expect(err).toMatch(/^provider \[xai\]/);
    expect(Object.keys(parsed(read(cwd)).providers)).toEqual(['xai', 'vllm', 'mock']);
    const folderLeft = folder();
    expect(await runHere(['init'], folderLeft, { answers: [interrupt] })).toMatchObject({ code: 130, out: '' });
    expect(existsSync(join(folderLeft, 'gateway.yaml'))).toBe(false);
  });

  it('prints the file instead of writing it with --dry-run, also as JSON', async () => {
    const cwd = folder();
    expect(parsed((await runHere(['init', '--provider', 'groq', '--dry-run'], cwd)).out).providers).toHaveProperty('groq');
    const { out } = await runHere(['init', '--provider', 'groq', '--dry-run', '--json'], cwd);
    expect(JSON.parse(out)).toEqual({ file: null, providers: [{ slug: 'groq', type: 'groq', key_env: 'GROQ_API_KEY' }] });
    expect(existsSync(join(cwd, 'gateway.yaml'))).toBe(false);
  });

  it.each([
    [['--provider', 'grok'], 2, /no provider "grok"\. Did you mean "groq"\?/],
    [['--provider', 'azure-openai'], 2, /azure-openai needs more than a key \(resource_name is missing\); use: gateway providers add/],
    [['--provider', 'openai', '--key-env', 'sk-0123456789'], 2, /not the key itself/],
    [['--provider', 'openai', '--key-env', 'groq=KEY'], 2, /"groq", which is none of: openai/],
    [['--fallback', 'openai'], 2, /--fallback needs --provider/],
    [['--file', 'no/such/folder.yaml', '--provider', 'openai'], 1, /cannot be written \(no such directory\); nothing was changed/],
    [['--fil', 'x'], 2, /unknown option/],
  ])('rejects %j', async (args, expected, message) => {
    const cwd = folder();
    const { code, out, err } = await runHere(['init', ...args], cwd);
    expect({ code, out, err }).toEqual({ code: expected, out: '', err: expect.stringMatching(message) as unknown });
    expect(err).not.toContain('sk-0123');
    expect(existsSync(join(cwd, 'gateway.yaml'))).toBe(false);
  });

  it('writes a configuration that a gateway can serve', async () => {
    const cwd = folder();
    await runHere(['init', '--provider', 'mock'], cwd);
    const running = startProcess(['start', '--listen', '127.0.0.1:0', '--log-format', 'json'], cwd);
    try {
      await running.waitForOutput(/"msg":"gateway started"/);
      const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+\/v1)/.exec(running.out()) ?? [];
      const response = await fetch(`${url}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-gateway-config': 'main' },
        body: JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'hello' }] }),
      });
      expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'hello' } }] });
    } finally {
      running.child.kill('SIGTERM');
      await running.ended;
    }
  });
});

describe('gateway providers add with the name of a service', () => {
  it.each([
    ['groq', [], 'groq', { type: 'groq', api_key: '${env:GROQ_API_KEY}' }],
    ['groq', ['--slug', 'fast'], 'fast', { type: 'groq', api_key: '${env:FAST_API_KEY}' }],
    ['ollama', [], 'ollama', { type: 'ollama' }],
    ['lmstudio', [], 'lm-studio', { type: 'lm-studio' }],
    [
      'vllm',
      ['--set', 'custom_host=http://10.0.0.7:8000/v1', '--key-env', 'VLLM_KEY'],
      'vllm',
      { type: 'vllm', custom_host: 'http://10.0.0.7:8000/v1', api_key: '${env:VLLM_KEY}' },
    ],
  ])('writes the provider for %s %j', async (name, args, slug, entry) => {
    const { code, out } = await runHere(['providers', 'add', name, '--no-input', '--dry-run', ...args], folder());
    expect(code).toBe(0);
    expect(parse(out)).toEqual({ providers: { [slug]: entry } });
  });

  it('suggests the most similar type', async () => {
    const { code, err } = await runHere(['providers', 'add', 'olama', '--no-input'], folder());
    expect(code).toBe(2);
    expect(err).toMatch(/no provider type "olama"\. Did you mean "ollama"\?\nAvailable: .*azure-openai.*vllm/);
  });
});
