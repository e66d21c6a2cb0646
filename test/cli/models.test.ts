import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ModelRow } from '../../src/cli/models/rows.ts';
import { runHere } from './in-process.ts';

const dirs: string[] = [];
afterAll(() => dirs.forEach((dir) => rmSync(dir, { recursive: true })));

const main = `version: 1
providers:
  openai: {type: openai, api_key: "\${env:MAIN_KEY}"}
  gem: {type: gemini, api_key: key-of-the-file-0123, models: [gemini-2.5-flash, gemini-2.5-*]}
  claude: {type: anthropic, api_key: "\${env:CLAUDE_KEY}", models: [claude-sonnet-4-5]}
  asleep: {type: openai, api_key: "\${env:MAIN_KEY}", enabled: false}
  azure-eu:
    type: azure-openai
    resource_name: contoso-eu
    api_key: "\${env:MAIN_KEY}"
    deployments:
      chat: {deployment_id: d-chat, api_version: "2024-10-21", foundation_model: gpt-4o-mini}
      own: {deployment_id: d-own, api_version: "2024-10-21"}
virtual_keys:
  team-a: {provider: openai, api_key: "\${env:MAIN_KEY}", models: [gpt-4o]}
pricing:
  gem/gemini-2.5-flash: {input: 7, output: 9}
configs:
  fixed:
    strategy: {mode: fallback}
    targets: [{provider: openai, override_params: {model: gpt-4o-mini}}, azure-eu/chat]
  by-name:
    strategy:
      mode: conditional
      conditions: [{query: {params.model: {$in: [fast, gpt-4o]}}, then: a}]
    targets: [{name: a, provider: openai, override_params: {model: gpt-4o-mini}}]
  open: {targets: [{provider: openai}]}
  closed: {targets: [{provider: azure-eu}]}
  unset: {targets: [{provider: claude}]}
  caller: {retry: {attempts: 2}}
`;

/** Its list of models allows only names without a deployment. */
const noModels = `version: 1
providers:
  none:
    type: azure-openai
    resource_name: r
    api_key: "\${env:MAIN_KEY}"
    models: [a*]
    deployments: {chat: {deployment_id: d, api_version: "2024-10-21"}}
`;

function folder(text = main): string {
  const dir = mkdtempSync(join(tmpdir(), 'models-'));
  dirs.push(dir);
  writeFileSync(join(dir, 'gateway.yaml'), text);
  return dir;
}

const env = { MAIN_KEY: 'value-of-the-key-0123' };
const cells = (out: string): string[][] => out.split('\n').map((line) => line.split(/ {3,}/));
const heading = ['CONTEXT', 'INPUT $/M', 'OUTPUT $/M', 'STATE'];
const unknown = ['-', '-', '-', 'ok'];
const mini = ['128000', '0.15', '0.6', 'ok'];

