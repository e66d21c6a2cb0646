import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { toValue, traverse } from '../../src/config/read/node.ts';
import { parse, sourceFile } from '../../src/config/read/yaml/parse.ts';
import { readProjectFile } from '../repo/tree.ts';
import { runHere } from './in-process.ts';

const dirs: string[] = [];
afterAll(() => dirs.forEach((dir) => rmSync(dir, { recursive: true })));

function folder(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'convert-'));
  dirs.push(dir);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

/** Each case: source, configuration and report, separated by lines of dashes. The file name starts with the source gateway. */
const cases = join(import.meta.dirname, 'convert-cases');
const small = 'model_list: [{model_name: a, litellm_params: {model: openai/gpt-4o}}]\n';

describe('gateway config convert', () => {
  it.each(readdirSync(cases))('converts %s', async (name) => {
    const [source = '', yaml, report] = readFileSync(join(cases, name), 'utf8').split(/^-----\n/m);
    const dir = folder({ source });
    const { out, err } = await runHere(['config', 'convert', '--from', name.split('-')[0] ?? '', 'source'], dir);
    expect({ yaml: out, report: err }).toEqual({ yaml, report });
    expect((await runHere(['fmt', '-'], dir, { stdin: out })).out).toBe(out);
    for (const [literal] of source.matchAll(/canary-[\w-]+/g)) expect(out + err).not.toContain(literal);
  });

  it.each([
    ['litellm', 'yml', 'config.yaml', { 'azure-eu': 'azure-openai-contoso-eu', 'claude-main': 'anthropic-main' }],
    ['portkey', 'json', 'prod.json', {}],
  ])(
    'converts the example in docs/migrate-%s.md to the documented configuration',
    async (from, kind, file, slugs: Readonly<Record<string, string>>) => {
      const text = readProjectFile(`docs/migrate-${from}.md`);
      const block = (language: string): string => new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text)?.[1] ?? '';
      const env = { LITELLM_MASTER_KEY_SHA256: '0'.repeat(64) };
      const values = async (at: string): Promise<unknown> => {
        const { out } = await runHere(['config', 'show', 'configs', '--json'], at, { env });
        const all = (JSON.parse(out) as { values: { path: string; value: unknown }[] }).values;
        return all.map(({ path, value }) => [path, value]);
      };
      const dir = folder({ [file]: block(kind) });
      await runHere(['config', 'convert', '--from', from, file, '-o', 'gateway.yaml'], dir);
      const convertedValues = await values(folder({ 'gateway.yaml': block('yaml') }));
      const renamed = JSON.stringify(convertedValues).replaceAll(/azure-eu|claude-main/g, (slug) => slugs[slug] ?? slug);
      expect(await values(dir)).toEqual(JSON.parse(renamed));
    },
  );

  it.each(['litellm-page', 'litellm-usual-variables', 'portkey-page'])(
    'reports or keeps a new key in every mapping of %s',
    async (name) => {
      const [source = ''] = readFileSync(join(cases, `${name}.txt`), 'utf8').split(/^-----\n/m);
      const { file, text } = sourceFile('', 'source', source);
      const { root } = parse(
        file,
        text,
        () => expect.unreachable(),
        () => expect.unreachable(),
      );
      const base = root === undefined ? undefined : toValue(root);
      const texts: string[] = [];
      if (root !== undefined)
        traverse(root, (node, path) => {
          const copy = structuredClone(base);
          const at = path.reduce((value, step) => (value as Record<string | number, unknown>)[step], copy);
          if (node.kind === 'map') Object.assign(at as object, { a_new_key: 1 });
          if (node.kind === 'map') texts.push(JSON.stringify(copy));
          return true;
        });
      expect(texts.length).toBeGreaterThan(5);
      for (const stdin of texts) {
        const { out } = await runHere(['config', 'convert', '--from', name.split('-')[0] ?? '', '-', '--json'], folder({}), { stdin });
        expect({ stdin, isThere: out.includes('a_new_key') }).toEqual({ stdin, isThere: true });
      }
    },
  );

  it('writes a file, and replaces one only with --force', async () => {
    const dir = folder({ 'config.yaml': small });
    const args = ['config', 'convert', '--from', 'litellm', 'config.yaml', '-o', 'gateway.yaml'];
    const first = await runHere(args, dir);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toMatch(/^mapped {6}1 model → 1 provider, 1 config\n[^]*\nwrote gateway\.yaml and gateway\.test\.yaml · check: ok/);
    const text = readFileSync(join(dir, 'gateway.yaml'), 'utf8');
    expect(await runHere(['check', '--allow-missing-secrets'], dir)).toMatchObject({ code: 0 });
    writeFileSync(join(dir, 'gateway.yaml'), 'version: 1\n');
    expect(await runHere(args, dir)).toEqual({
      code: 1,
      out: '',
      err: 'error: gateway.yaml already exists: name another file with -o, or replace it with --force\n',
    });
    expect(await runHere([...args, '--force'], dir)).toMatchObject({ code: 0 });
    expect(readFileSync(join(dir, 'gateway.yaml'), 'utf8')).toBe(text);
    rmSync(join(dir, 'gateway.yaml'));
    expect(await runHere(args, dir)).toMatchObject({ code: 1, err: expect.stringMatching(/^error: gateway\.test\.yaml already exists/) });
    expect(readdirSync(dir).toSorted()).toEqual(['config.yaml', 'gateway.test.yaml']);
  });

  it('removes the tests of an earlier conversion with --force if no route can be tested', async () => {
    const dir = folder({
      'config.yaml':
        'model_list: [{model_name: openai/*, litellm_params: {model: openai/*, api_key: os.environ/OPENAI_API_KEY}}]\ngeneral_settings: {master_key: os.environ/LITELLM_MASTER_KEY}\n',
      'gateway.test.yaml': 'tests: []\n',
    });
    const args = ['config', 'convert', '--from', 'litellm', 'config.yaml', '-o', 'gateway.yaml', '--force'];
    const { code, out } = await runHere(args, dir);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^wrote gateway\.yaml · removed gateway\.test\.yaml: no route can be tested · check: /m),
    ]);
    expect(readdirSync(dir).toSorted()).toEqual(['config.yaml', 'gateway.yaml']);
  });

  /** Variables that an API key needs; those of providers may be unset. */
  const env = { LITELLM_MASTER_KEY_SHA256: '0'.repeat(64) };

  it.each(readdirSync(cases))('writes tests of the routes of %s that pass', async (name) => {
    const [source = ''] = readFileSync(join(cases, name), 'utf8').split(/^-----\n/m);
    const dir = folder({ source });
    const { code } = await runHere(['config', 'convert', '--from', name.split('-')[0] ?? '', 'source', '-o', 'gateway.yaml'], dir);
    expect(existsSync(join(dir, 'gateway.test.yaml'))).toBe(code === 0);
    if (code !== 0) return;
    const result = await runHere(['test', '--json'], dir, { env });
    expect(result).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(result.out)).toMatchObject({ failed: 0, passed: expect.toSatisfy((count: number) => count > 1) });
  });

  it('writes a test for each deployment and fallback, which fails if the route changes', async () => {
    const [source = ''] = readFileSync(join(cases, 'litellm-page.txt'), 'utf8').split(/^-----\n/m);
    const dir = folder({ source });
    await runHere(['config', 'convert', '--from', 'litellm', 'source', '-o', 'gateway.yaml'], dir);
    const run = async (): Promise<readonly string[]> => {
      const { out } = await runHere(['test'], dir, { env });
      return out
        .split('\n')
        .flatMap((line) => /^(?:PASS|FAIL) +\S+ +.*?(?= \(|$)/.exec(line)?.[0].replace('gateway.test.yaml  ', '') ?? []);
    };
    expect(await run()).toEqual([
      'PASS gpt-4o uses azure-openai-contoso-eu',
      'PASS gpt-4o falls back to anthropic-main if azure-openai-contoso-eu responds 503',
      'PASS gpt-4o uses openai-main',
      'PASS claude uses anthropic-main',
    ]);
    const yaml = readFileSync(join(dir, 'gateway.yaml'), 'utf8');
    writeFileSync(join(dir, 'gateway.yaml'), yaml.replace('- anthropic-main/claude-sonnet-4-5', '- openai-main/gpt-4o'));
    expect(await run()).toEqual([
      'PASS gpt-4o uses azure-openai-contoso-eu',
      'FAIL gpt-4o falls back to anthropic-main if azure-openai-contoso-eu responds 503',
      'PASS gpt-4o uses openai-main',
      'PASS claude uses anthropic-main',
    ]);
  });

  it('names the routes without a test', async () => {
    const source = JSON.stringify({
      strategy: { mode: 'conditional', conditions: [{ query: { 'metadata.plan': { $in: ['paid'] } }, then: 'a' }], default: 'b' },
      targets: [
        { name: 'a', virtual_key: 'openai-prod' },
        {
          name: 'b',
          strategy: { mode: 'fallback', on_status_codes: [599] },
          targets: [
            {
              strategy: { mode: 'loadbalance' },
              targets: [
                { virtual_key: 'openai-prod', weight: 1 },
                { virtual_key: 'mistral-prod', weight: 0.000001 },
              ],
            },
            { virtual_key: 'groq-prod' },
          ],
        },
      ],
    });
    const dir = folder({ 'prod.json': source });
    await runHere(['config', 'convert', '--from', 'portkey', 'prod.json', '-o', 'gateway.yaml'], dir);
    const text = readFileSync(join(dir, 'gateway.test.yaml'), 'utf8');
    expect(text).toMatch(/^# Tests of the routes in gateway\.yaml\. Run them with `gateway test`\.\n# Routes without a test:\n/);
    expect(/^# Routes[^]*?(?=\ntests:)/m.exec(text)?.[0]).toBe(`# Routes without a test:
#   configs.prod.strategy.conditions[0]: not a comparison of the model or of metadata
#   any other model: configs.prod.targets[1].targets[1]: no status that was tried leads to it
#   any other model: configs.prod.targets[1].targets[0].targets[1]: no random number that was tried chooses it`);
    expect(text).toContain('name: any other model uses openai-main');
  });

  it('writes valid tests for conditions that look alike', async () => {
    const gold = { then: 'a', query: { 'metadata.plan': 'gold' } };
    const config = (name: string): object => ({
      name,
      config: {
        strategy: {
          mode: 'conditional',
          conditions: [gold, { ...gold, query: { 'metadata.plan': { $eq: 'gold' } } }, { ...gold, query: { 'metadata.tier': 'gold' } }],
          default: 'b',
        },
        targets: [
          { name: 'a', virtual_key: 'openai-prod' },
          {
            name: 'b',
            strategy: { mode: 'loadbalance' },
            targets: [
              { virtual_key: 'openai-prod', weight: 97 },
              { virtual_key: 'mistral-prod', weight: 3 },
            ],
          },
        ],
      },
    });
    const dir = folder({ 'prod.json': JSON.stringify([config('x'), config('y')]) });
    await runHere(['config', 'convert', '--from', 'portkey', 'prod.json', '-o', 'other.yaml'], dir);
    const command = 'test -c other.yaml other.test.yaml';
    expect(readFileSync(join(dir, 'other.test.yaml'), 'utf8')).toContain(`\`gateway ${command}\`.\ntests:\n`);
    const { code, out, err } = await runHere([...command.split(' '), '--json'], dir);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect((JSON.parse(out) as { tests: { name: string }[] }).tests.map(({ name }) => name)).toEqual(
      ['x', 'y'].flatMap((name) => [
        `${name}, plan=gold uses openai-main`,
        `${name}, tier=gold uses openai-main`,
        `${name}, any other request uses openai-main`,
        `${name}, any other request uses mistral-main`,
      ]),
    );
  });

  it.each([
    ['a mapped file', small, ['--strict'], 0],
    ['a key without a counterpart', `${small}other: 1\n`, [], 0],
    ['a key without a counterpart with --strict', `${small}other: 1\n`, ['--strict'], 1],
    ['invalid YAML', 'a: [canary-syntax', [], 1],
    ['an empty file', '', [], 1],
    ['a text', 'canary', [], 1],
    ['a file of another program', 'services: {web: {image: canary}}\n', [], 1],
    ['a result with an error', small.replace('gpt-4o', 'gpt-4o, timeout: 0'), [], 3],
  ])('returns the exit code for %s', async (_name, source, flags, code) => {
    const dir = folder({ 'config.yaml': source });
    const result = await runHere(['config', 'convert', '--from', 'litellm', 'config.yaml', ...flags], dir);
    expect(result).toMatchObject({ code });
    expect(result.out + result.err).not.toContain('canary');
  });

  it('writes no file if nothing can be converted', async () => {
    const dir = folder({ 'config.yaml': '{targets: [{provider: openai}]}\n' });
    expect(await runHere(['config', 'convert', '--from', 'litellm', 'config.yaml', '-o', 'gateway.yaml'], dir)).toEqual({
      code: 1,
      out: '',
      err: `error: no part of the source can be converted: is it a configuration of litellm?
  targets: no such setting here   config.yaml:1
Nothing was written.
`,
    });
    expect(readdirSync(dir)).toEqual(['config.yaml']);
  });

  it('rejects wrong usage', async () => {
    const dir = folder({ 'config.yaml': small });
    expect(await runHere(['config', 'convert', 'config.yaml'], dir)).toMatchObject({ code: 2 });
    expect(await runHere(['config', 'convert', '--from', 'other', 'config.yaml'], dir)).toMatchObject({ code: 2 });
    expect(await runHere(['config', 'convert', '--from', 'litellm'], dir)).toMatchObject({ code: 2 });
    expect(await runHere(['config', 'convert', '--from', 'litellm', 'absent.yaml'], dir)).toMatchObject({
      code: 2,
      err: 'error: the file "absent.yaml" cannot be read (no such file)\n',
    });
  });

  it('prints JSON and reads standard input', async () => {
    const { code, out, err } = await runHere(['config', 'convert', '--from', 'litellm', '-', '--json'], folder({}), {
      stdin: `${small}other: 1\n`,
    });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      file: null,
      mapped: '1 model → 1 provider, 1 config',
      not_mapped: [{ path: 'other', text: 'no such setting here', places: ['<stdin>:2'] }],
      variables: [{ name: 'OPENAI_API_KEY', secret: true, origin: 'default', note: null }],
      check: { ok: true },
      text: expect.stringContaining('openai-main'),
    });
  });
});
