import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RunResult, runHere } from '../cli/in-process.ts';
import { root } from '../repo/tree.ts';
import { env, inFolder, untimed } from './case.ts';

const body = '{model: gpt-4o-mini, messages: [{role: user, content: hi}]}';
const one = (name: string, expected: string): string =>
  `tests:\n  - name: ${name}\n    request: {config: support, key: app-web, body: ${body}}\n    expect: ${expected}\n`;
const good = one('goes to the first target', '{attempts: [openai-main]}');
const bad = one('goes "to" <the> second & target', '{attempts: [azure-eu]}');

const run = (files: Readonly<Record<string, string>>, ...args: string[]): Promise<RunResult> =>
  inFolder(files, (dir) => runHere(['test', ...args], dir, { env }));

/** The tests that were run, with their files. */
const lines = ({ out }: RunResult): string[] =>
  out
    .split('\n')
    .filter((line) => /^(?:PASS|FAIL) /.test(line))
    .map((line) => line.replace(/ \(\d+ ms\)$/, '').replaceAll(/ +/g, ' '));

describe('the files of gateway test', () => {
  const files = { 'good.test.yaml': good, 'folder/bad.test.yaml': bad, 'folder/below/good.test.yml': good, 'folder/other.yaml': 'a: b' };
  const inRoot = 'PASS good.test.yaml goes to the first target';
  const inFolderBad = 'FAIL folder/bad.test.yaml goes "to" <the> second & target';
  const below = 'PASS folder/below/good.test.yml goes to the first target';

  it.each<[string, readonly string[], readonly string[]]>([
    ['are found next to the configuration', [], [inRoot]],
    ['can be given by name', ['folder/bad.test.yaml', 'good.test.yaml', 'good.test.yaml'], [inFolderBad, inRoot]],
    ['can be given as a folder, including subfolders', ['folder'], [inFolderBad, below]],
    ['can be given as a pattern', ['*/*.test.yaml'], [inFolderBad]],
    ['are filtered by file name and test name', ['.', '--filter', 'second'], [inFolderBad]],
  ])('%s', async (_name, args, expected) => {
    const result = await run(files, ...args);
    expect(lines(result)).toEqual(expected);
    expect(result.code).toBe(expected.some((line) => line.startsWith('FAIL')) ? 1 : 0);
  });

  it('are found next to each file of the configuration, and are not loaded as configuration', async () => {
    const gateway = `version: 1\ninclude: [parts/*.yaml]\nproviders: {openai-main: {type: mock}}\n`;
    const parts = {
      'parts/support.yaml': 'configs: {support: {targets: [openai-main/echo]}}\n',
      'parts/support.test.yaml': good.replace('key: app-web, ', ''),
    };
    const result = await run({ 'gateway.yaml': gateway, ...parts });
    expect(lines(result)).toEqual(['PASS parts/support.test.yaml goes to the first target']);
  });

  it.each<[string, Readonly<Record<string, string>>, readonly string[], number, string]>([
    ['are missing', {}, [], 1, 'error: no test files found'],
    ['do not exist', {}, ['none.test.yaml'], 2, 'error: there is no file "none.test.yaml"'],
    ['match no pattern', {}, ['none/*.yaml'], 1, 'error: no test files found'],
    ['are empty', { 'a.test.yaml': 'tests: []', 'b.test.yaml': good }, [], 3, 'error: "tests" is empty'],
    ['match no filter', { 'a.test.yaml': good }, ['--filter', 'x"y'], 1, 'error: no test matches "x"y"'],
    ['are not valid', { 'a.test.yaml': 'tests: [{}]' }, [], 3, 'error: "name" and "expect" are missing in tests[0]'],
    ['belong to no valid configuration', { 'a.test.yaml': good, 'gateway.yaml': 'version: 2' }, [], 3, 'error: "version" must be 1'],
  ])('that %s are an error', async (_name, files, args, code, message) => {
    const result = await run(files, ...args);
    expect(result.err).toContain(message);
    expect({ code: result.code, out: result.out }).toEqual({ code, out: '' });
  });

  it('cause an error if they cannot be read', async () => {
    const result = await inFolder({}, (dir) => {
      symlinkSync('loop', join(dir, 'loop'));
      return runHere(['test', 'loop'], dir, { env });
    });
    expect(result).toEqual({ code: 2, out: '', err: 'error: loop cannot be read (its symbolic links form a cycle)\n' });
  });
});

