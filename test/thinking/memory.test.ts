import { createHash } from 'node:crypto';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';
import { sentBlocks, startThinker } from './strict-upstream.ts';

type Message = OpenAI.ChatCompletionMessageParam;
type Json = Record<string, unknown>;

const keys = { a: 'key-a-0123456789abcdef', b: 'key-b-0123456789abcdef' };
const hash = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;
const tools = [
  { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } } },
];
const lost = 'reasoning_effort';

let thinker: ScriptedUpstream;
let second: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  [thinker, second] = await Promise.all([startThinker(), startThinker()]);
});
afterAll(async () => {
  await thinker?.close();
  await second?.close();
});
beforeEach(() => {
  thinker.requests.length = 0;
  second.requests.length = 0;
});
afterEach(() => gateway?.close());

const configOf = (more: Json = {}): string =>
  JSON.stringify({
    version: 1,
    api_keys: { a: { hash: hash(keys.a) }, b: { hash: hash(keys.b) } },
    providers: {
      claude: { type: 'anthropic', api_key: 'sk-ant-api03-0123456789', custom_host: `${thinker.url}/v1` },
      spare: { type: 'anthropic', api_key: 'sk-ant-api03-9876543210', custom_host: `${second.url}/v1` },
      vertex: { type: 'vertex-ai', region: 'global', project: 'p', custom_host: thinker.url, auth: { mode: 'caller' } },
      foundry: {
        type: 'azure-ai',
        api_key: 'foundry-0123456789',
        custom_host: thinker.url,
        deployments: { 'claude-sonnet-4-0': { deployment_id: 'claude-eu', foundation_model: 'claude-sonnet-4-5' } },
      },
    },
    ...more,
  });

const client = (key: string, headers: Record<string, string> = {}): OpenAI =>
  new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: 'ya29.mine',
    defaultHeaders: { 'x-gateway-api-key': key, ...headers },
    maxRetries: 0,
  });

interface Turn {
  readonly message: OpenAI.ChatCompletionMessage;
  readonly dropped: string;
}

/** One turn of a client without support for thinking: it keeps only text and calls. */
async function send(openai: OpenAI, model: string, messages: readonly Message[], isStream: boolean, more: Json = {}): Promise<Turn> {
  const body = { model, messages: [...messages], tools, reasoning_effort: 'high' as const, max_tokens: 8000, ...more };
  if (!isStream) {
    const { data, response } = await openai.chat.completions.create(body).withResponse();
    return { message: stock(data.choices[0]?.message), dropped: response.headers.get('x-gateway-dropped-params') ?? '' };
  }
  const { data, response } = await openai.chat.completions.create({ ...body, stream: true }).withResponse();
  const { ChatCompletionStream } = await import('openai/lib/ChatCompletionStream');
  const assembled = await ChatCompletionStream.fromReadableStream(data.toReadableStream()).finalChatCompletion();
  return { message: stock(assembled.choices[0]?.message), dropped: response.headers.get('x-gateway-dropped-params') ?? '' };
}

function stock(message: OpenAI.ChatCompletionMessage | undefined): OpenAI.ChatCompletionMessage {
  if (message === undefined) throw new Error('no response');
  const { content, tool_calls: calls } = message;
  return { role: 'assistant', content, refusal: null, ...(calls === undefined ? {} : { tool_calls: calls }) };
}

const results = ({ tool_calls: calls = [] }: OpenAI.ChatCompletionMessage): Message[] =>
  calls.toReversed().map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '4' }));

const hi: Message = { role: 'user', content: 'Oslo and Bergen?' };

/** Repeats turns with tool results until the model makes no call. */
async function loop(openai: OpenAI, model: string, isStream: boolean): Promise<readonly Turn[]> {
  const messages: Message[] = [hi];
  const turns: Turn[] = [];
  for (;;) {
    const turn = await send(openai, model, messages, isStream);
    turns.push(turn);
    if (turn.message.tool_calls === undefined) return turns;
    messages.push(turn.message, ...results(turn.message));
  }
}

const bodies = (upstream: ScriptedUpstream) =>
  upstream.requests.map(({ body }) => JSON.parse(body.toString()) as { thinking?: Json; messages: { role: string; content: Json[] }[] });
const assistants = (upstream: ScriptedUpstream): readonly Json[][] =>
  (bodies(upstream).at(-1)?.messages ?? []).filter(({ role }) => role === 'assistant').map(({ content }) => content);
const thoughts = (blocks: readonly Json[]): readonly Json[] => blocks.filter((block) => String(block['type']).endsWith('thinking'));

