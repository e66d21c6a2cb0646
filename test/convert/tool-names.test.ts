import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { event, eventStream } from '../bedrock/frames.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';

/** Tool names that the provider does not accept are replaced on the way out, and only the provider sees the replacement. */

type Json = Readonly<Record<string, unknown>>;

const long = `mcp__company_directory_and_calendar_server__${'find_'.repeat(20)}`;
/** Two names that differ only beyond the longest accepted length, and names that some service rejects. */
const offered = [`${long}people`, `${long}places`, 'calendar.respond to event', '3d_render', 'plain'];
const [chosenTool = ''] = offered;

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream((response) => json(response, 500, {}));
  const custom_host = upstream.url;
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { state_dir: 'memory' },
      providers: {
        gemini: { type: 'gemini', api_key: 'AIza-key-0123456789', custom_host },
        bedrock: { type: 'bedrock', api_key: 'k-0123456789', custom_host },
        anthropic: { type: 'anthropic', api_key: 'sk-ant-key-0123456789', custom_host: `${custom_host}/v1` },
        openai: { type: 'openai', api_key: 'sk-key-0123456789', custom_host: `${custom_host}/v1` },
      },
    }),
  );
});
beforeEach(() => {
  upstream.requests.length = 0;
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

interface Service {
  readonly name: string;
  readonly routes: readonly string[];
  readonly accepts: RegExp;
  /** The names of the tools, of the tool choice, and of the calls and results in the history. */
  names(body: Json): { readonly tools: readonly string[]; readonly used: readonly string[] };
  whole(name: string): object;
  stream(name: string): readonly (string | Buffer)[];
}

const all = (body: unknown, pattern: RegExp): string[] =>
  Array.from(JSON.stringify(body ?? null).matchAll(pattern), ([, name]) => name ?? '');
const frame = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const sseEvent = (value: { readonly type: string }): string => `event: ${value.type}\n${frame(value)}`;
const chunk = (delta: object, finish_reason: string | null): string => frame({ id: 'c', choices: [{ index: 0, delta, finish_reason }] });
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } };
const services: readonly Service[] = [
  {
    name: 'gemini',
    routes: ['chat/completions', 'messages'],
    accepts: /^[A-Za-z_][\w.:-]{0,63}$/,
    names: ({ tools, toolConfig, contents }) => ({
      tools: all(tools, /\{"name":"([^"]*)"/g),
      used: [...all(toolConfig, /"allowedFunctionNames":\["([^"]*)"\]/g), ...all(contents, /"name":"([^"]*)"/g)],
    }),
    whole: (name) => ({ candidates: [{ content: { parts: [{ functionCall: { name, args: { a: 1 } } }] }, finishReason: 'STOP' }] }),
    stream: (name) => [frame({ candidates: [{ content: { parts: [{ functionCall: { name, args: { a: 1 } } }] }, finishReason: 'STOP' }] })],
  },
  {
    name: 'bedrock',
    routes: ['chat/completions', 'messages'],
    accepts: /^[\w-]{1,64}$/,
    names: ({ toolConfig, messages }) => ({
      tools: all((toolConfig as Json)['tools'], /"toolSpec":\{"name":"([^"]*)"/g),
      used: [...all((toolConfig as Json)['toolChoice'], /"name":"([^"]*)"/g), ...all(messages, /"name":"([^"]*)"/g)],
    }),
    whole: (name) => ({
      output: { message: { role: 'assistant', content: [{ toolUse: { toolUseId: 't9', name, input: { a: 1 } } }] } },
      stopReason: 'tool_use',
    }),
    stream: (name) => [
      event('messageStart', { role: 'assistant' }),
      event('contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: 't9', name } } }),
      event('contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: '{"a":1}' } } }),
      event('contentBlockStop', { contentBlockIndex: 0 }),
      event('messageStop', { stopReason: 'tool_use' }),
    ],
  },
  {
    name: 'anthropic',
    routes: ['chat/completions'],
    accepts: /^[\w-]{1,128}$/,
    names: ({ tools, tool_choice, messages }) => ({
      tools: all(tools, /\{"name":"([^"]*)"/g),
      used: [...all(tool_choice, /"name":"([^"]*)"/g), ...all(messages, /"name":"([^"]*)"/g)],
    }),
    whole: (name) => ({ ...message, content: [{ type: 'tool_use', id: 't9', name, input: { a: 1 } }], stop_reason: 'tool_use' }),
    stream: (name) => [
      sseEvent({ type: 'message_start', message: { ...message, content: [] } } as never),
      sseEvent({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't9', name, input: {} } } as never),
      sseEvent({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } } as never),
      sseEvent({ type: 'content_block_stop', index: 0 } as never),
      sseEvent({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } } as never),
      sseEvent({ type: 'message_stop' }),
    ],
  },
  {
    name: 'openai',
    routes: ['messages'],
    accepts: /^[\w-]{1,64}$/,
    names: ({ tools, tool_choice, messages }) => ({
      tools: all(tools, /"function":\{"name":"([^"]*)"/g),
      used: [...all(tool_choice, /"name":"([^"]*)"/g), ...all(messages, /"name":"([^"]*)"/g)],
    }),
    whole: (name) => ({
      id: 'c',
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 't9', type: 'function', function: { name, arguments: '{"a":1}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
    }),
    stream: (name) => [
      chunk({ role: 'assistant', tool_calls: [{ index: 0, id: 't9', type: 'function', function: { name, arguments: '' } }] }, null),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] }, null),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ],
  },
];

