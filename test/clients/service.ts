import type { ServerResponse } from 'node:http';
import { event, eventStream } from '../bedrock/frames.ts';
import type { Json } from '../contract/gemini-oracle.ts';
import { chat, type RenderedResponse, type Step } from '../recipes/formats.ts';
import { json, type ScriptedUpstream, type SeenRequest, sse, startUpstream } from '../support/upstream.ts';

/** A request to a model: its tools, and the results of its calls so far. */
export interface Turn {
  readonly tools: readonly string[];
  readonly results: readonly unknown[];
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** The API format of one kind of service. */
interface Kind {
  readonly path: RegExp;
  readonly isStream: (request: SeenRequest, body: Json) => boolean;
  readonly turn: (body: Json) => Turn;
  readonly render: (
    step: Step,
    model: unknown,
    nth: number,
  ) => RenderedResponse | { readonly whole: object; readonly frames: readonly Buffer[] };
}

const chatKind: Kind = {
  path: /\/chat\/completions$/,
  isStream: (_request, body) => body['stream'] === true,
  turn: ({ tools, messages }) => ({
    tools: list(tools).map((tool) => String((tool['function'] as Json)['name'])),
    results: list(messages).flatMap(({ role, content }) => (role === 'tool' ? [content] : [])),
  }),
  render: chat,
};

const contentKind: Kind = {
  path: /:(?:stream)?[gG]enerateContent$/,
  isStream: ({ url }) => url.includes(':streamGenerateContent'),
  turn: ({ tools, contents }) => ({
    tools: list(tools).flatMap(({ functionDeclarations }) => list(functionDeclarations).map(({ name }) => String(name))),
    results: list(contents).flatMap(({ parts }) =>
      list(parts).flatMap((part) => (part['functionResponse'] === undefined ? [] : [part['functionResponse']])),
    ),
  }),
  render(step, model, nth) {
    const parts =
      'call' in step
        ? [{ functionCall: { name: step.call, args: step.input } }]
        : (step.text.match(/[^]{1,6}/gu)?.map((text) => ({ text })) ?? []);
    const responseWith = (some: readonly object[], finish?: string): object => ({
      candidates: [{ index: 0, content: { role: 'model', parts: some }, ...(finish === undefined ? {} : { finishReason: finish }) }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 7, totalTokenCount: 16 },
      modelVersion: model,
      responseId: `r${nth}`,
    });
    return {
      whole: responseWith(parts, 'STOP'),
      stream: parts.map(
        (part, at) => `data: ${JSON.stringify(responseWith([part], at === parts.length - 1 ? 'STOP' : undefined))}\r\n\r\n`,
      ),
    };
  },
};

const converseKind: Kind = {
  path: /\/converse(?:-stream)?$/,
  isStream: ({ url }) => url.endsWith('-stream'),
  turn: ({ toolConfig, messages }) => ({
    tools: list((toolConfig as Json | undefined)?.['tools']).map(({ toolSpec }) => String((toolSpec as Json | undefined)?.['name'])),
    results: list(messages).flatMap(({ content }) =>
      list(content).flatMap(({ toolResult }) => (toolResult === undefined ? [] : [toolResult])),
    ),
  }),
  render(step, _model, nth) {
    const toolUse = 'call' in step ? { toolUseId: `tooluse_${nth}`, name: step.call } : undefined;
    const stopReason = toolUse === undefined ? 'end_turn' : 'tool_use';
    const usage = { inputTokens: 9, outputTokens: 7, totalTokens: 16 };
    const block = 'call' in step ? { toolUse: { ...toolUse, input: step.input } } : { text: step.text };
    const deltas =
      'call' in step
        ? pieces(JSON.stringify(step.input)).map((input) => ({ toolUse: { input } }))
        : pieces(step.text).map((text) => ({ text }));
    return {
      whole: { output: { message: { role: 'assistant', content: [block] } }, stopReason, usage },
      frames: [
        event('messageStart', { role: 'assistant' }),
        ...(toolUse === undefined ? [] : [event('contentBlockStart', { contentBlockIndex: 0, start: { toolUse } })]),
        ...deltas.map((delta) => event('contentBlockDelta', { contentBlockIndex: 0, delta })),
        event('contentBlockStop', { contentBlockIndex: 0 }),
        event('messageStop', { stopReason }),
        event('metadata', { usage }),
      ],
    };
  },
};

const pieces = (text: string): readonly string[] => text.match(/[^]{1,6}/gu) ?? [];

const kinds: readonly Kind[] = [chatKind, contentKind, converseKind];

/**
 * A service whose model is a function of the test. `whole`: it ignores `stream: true`, as some servers do.
 */
export const startModel = (nextStep: (turn: Turn) => Step, isWhole: boolean): Promise<ScriptedUpstream> =>
  startUpstream((response: ServerResponse, request: SeenRequest, nth: number) => {
    const path = request.url.split('?')[0] ?? '';
    const kind = kinds.find((one) => one.path.test(path));
    if (kind === undefined) return json(response, 404, { error: { message: `No ${path} here.` } });
    const body = JSON.parse(request.body.toString('utf8')) as Json;
    const rendered = kind.render(nextStep(kind.turn(body)), body['model'] ?? 'm', nth);
    if (!kind.isStream(request, body) || isWhole) return json(response, 200, rendered.whole);
    return 'frames' in rendered ? eventStream(response, rendered.frames) : sse(response, rendered.stream);
  });
