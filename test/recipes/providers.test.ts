import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { run } from '../cli/process.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { type Compatible, compatible, pieces, serve } from './compatible.ts';
import { Page } from './page.ts';
import { closed, type Command, credential, type Recipe, startRecipe } from './recipe.ts';
import { startService } from './service.ts';

const shell: Command = { program: ['sh', '-eu'], file: 'recipe.sh' };

let service: ScriptedUpstream;
let recipe: Recipe;
afterEach(async () => {
  await recipe?.close();
  await service?.close();
});

interface Chat {
  readonly choices: readonly [{ readonly message: { readonly content: string } }];
}

/** The curl commands of the page that match the pattern. */
const requests = (page: Page, pattern: RegExp): string[] =>
  page.blocks.filter(({ language, text }) => language === 'sh' && text.startsWith('curl') && pattern.test(text)).map(({ text }) => text);

async function begin(name: string, kind: Compatible, yaml?: string): Promise<void> {
  service = await startUpstream((response, request) => serve(kind, response, request, credential));
  recipe = await startRecipe(name, service, yaml);
}

const runRecipe = async (text: string): Promise<unknown> => JSON.parse(await recipe.run(text, shell)) as unknown;
const contentOf = (chat: unknown): string => (chat as Chat).choices[0].message.content;

describe.each(Object.entries(compatible))('docs/recipes/%s.md', (name, kind) => {
  it('chats, streams, lists models and shows the errors of the service', async () => {
    await begin(name, kind);
    const [whole = ''] = requests(recipe.page, /"@(?!.*"stream")/);
    const [streamed = ''] = requests(recipe.page, /"stream": true/);
    const [models = ''] = requests(recipe.page, /\/v1\/models/);
    expect(await runRecipe(whole)).toEqual(JSON.parse(kind.whole(pieces.join(''))));
    const events = (await recipe.run(streamed, shell)).split('\n').filter((line) => line.startsWith('data: {'));
    const parsed = events.map((line) => JSON.parse(line.slice(6)) as { choices: readonly [{ delta: { content?: string } }] });
    expect(parsed.map(({ choices }) => choices[0].delta.content ?? '').join('')).toBe(pieces.join(''));
    const { data } = (await runRecipe(models)) as { data: readonly { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(kind.models.data.map(({ id }) => id));
    const { error } = (await runRecipe(whole.replace(/("@\w+\/)[^"]+/, '$1other'))) as { error: { message: string } };
    expect(error.message).toContain(kind.missing.message);
    expect(service.requests).toHaveLength(4);
  });

  it('describes a providers add command that writes the same configuration', async () => {
    const page = new Page(name);
    const [, command = ''] = /`npm run gateway -- (providers add [^`]+)`/.exec(page.text) ?? [];
    const cwd = await mkdtemp(join(tmpdir(), 'recipe-'));
    await writeFile(join(cwd, 'gateway.yaml'), 'version: 1\nproviders: {mock: {type: mock}}\n');
    const { out } = await run([...command.split(' '), '--no-input', '--dry-run'], cwd);
    await rm(cwd, { recursive: true });
    expect(parse(out)).toEqual({ providers: (parse(page.block('yaml')) as { providers: object }).providers });
  });
});

describe('docs/recipes/ollama.md', () => {
  it('falls back to the service if Ollama is not running', async () => {
    const page = new Page('ollama');
    await begin('ollama', compatible.groq, page.block('yaml', 1).replace('type: ollama', `type: ollama, custom_host: http://${closed}/v1`));
    expect(contentOf(await runRecipe(requests(page, /local-first/)[0] ?? ''))).toBe('Hello there!');
    expect(service.requests.map(({ url }) => url)).toEqual(['/openai/v1/chat/completions']);
  });
});

describe('docs/recipes/vllm.md', () => {
  it('skips a server that fails', async () => {
    const page = new Page('vllm');
    await begin('vllm', compatible.vllm, page.block('yaml', 1));
    service.script = (response, request, nth) =>
      nth === 1 ? void response.destroy() : serve(compatible.vllm, response, request, credential);
    const [request = ''] = requests(page, /gpus/);
    expect(contentOf(await runRecipe(request))).toBe('Hello there!');
    expect(service.requests.length).toBeGreaterThan(1);
  });

  it('passes on fields that only vLLM supports', async () => {
    await begin('vllm', compatible.vllm);
    await runRecipe(requests(recipe.page, /top_k/)[0] ?? '');
    expect(JSON.parse(service.requests[0]?.body.toString('utf8') ?? '')).toMatchObject({ top_k: 50, model: compatible.vllm.model });
  });
});

describe('docs/recipes/openrouter.md', () => {
  it('sends the name of the app if it is configured', async () => {
    const page = new Page('openrouter');
    await begin('openrouter', compatible.openrouter, page.block('yaml', 1));
    expect(contentOf(await runRecipe(requests(page, /x-title/)[0] ?? ''))).toBe('Hello there!');
    expect(service.requests[0]?.headers).toMatchObject({ 'http-referer': 'https://app.example.com', 'x-title': 'Example' });
  });
});

describe('docs/recipes/bare-model-names.md', () => {
  it('reaches each provider by its model names', async () => {
    service = await startService(() => ({ text: 'Hello!' }));
    recipe = await startRecipe('bare-model-names', service);
    const printed = await recipe.run(recipe.page.block('sh'), shell);
    expect(printed.replaceAll('\r', '')).toBe(recipe.page.block('text'));
    expect(service.requests.map(({ url }) => url)).toEqual(['/v1/messages', ...Array.from({ length: 3 }, () => '/v1/chat/completions')]);
  });
});

describe('docs/recipes/azure-openai-client.md', () => {
  it('chats and streams', async () => {
    service = await startService(() => ({ text: 'Hello!' }));
    recipe = await startRecipe('azure-openai-client', service);
    const modules = new URL('../../node_modules', import.meta.url).pathname;
    const printed = await recipe.run(recipe.page.block('js'), { program: [process.execPath], file: 'app.mjs', modules });
    expect(printed).toBe(recipe.page.block('text'));
    expect(service.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual(
      Array.from({ length: 2 }, () => ['/v1/chat/completions', `Bearer ${credential}`]),
    );
  });
});
