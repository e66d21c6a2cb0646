import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';

let gateway: TestGateway | undefined;
afterEach(() => gateway?.close());

const base = `version: 1
include: [configs/prompts/*.yaml]
server: {state_dir: memory}
providers: {mock: {type: mock, replies: {slow: {chunks: 40, chunk_delay: 25ms}}}}
`;
const prompt = (text: string): string => `prompts:
  hello:
    model: "@mock/echo"
    variables: {name: {required: true}}
    messages: [{role: user, content: "${text}"}]
`;

async function sendPrompt(body: object): Promise<string> {
  const response = await fetch(`${gateway?.url}/v1/prompts/hello/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ variables: { name: 'Ada' }, ...body }),
  });
  return response.text();
}

const textOfPrompt = async (): Promise<string> =>
  (JSON.parse(await sendPrompt({})) as { choices: { message: { content: string } }[] }).choices[0]?.message.content ?? '';

it('serves the new text of a prompt after its file changed, and finishes running streams with the old one', async () => {
  gateway = await startTestGateway(base, { watch: true, files: { 'configs/prompts/hello.yaml': prompt('Hello {{name}}') } });
  const file = join(gateway.dir, 'configs/prompts/hello.yaml');
  expect(await textOfPrompt()).toBe('Hello Ada');

  const running = sendPrompt({ stream: true, model: '@mock/slow' });
  await writeFile(file, prompt('Good day {{name}}'));
  const swapped = await until(() => gateway?.events.find((event) => event.type === 'reloaded'), 'the reload');
  expect(swapped).toMatchObject({ changes: ['~prompts.hello'] });
  expect(await textOfPrompt()).toBe('Good day Ada');
  const text = [...(await running).matchAll(/"content":"([^"]*)"/g)].map((match) => match[1]).join('');
  expect(text).toBe('Hello Ada');

  // A template that cannot be parsed keeps the active configuration.
  await writeFile(file, prompt('Good {{#name}} day'));
  await until(() => gateway?.events.some((event) => event.type === 'rejected'), 'the refusal');
  expect(await textOfPrompt()).toBe('Good day Ada');

  await writeFile(file, prompt('Hi {{name}}'));
  await until(() => gateway?.events.filter((event) => event.type === 'reloaded').length === 2, 'the second reload');
  expect(await textOfPrompt()).toBe('Hi Ada');

  // The include pattern also finds a new file.
  await writeFile(join(gateway.dir, 'configs/prompts/bye.yaml'), prompt('Bye {{name}}').replace('hello:', 'bye:'));
  const third = await until(() => gateway?.events.filter((event) => event.type === 'reloaded')[2], 'the third reload');
  expect(third).toMatchObject({ changes: ['+prompts.bye'] });
});
