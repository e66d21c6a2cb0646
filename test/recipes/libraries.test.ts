import { afterEach, describe, expect, it } from 'vitest';
import { npmPackages } from '../support/npm.ts';
import { type Python, pythonWith } from '../support/python.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';
import { type Command, credential, type Recipe, startRecipe } from './recipe.ts';
import { startService } from './service.ts';
import { skipping } from '../support/skipping.ts';

const clients = new URL('clients/', import.meta.url).pathname;
const modules = npmPackages('libraries', `${clients}libraries`);
const python = (name: string): Python => pythonWith(name, `${clients}python/${name}.txt`);

interface Case {
  readonly page: string;
  readonly language: 'python' | 'js';
  readonly missing: string | undefined;
  readonly command: Command;
}

/** Telemetry is off: LangSmith's by default, the others' here. */
const quiet = { LANGSMITH_TRACING: 'false', AI_SDK_TELEMETRY_DISABLED: '1' };

const inPython = (page: string): Case => {
  const found = python(page);
  const program = 'missing' in found ? [] : [found.python];
  return {
    page,
    language: 'python',
    missing: 'missing' in found ? found.missing : undefined,
    command: { program, file: 'app.py', env: quiet },
  };
};
const inNode = (page: string): Case => ({
  page,
  language: 'js',
  missing: 'missing' in modules ? modules.missing : undefined,
  command: {
    program: [process.execPath],
    file: 'app.mjs',
    env: quiet,
    ...('missing' in modules ? {} : { modules: `${modules.folder}/node_modules` }),
  },
});

let service: ScriptedUpstream;
let recipe: Recipe;
afterEach(async () => {
  await recipe?.close();
  await service?.close();
});

const cases = [inPython('langchain'), inNode('langchain'), inPython('llama-index'), inPython('pydantic-ai'), inNode('vercel-ai-sdk')];

for (const { page, language, missing, command } of cases) {
  describe(`docs/recipes/${page}.md in ${language}`, () => {
    it.skipIf(skipping(missing))(`chats, streams and lets the model call a tool (${missing ?? 'run'})`, async () => {
      service = await startService(({ tools, results }) => {
        if (results.length > 0) return { text: `It is ${String(results[0])}.` };
        return tools.includes('weather') ? { call: 'weather', input: { city: 'Paris' } } : { text: 'Hello!' };
      });
      recipe = await startRecipe(page, service);
      const printed = await recipe.run(recipe.page.block(language), command);
      expect(printed).toBe(recipe.page.block('text'));
      const bodies = service.requests.map(({ body }) => JSON.parse(body.toString('utf8')) as { model: string; stream?: boolean });
      // Complete, streamed, and two for the tool, which some libraries also stream.
      expect(bodies.map(({ model }) => model)).toEqual(Array.from({ length: 4 }, () => 'gpt-4o-mini'));
      expect(bodies.slice(0, 2).map(({ stream }) => stream ?? false)).toEqual([false, true]);
      expect(new Set(service.requests.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${credential}`]));
    });
  });
}

describe("docs/recipes/vercel-ai-sdk.md with OpenAI's provider", () => {
  const { command, missing } = inNode('vercel-ai-sdk');
  it.skipIf(skipping(missing))(`uses responses or chat completions (${missing ?? 'run'})`, async () => {
    service = await startService(() => ({ text: 'Hello!' }));
    recipe = await startRecipe('vercel-ai-sdk', service);
    const printed = await recipe.run(recipe.page.block('js', 1), command);
    expect(printed).toBe('Hello!\nHello!\n');
    expect(service.requests.map(({ url }) => url)).toEqual(['/v1/responses', '/v1/chat/completions']);
  });
});
