import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runHere } from './in-process.ts';

const dirs: string[] = [];
afterAll(() => dirs.forEach((dir) => rmSync(dir, { recursive: true })));

const main = `# Of team A.
version: 1
include: [configs/*.yaml]
# The key is in the vault.
providers:
  main: {type: openai, api_key: "\${env:MAIN_KEY}"}
server: {open: true}
`;
const formattedMain = `# Of team A.
version: 1
include: [configs/*.yaml]
server: {open: true}

# The key is in the vault.
providers:
  main: {type: openai, api_key: "\${env:MAIN_KEY}"}
`;
const support = 'configs:\n  support: {overrideParams: {maxTokens: 1}, retry: {useRetryAfterHeaders: true}, targets: [main/m]}  \n';
const camelCase = 'configs:\n  support: {override_params: {maxTokens: 1}, retry: {useRetryAfterHeaders: true}, targets: [main/m]}\n';
const fixed = camelCase.replace('useRetryAfterHeaders', 'use_retry_after_header');

function folder(text = main): string {
  const dir = mkdtempSync(join(tmpdir(), 'fmt-'));
  dirs.push(dir);
  mkdirSync(join(dir, 'configs'));
  writeFileSync(join(dir, 'gateway.yaml'), text);
  writeFileSync(join(dir, 'configs/support.yaml'), support);
  writeFileSync(join(dir, 'binary.yaml'), Buffer.from([0xff, 0xfe]));
  return dir;
}

const read = (dir: string, file = 'gateway.yaml'): string => readFileSync(join(dir, file), 'utf8');
const revisionOf = async (dir: string): Promise<unknown> =>
  (JSON.parse((await runHere(['config', 'show', '--json'], dir)).out) as { revision: string }).revision;

