import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runHere, typed } from '../../../test/cli/in-process.ts';
import type { CheckFlags } from './index.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'gateway-check-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const validYaml = 'version: 1\nproviders:\n  mock: {type: mock}\n';
const yamlWithWarning = `${validYaml}configs: {one: {provider: mock, cache: {mode: semantic}}}\n`;
const invalidYaml = 'version: 1\nproviders:\n  mock: {type: mock, colour: red}\n';

function write(files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), text);
  }
}

async function run(
  files: readonly string[],
  flags: Partial<CheckFlags> = {},
  streams: { env?: Record<string, string>; stdin?: string; isTty?: boolean } = {},
) {
  const { code, out, err } = await runHere(['check', ...files, ...typed(flags)], cwd, streams);
  return { code, out: out.replace(/\(\d+ ms\)/, '(0 ms)'), err: err.replace(/\(\d+ ms\)/, '(0 ms)') };
}

describe('gateway check', () => {
  it('reports what it found in a valid file', async () => {
    write({ 'gateway.yaml': `${validYaml}include: [configs/*.yaml]\n`, 'configs/a.yaml': 'configs: {a: {provider: mock}}\n' });
    expect(await run([])).toEqual({ code: 0, out: 'ok: 2 files, 1 provider, 1 config, 0 keys (0 ms)\n', err: '' });
  });

  it.each([
    ['UTF-16', Buffer.from(`\ufeff${validYaml}`, 'utf16le'), '1:1'],
    ['Latin-1', Buffer.from(`${validYaml}configs: {fü: {}}\n`, 'latin1'), '4:12'],
    ['zero bytes', Buffer.from(`${validYaml}configs: "a\0b"\n`), '4:12'],
  ])('reports that the file is not UTF-8: %s', async (_name, bytes, location) => {
    writeFileSync(join(cwd, 'gateway.yaml'), bytes);
    const { code, out } = await run([]);
    expect(code).toBe(3);
    expect(out).toContain('error: the file is not text in UTF-8 ');
    expect(out).toContain(`--> gateway.yaml:${location}   save it as UTF-8\n\n1 error in`);
  });

  it.each([
    ['colour: red'],
    ['server: {colour: red}'],
    ['logging: {colour: red}'],
    ['configs: {a: {provider: mock, colour: red}}'],
    ['api_keys: {a: {colour: red}}'],
    ['prompts: {a: {colour: red}}'],
    ['colour: {}'],
    ['include: 7'],
  ])('links to existing sections of the documentation: %s', async (line) => {
    write({ 'gateway.yaml': `${validYaml}${line}\n` });
    const { out } = await run([], { json: true });
    const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
    const sections = new Set(
      [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => `docs/configuration.md#${title?.toLowerCase().replaceAll(' ', '-')}`),
    );
    const links = [...out.matchAll(/"docs": ?"([^"]*)"/g)].map(([, link]) => link);
    for (const link of links) expect(sections).toContain(link);
    if (line.includes('colour: red')) expect(links.length).toBeGreaterThan(0);
  });

  it('suggests how to fix an unset variable and a missing configuration', async () => {
    expect((await run([])).err).toMatch(/Write one with gateway init, or name a file/);
    write({ 'gateway.yaml': `${validYaml}  openai: {type: openai, api_key: "\${env:NO_SUCH_KEY}"}\n` });
    expect((await run([])).out).toMatch(/ set it, add a default with \$\{env:NO_SUCH_KEY:-…\}, or set enabled: false/);
  });

  it('returns exit code 3 and a count if there is an error', async () => {
    write({ 'gateway.yaml': invalidYaml });
    const { code, out } = await run([]);
    expect(code).toBe(3);
    expect(out).toMatch(/^error: unknown key "colour" .*\[unknown-key\]\n {2}--> gateway.yaml:3:22\n/);
    expect(out).toMatch(/\n\n1 error in 1 file \(0 ms\)\n$/);
  });

  it('returns exit code 0 on warnings, and 3 with --strict', async () => {
    write({ 'gateway.yaml': yamlWithWarning });
    const exitWithoutStrict = await run([]);
    expect(exitWithoutStrict.code).toBe(0);
    expect(exitWithoutStrict.out).toContain('warning: the cache finds only equal');
    expect(exitWithoutStrict.out).toMatch(/ok: 1 file, 1 provider, 1 config, 0 keys, 1 warning \(0 ms\)\n$/);
    const strict = await run([], { strict: true });
    expect(strict.code).toBe(3);
    expect(strict.out).toContain('error: the cache finds only equal');
  });

  it.each([
    ['short', 'gateway.yaml:3:22: error: unknown key "colour" [unknown-key]\n'],
    ['github', /^::error file=gateway.yaml,line=3,endLine=3,col=22,endColumn=28,title=unknown-key::unknown key "colour": allowed: .*\n$/],
  ] as const)('writes the summary to stderr with --format %s', async (format, lines) => {
    write({ 'gateway.yaml': invalidYaml });
    const { code, out, err } = await run([], { format });
    expect({ code, err }).toEqual({ code: 3, err: '1 error in 1 file (0 ms)\n' });
    expect(out).toEqual(typeof lines === 'string' ? lines : expect.stringMatching(lines));
  });

  it.each([{ format: 'json' }, { json: true }] as const)('prints one JSON document for %o', async (options) => {
    write({ 'gateway.yaml': invalidYaml });
    const { code, out } = await run([], options);
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      errors: 1,
      warnings: 0,
      files: [join(cwd, 'gateway.yaml')],
      revision: null,
      diagnostics: [{ code: 'unknown-key', severity: 'error', file: 'gateway.yaml', line: 3, column: 22, endColumn: 28 }],
    });
    write({ 'gateway.yaml': validYaml });
    expect(JSON.parse((await run([], options)).out)).toMatchObject({
      ok: true,
      errors: 0,
      revision: expect.stringMatching(/^[0-9a-f]{7}$/),
    });
  });

  it('tests the providers of a valid file with --live', async () => {
    const down = '  down: {type: openai, custom_host: "http://127.0.0.1:9/v1", api_key: "${env:KEY}"}\n';
    write({ 'up.yaml': validYaml, 'down.yaml': validYaml + down, 'invalid.yaml': invalidYaml });
    const env = { KEY: 'a-key-of-the-provider' };
    expect(await run(['up.yaml'], { live: true })).toMatchObject({ code: 0, out: expect.stringMatching(/^ok: .*\nmock +ok /) });
    expect(await run(['down.yaml', 'up.yaml'], { live: true }, { env })).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^ok: [^]*^down +FAIL +127\.0\.0\.1:9 [^]*^mock +ok /m),
    });
    expect((await run(['invalid.yaml'], { live: true })).out).not.toMatch(/^mock /m);
  });

  it('uses colors only on a terminal', async () => {
    write({ 'gateway.yaml': invalidYaml });
    expect((await run([], {}, { isTty: true })).out).toContain('\u001b[');
    expect((await run([])).out).not.toContain('\u001b[');
    expect((await run(['--no-color'], {}, { isTty: true })).out).not.toContain('\u001b[');
  });
});