describe('a standard client in a tool loop', () => {
  describe.each([
    ['whole', false],
    ['streamed', true],
  ] as const)('%s', (_form, isStream) => {
    it.each(['@claude/claude-sonnet-4-0', '@foundry/claude-sonnet-4-0', '@vertex/anthropic.claude-sonnet-4-0'])(
      'continues with thinking on %s, because the gateway restores the thoughts',
      async (model) => {
        gateway = await startTestGateway(configOf());
        const turns = await loop(client(keys.a), model, isStream);
        expect(turns.map(({ message }) => message.tool_calls?.map(({ id }) => id))).toEqual([
          ['toolu_a', 'toolu_b'],
          ['toolu_c'],
          undefined,
        ]);
        expect(turns.map(({ dropped }) => dropped)).toEqual(['', '', '']);
        expect(bodies(thinker).map(({ thinking }) => thinking?.['type'])).toEqual(['enabled', 'enabled', 'enabled']);
        const [one = [], two = []] = assistants(thinker);
        expect(thoughts(one)).toEqual(thoughts(sentBlocks.one));
        expect(one.slice(0, 3)).toEqual(sentBlocks.one.slice(0, 3));
        expect(two).toEqual(sentBlocks.two);
      },
    );

    it('continues with thinking if it does not send content blocks back', async () => {
      gateway = await startTestGateway(configOf());
      const turns = await loop(client(keys.a, { 'x-gateway-strict-compliance': 'false' }), '@claude/claude-sonnet-4-0', isStream);
      expect(turns).toHaveLength(3);
    });
  });

  it('continues without thinking if thinking_memory is off, and gets x-gateway-dropped-params', async () => {
    gateway = await startTestGateway(configOf({ server: { thinking_memory: 'off' } }));
    const turns = await loop(client(keys.a), '@claude/claude-sonnet-4-0', false);
    expect(turns.map(({ dropped }) => dropped)).toEqual(['', lost, lost]);
    expect(bodies(thinker).map(({ thinking }) => thinking)).toEqual([{ type: 'enabled', budget_tokens: 4000 }, undefined, undefined]);
  });

  it('can send its own thoughts, which are not replaced', async () => {
    gateway = await startTestGateway(configOf());
    const { message } = await send(client(keys.a), '@claude/claude-sonnet-4-0', [hi], false);
    const clientMessage = { ...message, content_blocks: [{ type: 'thinking', thinking: 'mine', signature: 'mine' }] };
    const second_ = send(client(keys.a), '@claude/claude-sonnet-4-0', [hi, clientMessage, ...results(message)], false);
    await expect(second_).rejects.toThrow('cannot be modified');
  });

  it('can change the text of a turn, and the thoughts are restored before it', async () => {
    gateway = await startTestGateway(configOf());
    const { message } = await send(client(keys.a), '@claude/claude-sonnet-4-0', [hi], false);
    await send(client(keys.a), '@claude/claude-sonnet-4-0', [hi, { ...message, content: 'Other.' }, ...results(message)], false);
    const [one = []] = assistants(thinker);
    expect(thoughts(one)).toEqual(thoughts(sentBlocks.one));
    expect(one.filter(({ type }) => type === 'text')).toEqual([{ type: 'text', text: 'Other.' }]);
  });

  it('gets the thoughts of a repeated turn only once', async () => {
    gateway = await startTestGateway(configOf());
    const { message } = await send(client(keys.a), '@claude/claude-sonnet-4-0', [hi], false);
    const round = [message, ...results(message)];
    const history = [hi, ...Array.from({ length: 20 }, () => [...round, hi]).flat()];
    await send(client(keys.a), '@claude/claude-sonnet-4-0', history, false).catch(() => undefined);
    expect(thoughts(assistants(thinker).flat())).toHaveLength(thoughts(sentBlocks.one).length);
  });
});

