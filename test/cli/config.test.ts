import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../repo/tree.ts';
import { runHere } from './in-process.ts';

const dirs: string[] = [];
afterAll(() => dirs.forEach((dir) => rmSync(dir, { recursive: true })));

const main = `version: 1
include: [configs/*.yaml]
server: {header_prefixes: [x-a-]}
providers:
  main: {type: openai, api_key: "\${env:MAIN_KEY}"}
  azure-eu:
    type: azure-openai
    resource_name: contoso-eu
    api_key: sk-literal-0123456789
    deployments:
      gpt-4.1: {deployment_id: d1, api_version: "2024-10-21", api_key: "\${env:DEP_KEY:-sk-default}"}
`;
const support = `configs:
  support:
    targets:
      - provider: main
        overrideParams: {model: gpt-4o, note: "a text that is too long for a narrow terminal, from the first word to the last"}
`;

function folder(text = main): string {
  const dir = mkdtempSync(join(tmpdir(), 'config-'));
  dirs.push(dir);
  mkdirSync(join(dir, 'configs'));
  writeFileSync(join(dir, 'gateway.yaml'), text);
  writeFileSync(join(dir, 'configs/support.yaml'), support);
  return dir;
}

const env = { MAIN_KEY: 'value-of-the-key-0123' };
const show = (args: readonly string[], more: object = {}) => runHere(['config', 'show', ...args], folder(), { env, ...more });
const cells = (out: string): string[][] => out.split('\n').map((line) => line.split(/ {3,}/));

describe('gateway config show', () => {
  it('prints each value with its origin, with defaults and with references for secrets', async () => {
    const { code, out, err } = await show([]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(cells(out)).toEqual(
      expect.arrayContaining([
        ['PATH', 'ORIGIN', 'VALUE'],
        ['server.header_prefixes[0]', 'gateway.yaml:3', 'x-a-'],
        ['server.max_body', 'default', '50MB'],
        ['providers.main.api_key', 'gateway.yaml:5', '${env:MAIN_KEY}'],
        ['providers.main.enabled', 'default', 'true'],
        ['providers.azure-eu.api_key', 'gateway.yaml:9', '(set in the file, not shown)'],
        ['providers.azure-eu.deployments."gpt-4.1".api_key', 'gateway.yaml:11', '${env:DEP_KEY:-…}'],
        ['configs.support.targets[0].override_params.model', 'configs/support.yaml:5', 'gpt-4o'],
      ]),
    );
    expect(out).not.toMatch(/server\.header_prefixes +default|value-of-the-key|sk-literal|sk-default/);
  });

  it.each([
    ['a value', 'server.max_body', ['server.max_body']],
    ['a mapping', 'server.drain', ['server.drain.delay', 'server.drain.timeout']],
    ['an item', 'server.header_prefixes[0]', ['server.header_prefixes[0]']],
    ['an item by its index', 'server.header_prefixes.0', ['server.header_prefixes[0]']],
    [
      'a name without quotes, which a shell removes',
      'providers.azure-eu.deployments.gpt-4.1',
      ['deployment_id', 'api_version', 'api_key'].map((key) => `providers.azure-eu.deployments."gpt-4.1".${key}`),
    ],
  ])('prints only %s', async (_, path, expected) => {
    const { out } = await show([path]);
    expect(
      cells(out)
        .slice(1, -1)
        .map(([found]) => found),
    ).toEqual(expected);
  });

  it('prints JSON in the format of the admin API', async () => {
    const { code, out } = await show(['providers.main', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      revision: expect.stringMatching(/^[0-9a-f]{7}$/) as unknown,
      files: ['gateway.yaml', 'configs/support.yaml'],
      values: [
        { path: 'providers.main.type', value: 'openai', origin: { file: 'gateway.yaml', line: 5 } },
        { path: 'providers.main.api_key', value: '${env:MAIN_KEY}', origin: { file: 'gateway.yaml', line: 5 } },
        { path: 'providers.main.enabled', value: 'true', origin: 'default' },
        { path: 'providers.main.isolate', value: 'false', origin: 'default' },
      ],
    });
  });

  it('omits defaults with --no-defaults', async () => {
    const { out } = await show(['--no-defaults']);
    expect(out).not.toMatch(/ default /);
    expect(out).toContain('gateway.yaml:3');
  });

  it('works without secrets', async () => {
    const { code, out } = await show(['providers.main.api_key'], { env: {} });
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('${env:MAIN_KEY}') as unknown });
  });

  it('reads standard input', async () => {
    const { code, out } = await show(['version', '-c', '-'], { stdin: 'version: 1\nproviders: {mock: {type: mock}}\n' });
    expect({ code, out }).toEqual({ code: 0, out: 'PATH      ORIGIN      VALUE\nversion   <stdin>:1   1\n' });
  });

  it('truncates values only on a terminal', async () => {
    const path = 'configs.support.targets[0].override_params.note';
    const { out } = await show([path], { isTty: true, columns: 90 });
    expect(out.split('\n')[1]).toMatch(/ a text .*…$/);
    expect((await show([path], { columns: 90 })).out).toContain('to the last');
  });

  it.each<[string, string[], string, number, RegExp]>([
    ['an unknown path', ['server.max_bodi'], main, 1, /^error: nothing is set at "server\.max_bodi"\. Did you mean "server\.max_body"\?\n/],
    ['a default with --no-defaults', ['server.max_body', '--no-defaults'], main, 1, /nothing is set at/],
    ['an empty path', [''], main, 2, /the path is empty/],
    ['a second path', ['server', 'logging'], main, 2, /too many arguments/],
    ['a broken file', [], 'version: [', 3, /\[yaml-syntax\]/],
    ['an invalid file', [], main.replace('type: openai', 'type: opnai'), 3, /did you mean "openai"/],
    ['a missing file', ['-c', 'none.yaml'], main, 3, /none\.yaml/],
  ])('fails for %s', async (_, args, text, expectedCode, message) => {
    const { code, out, err } = await runHere(['config', 'show', ...args], folder(text), { env });
    expect({ code, out }).toEqual({ code: expectedCode, out: '' });
    expect(err).toMatch(message);
  });
});

describe('gateway config schema', () => {
  it.each([[[]], [['--json']]])('prints the schema of the package with %j', async (more) => {
    const { code, out, err } = await runHere(['config', 'schema', ...more], folder('version: ['));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(readFileSync(join(root, 'configs/schema/gateway.schema.json'), 'utf8'));
  });
});
