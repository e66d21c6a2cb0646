import { readFileSync } from 'node:fs';
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import { describe, expect, it } from 'vitest';
import anthropic from '../../plugins/providers/anthropic/index.ts';
import azureOpenAi from '../../plugins/providers/azure-openai/index.ts';
import gemini from '../../plugins/providers/gemini/index.ts';
import openai from '../../plugins/providers/openai/index.ts';
import vendors from '../../plugins/providers/vendors/index.ts';
import { JsonBody } from '../../src/core/json/body.ts';
import type { CommonSettings, Provider } from '../../src/core/provider.ts';
import { responseEvents } from '../../src/formats/shared/response/whole-as-events.ts';
import { throughHub } from '../../src/formats/through-hub/index.ts';
import { begin, callOf } from '../contract/call.ts';
import type { Json } from './assembled.ts';

/** Items of responses of the responses API, which clients send back as input. */
const items = JSON.parse(readFileSync(new URL('items.json', import.meta.url), 'utf8')) as Readonly<Record<string, readonly Json[]>>;
const names = Object.keys(items);

const usage = { input_tokens: 3, input_tokens_details: { cached_tokens: 1 }, output_tokens: 4, total_tokens: 7 };
const ends = {
  completed: { error: null, incomplete_details: null },
  incomplete: { error: null, incomplete_details: { reason: 'max_output_tokens' } },
  failed: { error: { code: 'server_error', message: 'No.' }, incomplete_details: null },
};

/** What OpenAI's library collects from the events of a stream, without its own members. */
async function collected(text: string): Promise<Json> {
  const lines = text.split('\n').filter((line) => line.startsWith('data: '));
  const bytes = lines.map((line) => new TextEncoder().encode(`${line.slice('data: '.length)}\n`));
  const stream = ResponseStream.fromReadableStream(ReadableStream.from(bytes));
  const final = JSON.stringify(await stream.finalResponse(), (key, value: unknown) =>
    ['output_text', 'output_parsed', 'parsed', 'parsed_arguments'].includes(key) ? undefined : value,
  );
  return JSON.parse(final) as Json;
}

describe.each(Object.entries(ends))('a whole response that is %s, sent as a stream', (status, end) => {
  it.each(names)("is collected by OpenAI's library without a change: %s", async (name) => {
    const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status, ...end, output: items[name], usage };
    const text = responseEvents(response);
    expect(await collected(text ?? '')).toEqual(response);
  });
});

/** A conversation of as many turns as there are responses. Each output has a result in one of the accepted forms. */
function conversation(): readonly unknown[] {
  const forms = [
    'done',
    '',
    [],
    [
      { type: 'input_text', text: 'x' },
      { type: 'input_image', file_id: 'file-1', detail: 'auto' },
    ],
  ];
  return names.flatMap((name, turn) => [
    { role: turn % 2 === 0 ? 'user' : 'developer', content: [{ type: 'input_text', text: `user-${turn}` }] },
    ...(items[name] ?? []),
    ...(items[name] ?? []).flatMap(({ type, call_id: id }, at) =>
      typeof id === 'string' && type !== 'shell_call_output'
        ? [{ type: `${String(type)}_output`, call_id: id, output: forms[(turn + at) % forms.length] }]
        : [],
    ),
    { type: 'item_reference', id: `msg_${turn}` },
  ]);
}

const azure = { resource_name: 'r1', api_version: '2025-04-01-preview' };
const native: readonly (readonly [name: string, provider: Provider, settings: CommonSettings & Json])[] = [
  ['openai', openai, {}],
  ['azure-openai', azureOpenAi, azure],
  ...vendors.flatMap((one) => (one.operations.responses === undefined ? [] : [[one.type, one, {}] as const])),
];

describe('a conversation of a client of the responses API', () => {
  it.each(native)('reaches %s unchanged, except for the model', (_name, provider, settings) => {
    const more = {
      instructions: 'Be brief.',
      include: ['reasoning.encrypted_content'],
      store: false,
      text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true }, verbosity: 'low' },
      tools: [
        { type: 'custom', name: 'run', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
        { type: 'web_search' },
      ],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'custom', name: 'run' }] },
      prompt: { id: 'pmpt_1', variables: { a: 'b' } },
      metadata: { a: 'b' },
    };
    const text = (model: string): string => JSON.stringify({ model, input: conversation(), ...more });
    const call = callOf({ endpoint: 'responses', model: 'gpt-5', settings });
    const { request } = begin(throughHub(provider), call, JsonBody.from(Buffer.from(text('@o/gpt-5'))));
    if (request.body.kind !== 'json') throw new Error('no body');
    expect([request.body.bytes().toString(), request.dropped]).toEqual([text('gpt-5'), []]);
  });

  it.each([anthropic, gemini])('is refused for $type because it refers to what is stored', (provider) => {
    const call = callOf({ endpoint: 'responses', model: 'm' });
    const refused = (): unknown => begin(throughHub(provider), call, JsonBody.of({ model: 'm', input: conversation() }));
    expect(refused).toThrow(
      expect.objectContaining({ code: 'unsupported_endpoint', param: expect.stringContaining('input[') as string }) as Error,
    );
  });
});