describe('remembered thoughts', () => {
  const second_ = async (openai: OpenAI, model: string, more: Json = {}): Promise<Turn> => {
    const { message } = await send(client(keys.a), '@claude/claude-sonnet-4-0', [hi], true);
    return send(openai, model, [hi, message, ...results(message)], true, more);
  };

  it.each([
    ['the same key', () => client(keys.a), '@claude/claude-sonnet-4-0', ''],
    ['another key', () => client(keys.b), '@claude/claude-sonnet-4-0', lost],
    ['another provider account', () => client(keys.a), '@spare/claude-sonnet-4-0', lost],
    ['another model', () => client(keys.a), '@claude/claude-sonnet-4-5', lost],
  ])('are restored only for the same key, account and model: %s', async (_name, openai, model, dropped) => {
    gateway = await startTestGateway(configOf());
    expect((await second_(openai(), model)).dropped).toBe(dropped);
  });

  it('are not restored for a fallback target', async () => {
    gateway = await startTestGateway(
      configOf({
        configs: {
          chain: {
            strategy: { mode: 'fallback' },
            targets: [
              { provider: 'claude', override_params: { model: 'claude-sonnet-4-0' } },
              { provider: 'spare', override_params: { model: 'claude-sonnet-4-0' } },
            ],
          },
        },
      }),
    );
    const openai = client(keys.a, { 'x-gateway-config': 'chain' });
    const { message } = await send(openai, 'm', [hi], false);
    const { script } = thinker;
    thinker.script = (response) => json(response, 503, { type: 'error', error: { type: 'api_error', message: 'Down.' } });
    await send(openai, 'm', [hi, message, ...results(message)], false).finally(() => {
      thinker.script = script;
    });
    expect(assistants(thinker).map((blocks) => thoughts(blocks).length)).toEqual([3]);
    expect(assistants(second).map((blocks) => thoughts(blocks).length)).toEqual([0]);
  });

  it('are restored only for the same forwarded credential', async () => {
    gateway = await startTestGateway(configOf());
    const model = '@vertex/anthropic.claude-sonnet-4-0';
    const { message } = await send(client(keys.a), model, [hi], false);
    const other = new OpenAI({
      baseURL: `${gateway.url}/v1`,
      apiKey: 'ya29.other',
      defaultHeaders: { 'x-gateway-api-key': keys.a },
      maxRetries: 0,
    });
    expect((await send(other, model, [hi, message, ...results(message)], false)).dropped).toBe(lost);
    expect((await send(client(keys.a), model, [hi, message, ...results(message)], false)).dropped).toBe('');
  });

  it('are not restored if the request does not enable thinking', async () => {
    gateway = await startTestGateway(configOf());
    await second_(client(keys.a), '@claude/claude-sonnet-4-0', { reasoning_effort: undefined });
    expect(thoughts(assistants(thinker).flat())).toEqual([]);
  });
});

describe('a reload', () => {
  it('keeps remembered thoughts until thinking_memory is off', async () => {
    gateway = await startTestGateway(configOf());
    const { message } = await send(client(keys.a), '@claude/claude-sonnet-4-0', [hi], false);
    const again = (): Promise<Turn> => send(client(keys.a), '@claude/claude-sonnet-4-0', [hi, message, ...results(message)], false);
    const reload = async (more: Json): Promise<void> => {
      const before = gateway.events.filter(({ type }) => type === 'reloaded').length;
      await gateway.write(configOf(more));
      await gateway.gateway.reload();
      await until(() => gateway.events.filter(({ type }) => type === 'reloaded').length > before, 'the reload');
    };
    await reload({ configs: { a: { provider: 'claude' } } });
    expect((await again()).dropped).toBe('');
    await reload({ server: { thinking_memory: 'off' } });
    expect((await again()).dropped).toBe(lost);
    await reload({});
    expect((await again()).dropped).toBe(lost);
  });
});

describe('signatures of Gemini', () => {
  const signature = 'CsYBAb4+/9vSignature==';
  const parts = [
    { functionCall: { name: 'weather', args: { city: 'Oslo' } }, thoughtSignature: signature },
    { functionCall: { name: 'weather', args: { city: 'Bergen' } } },
  ];
  const completionWith = (content: readonly object[]): Json => ({
    candidates: [{ content: { role: 'model', parts: content }, finishReason: 'STOP' }],
  });

  describe.each([
    ['whole', false],
    ['streamed', true],
  ] as const)('%s', (_form, isStream) => {
    it.each([
      ['are restored on calls of a standard client', {}, signature],
      [
        'are replaced by a placeholder if thinking_memory is off',
        { server: { thinking_memory: 'off' } },
        'skip_thought_signature_validator',
      ],
    ])('%s', async (_name, more, expected) => {
      const upstream = await startUpstream((response, request) => {
        const content = request.body.includes('functionResponse') ? [{ text: 'Kalt.' }] : parts;
        if (request.url.includes('streamGenerateContent'))
          sse(
            response,
            content.map((part) => `data: ${JSON.stringify(completionWith([part]))}\r\n\r\n`),
          );
        else json(response, 200, completionWith(content));
      });
      gateway = await startTestGateway(
        JSON.stringify({
          version: 1,
          providers: { gemini: { type: 'gemini', api_key: 'AIza-0123456789', custom_host: upstream.url } },
          ...more,
        }),
      );
      const openai = client('none');
      const { message } = await send(openai, '@gemini/gemini-3-pro-preview', [hi], isStream);
      const last = await send(openai, '@gemini/gemini-3-pro-preview', [hi, message, ...results(message)], isStream);
      expect(last.message.content).toBe('Kalt.');
      const { contents } = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '') as { contents: { parts: Json[] }[] };
      expect(contents[1]?.parts.map(({ thoughtSignature }) => thoughtSignature)).toEqual([expected, undefined]);
      await upstream.close();
    });
  });
});