describe('the results of gateway test', () => {
  const files = { 'a.test.yaml': good, 'b.test.yaml': bad };

  it('are counted', async () => {
    expect((await run(files)).out).toMatch(/^1 passed, 1 failed \(\d+ ms\)\n$/m);
  });

  it('are printed as JSON with --json', async () => {
    const result = await run(files, '--json');
    expect(JSON.parse(result.out)).toMatchObject({
      ok: false,
      passed: 1,
      failed: 1,
      tests: [
        { file: 'a.test.yaml', line: 2, name: 'goes to the first target', ok: true, failures: [] },
        {
          file: 'b.test.yaml',
          ok: false,
          failures: [{ what: 'attempts', expected: 'azure-eu', got: 'openai-main', line: 4, column: 24 }],
        },
      ],
    });
  });

  it('contain the diagnostics of an invalid file with --json', async () => {
    const result = await run({ 'a.test.yaml': 'test: []' }, '--json');
    expect(JSON.parse(result.out)).toMatchObject({
      ok: false,
      tests: [],
      diagnostics: [{ code: 'unknown-key', line: 1, hint: 'did you mean "tests"?' }],
    });
  });

  it('are written as JUnit XML with --junit', async () => {
    const text = await inFolder(files, async (dir) => {
      await runHere(['test', '--junit', 'results.xml'], dir, { env });
      return readFileSync(join(dir, 'results.xml'), 'utf8').replaceAll(/time="[\d.]+"/g, 'time=""');
    });
    expect(text).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1" errors="0" time="">
  <testsuite name="a.test.yaml" tests="1" failures="0" errors="0" time="">
    <testcase name="goes to the first target" classname="a.test.yaml" file="a.test.yaml" line="2" time=""/>
  </testsuite>
  <testsuite name="b.test.yaml" tests="1" failures="1" errors="0" time="">
    <testcase name="goes &quot;to&quot; &lt;the&gt; second &amp; target" classname="b.test.yaml" file="b.test.yaml" line="2" time="">
      <failure message="attempts is not as expected">b.test.yaml:4:24 attempts: expected azure-eu, got openai-main</failure>
    </testcase>
  </testsuite>
</testsuites>
`);
  });

  it('cause an error if they cannot be written', async () => {
    const result = await run(files, '--junit', 'none/results.xml');
    expect({ code: result.code, err: result.err }).toEqual({
      code: 1,
      err: expect.stringContaining('cannot be written (no such file)') as string,
    });
  });
});

describe('each test of gateway test', () => {
  it('runs without the plugin state of other tests', async () => {
    const circuit = 'strategy: {mode: fallback, cb_config: {failure_threshold: 1, minimum_requests: 1, cooldown_interval: 1h}}';
    const gateway = `version: 1\nproviders: {a: {type: mock}, b: {type: mock}}\nconfigs: {support: {${circuit}, targets: [a/echo, b/echo]}}\n`;
    const again = (name: string): string =>
      `  - {name: ${name}, request: {config: support, body: ${body}}, upstream: {a: 500}, expect: {attempts: [a, b]}}\n`;
    const result = await run({ 'gateway.yaml': gateway, 'a.test.yaml': `tests:\n${again('one')}${again('two')}` });
    expect(result.out).toContain('2 passed');
  });

  it.each<[string, string, string]>([
    [
      'sees mode "dry"',
      `plan(ctx) { throw new Error('mode ' + ctx.mode + ' ' + options.user); }`,
      'the gateway or a plugin failed: mode dry ${env:TEAM_USER}',
    ],
    ['gets no record', `record() { throw new Error('recorded'); }`, '1 passed'],
  ])("runs with the operator's own plugin, which %s", async (_name, moment, expected) => {
    const plugin = `export default { name: 'own', options: { type: 'object' }, setup: (options) => ({ ${moment} }) };`;
    const gateway = `version: 1\nproviders: {a: {type: mock}}\nplugins: [{use: ./own.mjs, options: {user: "\${env:TEAM_USER}"}}, routing, models, transform, fallback-retry]\nserver: {open: true}\n`;
    const test = `tests: [{name: one, request: {body: {model: "@a/echo", messages: [{role: user, content: hi}]}}, expect: {status: 200}}]`;
    const result = await run({ 'gateway.yaml': gateway, 'own.mjs': plugin, 'a.test.yaml': test });
    expect(result.out).toContain(expected);
  });
});

describe('unset variables', () => {
  const test = `tests: [{name: one, request: {config: support, body: ${body}}, expect: {status: 200}}]`;
  const gatewayWith = (server: string): string =>
    `version: 1\nserver: {${server}}\nconfigs: {support: {targets: [{provider: openai, api_key: "\${env:NO_KEY}"}]}}\n`;

  it('do not stop gateway test, wherever they are written', async () => {
    const server = 'listen: "127.0.0.1:${env:NO_PORT}", probe_listen: "${env:NO_ADDRESS}", state_dir: "${env:NO_FOLDER}"';
    const result = await run({ 'gateway.yaml': gatewayWith(server), 'a.test.yaml': test });
    expect(result).toMatchObject({ code: 0, err: '' });
    expect(result.out).toContain('1 passed');
  });

  it('may be the hash of an API key', async () => {
    const gateway = `version: 1\nproviders: {a: {type: mock}}\nconfigs: {support: {targets: [a/echo]}}\napi_keys: {app-web: {hash: "\${env:NO_HASH}"}}\n`;
    expect(await run({ 'gateway.yaml': gateway, 'a.test.yaml': good.replace('openai-main', 'a') })).toMatchObject({ code: 0, err: '' });
  });

  it('are reported with the other errors of a configuration that is not valid', async () => {
    const result = await run({ 'gateway.yaml': gatewayWith('nonsense: 1'), 'a.test.yaml': test });
    expect(result).toMatchObject({ code: 3, out: '' });
    expect(result.err).toContain('environment variable NO_KEY is not set');
    expect(result.err).toContain('unknown key "nonsense"');
  });
});

describe('example of the documentation', () => {
  const page = readFileSync(join(root, 'docs/testing.md'), 'utf8');
  const [example = '', shown = ''] = [...page.matchAll(/^```\n([\s\S]*?)^```$/gm)].map(([, text]) => text ?? '');

  it('prints the documented output', async () => {
    const files = {
      'configs/support.test.yaml': example,
      'configs/fixtures/audio.json': '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "hi"}]}',
    };
    const result = await inFolder(files, (dir) => runHere(['test', 'configs'], dir, { env }));
    expect(untimed(result.out)).toBe(untimed(shown.replace('$ gateway test\n', '')));
  });
});

describe('tests of the shipped configuration', () => {
  it('pass', async () => {
    const result = await runHere(['test'], root, { env: {} });
    expect(result.out + result.err).toMatch(/^\d+ passed \(\d+ ms\)$/m);
  });
});