describe('gateway fmt', () => {
  it('formats the file and its included files without changing a value', async () => {
    const dir = folder();
    const revision = await revisionOf(dir);
    chmodSync(join(dir, 'gateway.yaml'), 0o640);
    expect(await runHere(['fmt'], dir)).toEqual({
      code: 0,
      out: 'gateway.yaml\nconfigs/support.yaml\n',
      err: `configs/support.yaml:2: overrideParams → override_params
warning: configs/support.yaml:2: useRetryAfterHeaders is an old name of use_retry_after_header; replace it with: gateway fmt --fix
formatted 2 of 2 files
`,
    });
    expect([read(dir), read(dir, 'configs/support.yaml')]).toEqual([formattedMain, camelCase]);
    expect(statSync(join(dir, 'gateway.yaml')).mode & 0o777).toBe(0o640);
    expect(readdirSync(dir).toSorted()).toEqual(['binary.yaml', 'configs', 'gateway.yaml']);
    expect(await revisionOf(dir)).toBe(revision);
    expect(await runHere(['fmt'], dir)).toMatchObject({ code: 0, out: '' });
  });

  it('replaces old names with --fix', async () => {
    const dir = folder();
    const revision = await revisionOf(dir);
    expect(await runHere(['fmt', '--fix', 'configs/support.yaml'], dir)).toMatchObject({ code: 0, out: 'configs/support.yaml\n' });
    expect([read(dir), read(dir, 'configs/support.yaml')]).toEqual([main, fixed]);
    expect(await revisionOf(dir)).toBe(revision);
  });

  it('only reports with --check', async () => {
    const dir = folder();
    const { code, out, err } = await runHere(['fmt', '--check'], dir);
    expect({ code, out }).toEqual({ code: 1, out: 'gateway.yaml\nconfigs/support.yaml\n' });
    expect(err).toContain('2 of 2 files not formatted; run: gateway fmt\n');
    for (const file of ['configs/support.yaml', 'gateway.yaml'])
      expect((await runHere(['fmt', '--check', '--fix', file], dir)).err).toContain(`run: gateway fmt ${file} --fix\n`);
    expect((await runHere(['fmt', '--check', '-c', 'gateway.yaml'], dir)).err).toContain('run: gateway fmt -c gateway.yaml\n');
    expect([read(dir), read(dir, 'configs/support.yaml')]).toEqual([main, support]);
    writeFileSync(join(dir, 'gateway.yaml'), formattedMain);
    writeFileSync(join(dir, 'configs/support.yaml'), fixed);
    expect(await runHere(['fmt', '--check', '--fix'], dir)).toEqual({ code: 0, out: '', err: '2 files checked, nothing to format\n' });
  });

  it('keeps a symbolic link', async () => {
    const dir = folder();
    symlinkSync('gateway.yaml', join(dir, 'link.yaml'));
    expect(await runHere(['fmt', 'link.yaml'], dir)).toMatchObject({ code: 0, out: 'link.yaml\n' });
    expect(read(dir)).toBe(formattedMain);
    expect(readdirSync(dir).toSorted()).toEqual(['binary.yaml', 'configs', 'gateway.yaml', 'link.yaml']);
  });

  it('formats standard input', async () => {
    expect(await runHere(['fmt', '-'], folder(), { stdin: main })).toEqual({ code: 0, out: formattedMain, err: '' });
    expect(await runHere(['fmt', '-', '--check'], folder(), { stdin: main })).toEqual({ code: 1, out: '<stdin>\n', err: '' });
  });

  it('prints JSON', async () => {
    const { code, out } = await runHere(['fmt', '--check', '--json'], folder());
    expect({ code, found: JSON.parse(out) as unknown }).toEqual({
      code: 1,
      found: {
        files: [
          { file: 'gateway.yaml', changed: true, renamed: [], old_names: [], refused: null },
          {
            file: 'configs/support.yaml',
            changed: true,
            renamed: [{ from: 'overrideParams', to: 'override_params', line: 2 }],
            old_names: [{ from: 'useRetryAfterHeaders', to: 'use_retry_after_header', line: 2 }],
            refused: null,
          },
        ],
      },
    });
  });

  it('formats an invalid configuration if it is valid YAML', async () => {
    const dir = folder(main.replace('type: openai', 'type: opnai'));
    expect(await runHere(['fmt'], dir)).toMatchObject({ code: 0 });
    expect(read(dir)).toContain('type: opnai');
  });

  it('leaves a file unchanged if its meaning would change, and formats the others', async () => {
    const anchored = 'version: 1\nproviders: {a: &a {type: mock}}\nserver: {x-a: *a}\ninclude: [configs/*.yaml]\n';
    const dir = folder(anchored);
    const { code, out, err } = await runHere(['fmt'], dir);
    expect({ code, out }).toEqual({ code: 1, out: 'configs/support.yaml\n' });
    expect(err).toMatch(/error: gateway\.yaml was left as it is: .* move the anchor/);
    expect([read(dir), read(dir, 'configs/support.yaml')]).toEqual([anchored, camelCase]);
  });

  it('writes nothing if a file is invalid YAML, and prints no secret of it', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'configs/broken.yaml'), 'providers:\n  a: {api_key: "sk-literal-0123456789\n');
    const { code, out, err } = await runHere(['fmt'], dir);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(/configs\/broken\.yaml[^]*error: configs\/broken\.yaml is not valid YAML; nothing was written\n$/);
    expect(err).not.toContain('sk-literal');
    expect([read(dir), read(dir, 'configs/support.yaml')]).toEqual([main, support]);
  });

  it.each<[string, string[], string, number, RegExp]>([
    ['a duplicate key', [], 'version: 1\nversion: 1\n', 3, /\[duplicate-key\][^]*is not valid YAML/],
    ['a list', [], '- a\n', 3, /must be a mapping/],
    ['a missing file', ['none.yaml'], main, 3, /none\.yaml/],
    [
      'a missing included file',
      [],
      main.replace('configs/*', 'configs/none'),
      3,
      /^error: gateway\.yaml:3: the file "configs\/none\.yaml" cannot be read/,
    ],
    [
      'an included file that is not text',
      [],
      main.replace('configs/*', 'binary'),
      3,
      /^error: binary\.yaml:1: the file is not text in UTF-8/,
    ],
    ['a file that is not text', ['binary.yaml'], main, 3, /not text in UTF-8/],
    ['a folder', ['configs'], main, 3, /it is a directory/],
    ['an empty name', [''], main, 2, /is empty/],
  ])('fails for %s', async (_, args, text, expectedCode, message) => {
    const dir = folder(text);
    const { code, out, err } = await runHere(['fmt', ...args], dir);
    expect({ code, out, text: read(dir) }).toEqual({ code: expectedCode, out: '', text });
    expect(err).toMatch(message);
  });
});