describe('configuration file of gateway check', () => {
  it.each([
    ['is taken from the argument first', ['one.yaml'], { config: 'two.yaml' }, { GATEWAY_CONFIG: 'three.yaml' }, 'one.yaml'],
    ['is taken from -c before the environment', [], { config: 'two.yaml' }, { GATEWAY_CONFIG: 'three.yaml' }, 'two.yaml'],
    ['is taken from GATEWAY_CONFIG before ./gateway.yaml', [], {}, { GATEWAY_CONFIG: 'three.yaml' }, 'three.yaml'],
    ['is ./gateway.yaml by default', [], {}, {}, 'gateway.yaml'],
  ] as const)('%s', async (_name, files, options, env, expected) => {
    write({ 'one.yaml': invalidYaml, 'two.yaml': invalidYaml, 'three.yaml': invalidYaml, 'gateway.yaml': invalidYaml });
    const { out } = await run(files, { ...options, format: 'short' }, { env });
    expect(out.split(':')[0]).toBe(expected);
  });

  it('is reported as unreadable if a named file does not exist', async () => {
    write({ 'gateway.yaml': validYaml });
    const { code, out } = await run(['nope.yaml'], { format: 'short' });
    expect({ code, out }).toEqual({
      code: 3,
      out: 'nope.yaml:1:1: error: the file "nope.yaml" cannot be read (no such file) [unreadable-file]\n',
    });
  });

  it('is rejected if a secret file is not UTF-8', async () => {
    write({ 'gateway.yaml': 'version: 1\nproviders:\n  o: {type: openai, api_key: "${file:secret}"}\n' });
    writeFileSync(join(cwd, 'secret'), Buffer.from('a\ncaf\xe9', 'latin1'));
    expect(await run([], { format: 'short' })).toMatchObject({
      code: 3,
      out: 'gateway.yaml:3:31: error: the file "secret" cannot be read (it is not text in UTF-8: see line 2) [unreadable-file]\n',
    });
  });

  it('is read from standard input for -', async () => {
    expect(await run(['-'], {}, { stdin: validYaml })).toMatchObject({
      code: 0,
      out: 'ok: 1 file, 1 provider, 0 configs, 0 keys (0 ms)\n',
    });
    expect((await run(['-'], { format: 'short' }, { stdin: invalidYaml })).out).toMatch(/^<stdin>:3:22: error/);
  });

  it('is not read from a pipe, and the hint names standard input', async () => {
    expect((await run(['/dev/null'], { format: 'pretty' })).out).toContain('name - as the file to read standard input');
  });

  it('can be one of several', async () => {
    write({ 'a.yaml': validYaml, 'b.yaml': invalidYaml });
    const { code, out } = await run(['a.yaml', 'b.yaml'], { format: 'short' });
    expect({ code, out }).toEqual({ code: 3, out: 'b.yaml:3:22: error: unknown key "colour" [unknown-key]\n' });
  });

  it('is reported as not found with the paths that were searched', async () => {
    const { code, out, err } = await run([]);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(/no configuration found; looked for \.\/gateway\.yaml and \/etc\/gateway\/gateway\.yaml\n/);
  });
});
