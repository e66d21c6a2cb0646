import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

/** The tool loops of client libraries end with the mock provider: a request with a tool result gets a text. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(`
version: 1
providers:
  mock:
    type: mock
    replies:
      weather: {tool_call: {name: get_weather, arguments: {city: Oslo}}}
      said: {text: "It is sunny.", tool_call: {name: get_weather, arguments: '{"city":"Oslo"}'}, finish_reason: tool_calls}
`);
});
afterAll(() => gateway?.close());

const openai = (): OpenAI => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 0 });
const anthropic = (): Anthropic => new Anthropic({ baseURL: gateway.url, apiKey: 'none', maxRetries: 0 });
const messages = [{ role: 'user' as const, content: 'What is the weather in Oslo?' }];
const parameters = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };

const models = [
  ['@mock/weather', 'Rain in Oslo'],
  ['@mock/said', 'It is sunny.'],
] as const;

it.each(models)('chat completions complete a tool loop with runTools and %s', async (model, text) => {
  for (const stream of [false, true]) {
    const requests: unknown[] = [];
    const runner = openai().chat.completions.runTools({
      model,
      messages,
      stream: stream as false,
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'Weather of a city',
            parameters,
            parse: (text: string) => JSON.parse(text) as { city: string },
            function: ({ city }: { city: string }) => {
              requests.push(city);
              return `Rain in ${city}`;
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe(text);
    expect(requests).toEqual(['Oslo']);
  }
});

it.each(models)('messages complete a tool loop with toolRunner and %s', async (model, text) => {
  for (const stream of [false, true]) {
    const requests: unknown[] = [];
    const runner = anthropic().beta.messages.toolRunner({
      model,
      max_tokens: 100,
      messages,
      stream,
      max_iterations: 5,
      tools: [
        {
          type: 'custom',
          name: 'get_weather',
          description: 'Weather of a city',
          input_schema: parameters,
          parse: (text: unknown) => text as { city: string },
          run: ({ city }: { city: string }) => {
            requests.push(city);
            return `Rain in ${city}`;
          },
        },
      ],
    });
    const { content, stop_reason: reason } = await runner.runUntilDone();
    expect([content.at(-1), reason]).toEqual([expect.objectContaining({ type: 'text', text }), 'end_turn']);
    expect(requests).toEqual(['Oslo']);
  }
});

it.each(models)('responses complete a tool loop with %s', async (model, text) => {
  const tools = [{ type: 'function' as const, name: 'get_weather', strict: true, parameters }];
  const first = await openai().responses.create({ model, input: messages, tools });
  const [call] = first.output.filter((item) => item.type === 'function_call');
  if (call === undefined) throw new Error('no call');
  expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Oslo"}' });
  const output = { type: 'function_call_output' as const, call_id: call.call_id, output: 'Rain in Oslo' };
  const second = await openai().responses.create({ model, input: [...messages, call, output], tools });
  expect(second.output_text).toBe(text);
  const stored = await openai().responses.create({ model, previous_response_id: first.id, input: [output], tools });
  expect(stored.output_text).toBe(text);
  const stream = openai().responses.stream({ model, input: [...messages, call, output], tools });
  expect((await stream.finalResponse()).output_text).toBe(text);
});

it('the mock provider calls the tool again in the next turn', async () => {
  const reply = await openai().chat.completions.create({
    model: '@mock/weather',
    messages: [
      ...messages,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'Rain' },
      { role: 'assistant', content: 'Rain' },
      { role: 'user', content: 'And in Bergen?' },
    ],
  });
  expect(reply.choices[0]?.finish_reason).toBe('tool_calls');
});

it.each<[string, string, object]>([
  ['a stored prompt', 'responses', { prompt: { id: 'pmpt_1', version: '2' } }],
  ['a conversation', 'responses', { conversation: 'conv_1', include: ['reasoning.encrypted_content'], reasoning: { effort: 'low' } }],
  [
    'a developer message and verbosity',
    'chat/completions',
    { messages: [{ role: 'developer', content: 'x' }, ...messages], verbosity: 'low' },
  ],
  [
    'a request of the Vercel AI SDK',
    'responses',
    {
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
        { type: 'item_reference', id: 'msg_1' },
      ],
      store: false,
    },
  ],
  ['thinking', 'messages', { max_tokens: 9, thinking: { type: 'adaptive' }, messages, output_config: { effort: 'low' } }],
])('the mock provider accepts %s', async (_name, path, body) => {
  const response = await fetch(`${gateway.url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: '@mock/echo', ...body }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
});