describe('gateway models', () => {
  it('lists the models of each provider, then those of each config', async () => {
    const { code, out, err } = await runHere(['models'], folder(), { env });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(cells(out)).toEqual([
      ['MODEL', 'SENT AS', ...heading],
      ['@openai/*', '-', ...unknown],
      ['@gem/gemini-2.5-flash', 'gemini-2.5-flash', '1048576', '7', '9', 'ok'],
      ['@gem/gemini-2.5-*', '-', ...unknown],
      ['@claude/claude-sonnet-4-5', 'claude-sonnet-4-5', '200000', '3', '15', 'off: CLAUDE_KEY is not set'],
      ['@asleep/*', '-', '-', '-', '-', 'off: enabled: false'],
      ['@azure-eu/chat', 'd-chat (gpt-4o-mini)', ...mini],
      ['@azure-eu/own', 'd-own', ...unknown],
      ['@team-a/gpt-4o', 'gpt-4o', '128000', '2.5', '10', 'ok'],
      [''],
      ['CONFIG', 'MODEL', 'SERVED BY', ...heading],
      ['fixed', 'gpt-4o-mini', 'openai/gpt-4o-mini', ...mini],
      ['fixed', 'chat', 'azure-eu/d-chat (gpt-4o-mini)', ...mini],
      ['fixed', '*', '-', ...unknown],
      // Limits and prices are those of the model that is sent, not of the client's name for it.
      ['by-name', 'fast', 'openai/gpt-4o-mini', ...mini],
      ['by-name', 'gpt-4o', 'openai/gpt-4o-mini', ...mini],
      ['open', '*', '-', ...unknown],
      ['closed', 'chat', 'azure-eu/d-chat (gpt-4o-mini)', ...mini],
      ['closed', 'own', 'azure-eu/d-own', ...unknown],
      ['unset', '*', '-', '-', '-', '-', 'off: none of its targets can serve a model'],
      ['caller', '*', '-', ...unknown],
      [''],
    ]);
  });

  it('prints JSON without secrets', async () => {
    const { code, out } = await runHere(['models', '--json', '--provider', '@azure-eu'], folder(), { env });
    expect(code).toBe(0);
    const rows = JSON.parse(out) as ModelRow[];
    expect(rows.map(({ model, config }) => [model, config])).toEqual([
      ['@azure-eu/chat', null],
      ['@azure-eu/own', null],
      ['chat', 'fixed'],
      ['chat', 'closed'],
      ['own', 'closed'],
    ]);
    expect(rows[0]).toEqual({
      model: '@azure-eu/chat',
      config: null,
      provider: 'azure-eu',
      type: 'azure-openai',
      upstream_model: 'd-chat',
      foundation_model: 'gpt-4o-mini',
      context_length: 128_000,
      price: expect.objectContaining({ input: '0.15', output: '0.6', source: 'genai-prices 0.1.8' }) as unknown,
      state: 'ok',
      why: null,
    });
    expect(out).not.toContain('value-of-the-key');
  });

  it('accepts a configuration without providers', async () => {
    expect(await runHere(['models'], folder('version: 1\nproviders: {}\n'))).toEqual({
      code: 0,
      out: '',
      err: 'no providers; write one with: gateway providers add TYPE\n',
    });
  });

  it.each([100, 60, 44])('fits a terminal of %i columns', async (columns) => {
    const { out } = await runHere(['models'], folder(), { env, isTty: true, columns });
    const lines = out.split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    for (const whole of ['@claude/claude-sonnet-4-5', '@azure-eu/chat', 'by-name']) expect(out).toContain(whole);
    expect(out).toMatch(/off: CLAUDE/);
  });

  it('reads standard input', async () => {
    const text = 'version: 1\nproviders: {own: {type: openai, api_key: "${env:MAIN_KEY}", models: [gpt-4o]}}\n';
    const { code, out } = await runHere(['models', '-c', '-'], folder(), { env, stdin: text });
    expect({ code, rows: cells(out).slice(1) }).toEqual({ code: 0, rows: [['@own/gpt-4o', 'gpt-4o', '128000', '2.5', '10', 'ok'], ['']] });
  });

  it.each<[string, string[], string, number, RegExp]>([
    ['an unknown provider', ['--provider', 'azure-ue'], main, 1, /called "azure-ue"\. Did you mean "azure-eu"\?\nAvailable: openai, gem,/],
    ['a provider without models', ['--provider', 'none'], noModels, 1, /^the configuration lets "none" serve no model\n/],
    ['a broken file', [], 'version: [', 3, /\[yaml-syntax\]/],
    ['an argument', ['openai'], main, 2, /too many arguments/],
  ])('fails for %s', async (_, args, text, expectedCode, message) => {
    const { code, out, err } = await runHere(['models', ...args], folder(text), { env });
    expect({ code, out }).toEqual({ code: expectedCode, out: '' });
    expect(err).toMatch(message);
  });
});
