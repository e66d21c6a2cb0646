import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { npmPackages } from '../support/npm.ts';
import { pythonWith } from '../support/python.ts';
import { json, type ScriptedUpstream } from '../support/upstream.ts';
import { Page } from './page.ts';
import { type Command, credential, type Recipe, startRecipe } from './recipe.ts';
import { type Model, startService } from './service.ts';
import { skipping } from '../support/skipping.ts';

const clients = new URL('clients/', import.meta.url).pathname;
const npm = npmPackages('programs', `${clients}programs`, ['node_modules/@anthropic-ai/claude-code/install.cjs']);
const python = pythonWith('aider', `${clients}python/aider.txt`);

const inNpm = 'missing' in npm ? { missing: npm.missing, path: [] } : { missing: undefined, path: [join(npm.folder, 'node_modules/.bin')] };
const inPython =
  'missing' in python ? { missing: python.missing, path: [] } : { missing: undefined, path: [python.python.replace(/\/[^/]+$/, '')] };

/** Telemetry, updates and news checks are off. */
const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  AIDER_ANALYTICS_DISABLE: 'true',
  AIDER_CHECK_UPDATE: 'false',
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
};
const shell = (path: readonly string[], env: Command['env'] = {}): Command => ({
  program: ['sh', '-eu'],
  file: 'recipe.sh',
  path,
  env: { ...quiet, ...env },
});

let service: ScriptedUpstream;
let recipe: Recipe;
afterEach(async () => {
  await recipe?.close();
  await service?.close();
});

/** The gateway of the page, and a project called "demo" with the files that the page puts into the home folder. */
async function begin(page: string, model: Model, yaml?: string): Promise<void> {
  service = await startService(model);
  recipe = await startRecipe(page, service, yaml);
  await writeFile(join(recipe.folder, 'package.json'), '{"name": "demo"}\n');
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    [...author, 'commit', '-qm', 'Begin'],
  ]) {
    git(...args);
  }
  if (!recipe.page.blocks.some(({ language }) => language === 'toml')) return;
  await mkdir(join(recipe.home, '.codex'));
  await writeFile(join(recipe.home, '.codex/config.toml'), recipe.here(recipe.page.block('toml')));
}
function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: recipe.folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}
const author = ['-c', 'user.name=Reader', '-c', 'user.email=reader@example.com'];

/** Reads a file with the tool of the program and returns its content. */
const reader =
  (tool: string, input: () => object): Model =>
  ({ tools, results }) => {
    if (results.length === 0) return tools.includes(tool) ? { call: tool, input: input() } : { text: 'A title' };
    const name = /"name": "(\w+)"/.exec(JSON.stringify(results).replaceAll('\\', ''))?.[1];
    return { text: `The project is called ${name ?? 'nothing'}.` };
  };

const identity = (text: string): string => text;

/** Errors that a retry cannot fix. */
const permanent: readonly {
  readonly name: string;
  readonly yaml: (text: string) => string;
  readonly text: (text: string) => string;
  readonly status: number;
  readonly shows: string;
}[] = [
  {
    name: 'the provider rejects the credential',
    yaml: identity,
    text: identity,
    status: 502,
    shows: 'rejected the credential of providers.',
  },
  {
    name: 'the gateway does not know the key',
    yaml: identity,
    text: (text) => text.replace('my-first', 'my-second'),
    status: 401,
    shows: 'is not a key of this gateway',
  },
];

const npmPrograms = [
  {
    page: 'claude-code',
    path: '/v1/messages',
    otherPath: '/v1/chat/completions',
    model: reader('Read', () => ({ file_path: join(recipe.folder, 'package.json') })),
  },
  { page: 'codex', path: '/v1/responses', otherPath: '/v1/messages', model: reader('exec_command', () => ({ cmd: 'cat package.json' })) },
] as const;

/** The configuration of a page with a provider of the other format. */
const withOther = (text: string): string =>
  text.replace(/type: (\w+)/, (_, type: string) => `type: ${type === 'openai' ? 'anthropic' : 'openai'}`);

for (const { page, path, otherPath, model } of npmPrograms) {
  describe.skipIf(skipping(inNpm.missing))(`docs/recipes/${page}.md (${inNpm.missing ?? 'run'})`, () => {
    it('completes a tool loop', async () => {
      await begin(page, model);
      const printed = await recipe.run(recipe.page.block('sh'), shell(inNpm.path));
      expect(printed).toBe(recipe.page.block('text'));
      expect(service.requests.map(({ url }) => url.split('?')[0])).toEqual([path, path]);
      const { headers } = service.requests[0] ?? {};
      expect(headers?.['x-api-key'] ?? headers?.authorization).toMatch(credential);
    });

    it('completes a tool loop with a provider of another format', async () => {
      await begin(page, model, withOther(new Page(page).block('yaml')));
      const printed = await recipe.run(recipe.page.block('sh'), shell(inNpm.path));
      expect(printed).toBe(recipe.page.block('text'));
      expect(service.requests.map(({ url }) => url.split('?')[0])).toEqual([otherPath, otherPath]);
    });

    it.each(permanent)('sends one request if $name', async ({ yaml, text, status, shows }) => {
      await begin(page, model, yaml(new Page(page).block('yaml')));
      service.script = (response) => json(response, 401, { error: { type: 'authentication_error', message: 'no' } });
      // Otherwise Claude Code retries any 400 without one experimental feature after the other.
      const command = shell(inNpm.path, { CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1' });
      await expect(recipe.run(text(recipe.page.block('sh')), command)).rejects.toThrow(shows);
      // Codex retries a 5xx whatever its headers contain; the page allows one retry.
      await expect.poll(() => recipe.calls()).toBe(page === 'codex' && status >= 500 ? 2 : 1);
    });
  });
}

describe.skipIf(skipping(inPython.missing))(`docs/recipes/aider.md (${inPython.missing ?? 'run'})`, () => {
  it('edits a file', async () => {
    const change = 'package.json\n```json\n<<<<<<< SEARCH\n{"name": "demo"}\n=======\n{"name": "renamed"}\n>>>>>>> REPLACE\n```\n';
    await begin('aider', () => ({ text: change }));
    await recipe.run(recipe.page.block('sh'), shell(inPython.path));
    expect(await readFile(join(recipe.folder, 'package.json'), 'utf8')).toBe('{"name": "renamed"}\n');
    expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${credential}`);
    expect(service.requests.map(({ url }) => url)).toEqual(['/v1/chat/completions', '/v1/chat/completions']);
    expect(git('rev-list', '--count', 'HEAD')).toBe('2\n');
  });
});
