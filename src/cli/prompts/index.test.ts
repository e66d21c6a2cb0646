import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runHere, typed } from '../../../test/cli/in-process.ts';
import type { RenderFlags } from './index.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'gateway-prompts-'));
  writeFileSync(join(cwd, 'gateway.yaml'), file);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const file = `version: 1
providers: {main: {type: openai, api_key: "\${env:NOT_SET}"}}
configs: {support: {provider: main}}
prompts:
  welcome:
    description: First answer
    published: 1
    labels: {canary: 2}
    versions:
      1:
        config: support
        model: gpt-4o-mini
        parameters: {temperature: 0.3, stream: true, stream_options: {include_usage: true}}
        variables: {product: {type: string, required: true}, tone: {default: friendly}, count: {type: number}, tags: {type: array}}
        messages:
          - {role: system, content: "Greet buyers of {{product}}, {{tone}}, {{count}}{{#tags}} [{{.}}]{{/tags}} by \${env:SECRET:-nobody}."}
          - {role: user, content: [{type: text, text: "{{product}}"}, {type: image_url, image_url: {url: "https://x.example/{{product}}.png"}}]}
      2:
        messages: [{role: user, content: "{{question}}"}]
`;

type Run = ReturnType<typeof runHere>;

const run = (args: readonly string[], env: Record<string, string> = {}): Run =>
  runHere(['prompts', ...args], cwd, { env, stdin: file.replaceAll('welcome', 'piped') });
const list = (flags: RenderFlags = {}): Run => run(['list', ...typed(flags)]);
const render = (name: string, flags: RenderFlags = {}, env: Record<string, string> = {}): Run =>
  run(['render', name, ...typed(flags)], env);

describe('gateway prompts list', () => {
  it('prints every version in columns', async () => {
    expect(await list()).toEqual({
      code: 0,
      err: '',
      out: `PROMPT     NAMES      MODEL        CONFIG   VARIABLES
welcome@1  published  gpt-4o-mini  support  product!, tone=friendly, count:number, tags:array
welcome@2  canary     -            -        question
`,
    });
  });

  it('prints JSON with --json and reads standard input with -c -', async () => {
    const { out } = await list({ json: true, config: '-' });
    expect(JSON.parse(out)).toMatchObject([
      {
        id: 'piped',
        description: 'First answer',
        published: 1,
        labels: { canary: 2 },
        versions: [
          { name: 'piped@1', variables: { tone: { type: null, required: false, default: 'friendly' } } },
          { name: 'piped@2', model: null, variables: {}, reads: ['question'] },
        ],
      },
    ]);
  });

  it('reports that there are no prompts', async () => {
    writeFileSync(join(cwd, 'gateway.yaml'), 'version: 1\n');
    const err = 'no prompts are defined; define them under "prompts" in gateway.yaml\n';
    expect(await list()).toEqual({ code: 0, out: '', err });
    expect(await list({ json: true })).toEqual({ code: 0, out: '[]\n', err });
  });

  it.each([100, 44])('fits a terminal of %i columns, without a part of a secret', async (columns) => {
    const secret = 'hunter22-hunter22';
    writeFileSync(join(cwd, 'gateway.yaml'), file.replace('default: friendly', 'default: "${env:SECRET}"'));
    const { out } = await runHere(['prompts', 'list'], cwd, { env: { SECRET: secret }, isTty: true, columns });
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(out).toContain('welcome@2');
    expect(out).not.toContain('hunter');
  });

  it.each([{}, { json: true }])('hides values of environment variables with %j', async (options) => {
    const secret = 'hunter22-hunter22';
    writeFileSync(join(cwd, 'gateway.yaml'), file.replace('default: friendly', 'default: "${env:SECRET}"'));
    expect((await run(['list', ...typed(options)], { SECRET: secret })).out).not.toContain(secret);
  });

  it.each([
    [{ config: 'absent.yaml' }, 'absent.yaml'],
    [{ config: 'broken.yaml' }, '[bad-template]'],
  ])('returns exit code 3 for %j', async (options, expectedError) => {
    writeFileSync(join(cwd, 'broken.yaml'), file.replace('{{question}}', '{{#question}}'));
    expect(await list(options)).toMatchObject({ code: 3, out: '', err: expect.stringContaining(expectedError) as string });
  });
});

describe('gateway prompts render', () => {
  it('prints no control characters of a value', async () => {
    const { out } = await render('welcome@1', { var: ['product=a\u001b[2J\u009b31m\u202eb'] });
    expect(out).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  });

  it('prints the messages in a readable form', async () => {
    expect(await render('welcome', { var: ['product=Kite', 'count=5', 'tags=["a","b"]'] })).toEqual({
      code: 0,
      err: '',
      out: `welcome@1 · model gpt-4o-mini · config support
temperature: 0.3

system
  Greet buyers of Kite, friendly, 5 [a] [b] by nobody.

user
  Kite
  {"type":"image_url","image_url":{"url":"https://x.example/Kite.png"}}
`,
    });
  });

  it('prints the request body as JSON with --json', async () => {
    writeFileSync(join(cwd, 'mail.txt'), 'line = 1\nline "2"\n');
    const { code, out } = await render('welcome@canary', { json: true, varFile: ['question=mail.txt'] });
    expect([code, JSON.parse(out)]).toEqual([0, { messages: [{ role: 'user', content: 'line = 1\nline "2"' }] }]);
  });

  it('renders whatever fits into the default of server.max_body', async () => {
    writeFileSync(join(cwd, 'large.txt'), 'x'.repeat(51_000_000));
    expect(await render('welcome@canary', { json: true, varFile: ['question=large.txt'] })).toMatchObject({ code: 0, err: '' });
  });

  it('hides values of environment variables', async () => {
    const { out } = await render('welcome', { var: ['product=Kite'] }, { SECRET: 'hunter22-hunter22' });
    expect(out).not.toContain('hunter22');
  });

  it.each<[string, RenderFlags, number, RegExp]>([
    ['welcom', {}, 1, /^error: No prompt is named "welcom"\. Did you mean "welcome"\?\n/],
    ['welcome@7', {}, 1, /^error: Prompt "welcome" has no version 7\.\nAvailable versions: 1, 2\.\n$/],
    ['welcome', {}, 1, /^error: Prompt "welcome@1" needs the variable "product"\.\n.*\nIn this command: --var name=value, or/],
    ['welcome', { var: ['product=x', 'count=many'] }, 1, /^error: Variable "count" of prompt "welcome@1" is a string, not a number\.\n/],
    [
      'welcome',
      { var: ['product=5'], varFile: ['tone=absent.txt'] },
      2,
      /^error: the file "absent.txt" cannot be read \(no such file\)\n$/,
    ],
    ['welcome', { var: ['product'] }, 2, /^error: --var must be name=value, not "product"\n$/],
    ['welcome', { varFile: ['=x'] }, 2, /^error: --var-file must be name=path, not "=x"\n$/],
  ])('of %s with %j returns exit code %i', async (name, options, code, err) => {
    expect(await render(name, options)).toMatchObject({ code, out: '', err: expect.stringMatching(err) as string });
  });

  it('warns about an unused variable', async () => {
    expect((await render('welcome@2', { var: ['question=x', 'color=red'] })).err).toBe(
      'warning: variable "color" is not used by prompt "welcome@2"\n',
    );
  });
});