const schema = { type: 'object', properties: { a: { type: 'number' } } };
/** A second turn: the first turn called the tool, and the client requires it again. */
const bodies: Readonly<Record<string, (names: readonly string[]) => Json>> = {
  'chat/completions': (names) => ({
    tools: names.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
    tool_choice: { type: 'function', function: { name: names[0] } },
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: { name: names[0], arguments: '{"a":1}' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'found' },
    ],
  }),
  messages: (names) => ({
    tools: names.map((name) => ({ name, input_schema: schema })),
    tool_choice: { type: 'tool', name: names[0] },
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: names[0], input: { a: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'found' }] },
    ],
  }),
};

/** @param stream and further members, which replace those of the turn */
async function send(provider: string, route: string, names: readonly string[], stream = false, more: Json = {}) {
  const response = await fetch(`${gateway.url}/v1/${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-provider': `@${provider}` },
    body: JSON.stringify({ model: 'm-1', max_tokens: 9, stream, ...bodies[route]?.(names), ...more }),
  });
  const text = await response.text();
  return { status: response.status, text, warnings: response.headers.get('x-gateway-warnings') };
}

const sent = (index: number): Json => JSON.parse(upstream.requests[index]?.body.toString() ?? '{}') as Json;
const cases = services.flatMap((service) => service.routes.map((route) => [service.name, route, service] as const));

describe.each(cases)('tool names sent to %s, /v1/%s', (provider, route, { accepts, names, whole, stream }) => {
  it('are replaced if the provider does not accept them, and the client sees the original names', async () => {
    upstream.script = (response, _, count) => json(response, 200, whole(names(sent(count - 1)).tools[0] ?? ''));
    const first = await send(provider, route, offered);
    expect([first.status, first.text]).toEqual([200, expect.stringContaining(`"name":"${chosenTool}"`)]);
    expect(first.warnings).toMatch(/that the provider does not accept/);
    const { tools, used } = names(sent(0));
    for (const name of [...tools, ...used]) expect(name).toMatch(accepts);
    expect(new Set(tools).size).toBe(offered.length);
    expect(tools.filter((name, at) => accepts.test(offered[at] ?? '') && name !== offered[at])).toEqual([]);
    expect([...new Set(used)]).toEqual([tools[0]]);
    // The names are the same in the next turn, so the provider can use its prompt cache.
    await send(provider, route, offered);
    expect(upstream.requests[1]?.body.equals(upstream.requests[0]?.body ?? Buffer.alloc(0))).toBe(true);
  });

  it('are replaced and restored in a stream', async () => {
    upstream.script = (response, _, count) => {
      const events = stream(names(sent(count - 1)).tools[0] ?? '');
      if (provider === 'bedrock')
        eventStream(
          response,
          events.map((one) => Buffer.from(one)),
        );
      else sse(response, events.map(String));
    };
    const { status, text } = await send(provider, route, offered, true);
    expect([status, text]).toEqual([200, expect.stringContaining(`"name":"${chosenTool}"`)]);
    expect(text).not.toContain(names(sent(0)).tools[0] ?? '-');
  });

  it('are replaced in the history if the tool is no longer offered', async () => {
    upstream.script = (response) => json(response, 200, whole('plain'));
    await send(provider, route, offered);
    const { tools } = bodies[route]?.(['plain']) ?? {};
    const { status } = await send(provider, route, offered, false, { tools, tool_choice: undefined });
    const { used, ...now } = names(sent(1));
    expect([status, now.tools, [...new Set(used)]]).toEqual([200, ['plain'], [names(sent(0)).tools[0]]]);
  });

  it('are unchanged if the provider accepts them all', async () => {
    upstream.script = (response) => json(response, 200, whole('plain'));
    const { status, text, warnings } = await send(provider, route, ['plain']);
    expect([status, text, warnings]).toEqual([200, expect.stringContaining('"name":"plain"'), null]);
    expect(names(sent(0)).tools).toEqual(['plain']);
  });
});

it("forwards tool names unchanged to a provider with the client's format", async () => {
  upstream.script = (response) => json(response, 200, services[3]?.whole('x') ?? {});
  await send('openai', 'chat/completions', offered);
  expect(services[3]?.names(sent(0)).tools).toEqual(offered);
});

it('replaces tool names in a request that counts tokens', async () => {
  upstream.script = (response) => json(response, 200, { input_tokens: 5 });
  const { status, text } = await send('openai', 'messages/count_tokens', offered, false, bodies['messages']?.(offered));
  expect([status, text]).toEqual([200, '{"input_tokens":5}']);
  const { tools, input } = sent(0);
  const counted = all(tools, /"name":"([^"]*)"/g);
  for (const name of counted) expect(name).toMatch(/^[\w-]{1,64}$/);
  expect([counted.length, all(input, /"name":"([^"]*)"/g)]).toEqual([offered.length, [counted[0]]]);
});
