import { Buffer } from 'node:buffer';
import type { Provider } from '../../src/core/provider.ts';
import { describe, expect, it } from 'vitest';
import anthropic from '../../plugins/providers/anthropic/index.ts';
import gemini from '../../plugins/providers/gemini/index.ts';
import { openaiDialect } from '../../src/formats/openai-chat/client.ts';
import { SseScanner } from '../../src/transport/outbound/framing/sse.ts';
import { begin, callOf } from '../contract/call.ts';
import type { Json } from '../contract/gemini-oracle.ts';
import { haveRecordings, type Recording, recordings } from '../contract/recordings.ts';
import { readChatStream } from '../support/chat-chunk.ts';
import { assembled } from './assembled.ts';
import { type BothForms, contentForms, messageForms } from './stream-and-whole.ts';
import { skipping } from '../support/skipping.ts';

interface Sample {
  readonly provider: Provider;
  readonly model: string;
  readonly forms: BothForms;
}

const formats: Readonly<Record<string, (exchange: Recording) => Sample>> = {
  messages: ({ response, stream, request }) => ({
    provider: anthropic,
    model: String(request.body?.['model']),
    forms: messageForms(response.body ?? '', stream),
  }),
  generateContent: (exchange) => contentSample(exchange),
  streamGenerateContent: (exchange) => contentSample(exchange),
};

const contentSample = ({ response, stream, request }: Recording): Sample => ({
  provider: gemini,
  model: /models\/([^:]+):/.exec(request.url)?.[1] ?? '',
  forms: contentForms(response.body ?? '', stream),
});

const successful = recordings(['anthropic', 'gemini-api', 'vertex-gemini']).filter(
  ({ api, response }) => formats[api] !== undefined && response.status === 200 && response.body !== undefined,
);

const page = { type: 'web_search_result_location', url: 'https://a.example', title: 'A', cited_text: 'c', encrypted_index: 'E' };
const pages = { groundingChunks: [{ web: { uri: 'https://a', title: 'A' } }, { retrievedContext: { uri: 'https://b' } }] };
const token = (text: string) => ({ token: text, tokenId: 1, logProbability: -0.5 });
const candidate = (parts: readonly Json[], more: Json = {}): Json => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP', ...more }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, thoughtsTokenCount: 2, totalTokenCount: 14, cachedContentTokenCount: 1 },
  modelVersion: 'gemini-3',
  responseId: 'r1',
});
const message = (content: readonly Json[], more: Json = {}): Json => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 4, cache_read_input_tokens: 2, output_tokens_details: { thinking_tokens: 1 } },
  ...more,
});

/** Cases without a recording. */
const written: readonly (readonly [name: string, sample: Sample])[] = (
  [
    [
      'text with citations between texts without',
      [
        { type: 'text', text: 'Größe 😀 ' },
        { type: 'text', text: 'is.', citations: [page, page] },
      ],
    ],
    ['a citation without a URL', [{ type: 'text', text: 'a', citations: [{ type: 'char_location', cited_text: 'x', document_index: 0 }] }]],
    ['an empty input of a server tool', [{ type: 'server_tool_use', id: 's', name: 'n', input: {} }]],
    ['an unknown block', [{ type: 'novel', data_list: [1, 2], note: 'n' }]],
    ['a refusal', [{ type: 'text', text: 'N' }], { stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'x' } }],
    ['a container and applied context edits', [], { container: { id: 'c' }, context_management: { applied_edits: [] } }],
    ['a stop sequence', [{ type: 'text', text: 'a' }], { stop_reason: 'stop_sequence', stop_sequence: 'END' }],
  ] as [string, Json[], Json?][]
)
  .map(([name, content, more]): [string, Sample] => [
    name,
    { provider: anthropic, model: 'm', forms: messageForms(JSON.stringify(message(content, more)), false) },
  ])
  .concat(
    (
      [
        [
          'log probabilities',
          candidate([{ text: 'Größe zählt' }], {
            logprobsResult: { chosenCandidates: ['Gr', 'öße', ' ', 'zählt'].map(token), topCandidates: [{ candidates: [token('a')] }] },
            avgLogprobs: -0.5,
          }),
        ],
        [
          'grounding of a text after a thought',
          candidate([{ text: 'Hm.', thought: true }, { text: 'Größe 😀 zählt.' }], {
            groundingMetadata: {
              ...pages,
              groundingSupports: [
                { segment: { startIndex: 8, endIndex: 12 }, groundingChunkIndices: [0, 1, 9] },
                { segment: { partIndex: 1, endIndex: 7 }, groundingChunkIndices: [0] },
              ],
            },
          }),
        ],
        [
          'grounding of a text between code execution parts',
          candidate([{ executableCode: { code: '1' } }, { text: 'a b c d' }, { codeExecutionResult: { output: '1' } }, { text: 'e f' }], {
            groundingMetadata: {
              ...pages,
              groundingSupports: [{ segment: { partIndex: 3, startIndex: 2, endIndex: 3 }, groundingChunkIndices: [0] }],
            },
          }),
        ],
        [
          'citations',
          candidate([{ text: 'a' }], {
            citationMetadata: { citations: [{ startIndex: 0, endIndex: 1, uri: 'https://q' }] },
            urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'u' }] },
          }),
        ],
        [
          'several candidates',
          {
            ...candidate([]),
            candidates: [0, 1].map((index) => ({
              index,
              content: { parts: [{ text: `answer ${index}` }] },
              finishReason: index === 0 ? 'STOP' : 'MAX_TOKENS',
            })),
          },
        ],
        [
          'a signed text, an image and calls',
          candidate([
            { text: 'T', thought: true },
            { text: 'a', thoughtSignature: 'S' },
            { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
            { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'S2' },
            { functionCall: { name: 'g' } },
            { text: 'b' },
          ]),
        ],
        [
          'empty parts',
          candidate([{ text: 'a', thought: true }, { text: '' }, { text: 'b', thought: true }, { text: '', thought: true }, { text: 'c' }]),
        ],
        [
          'audio in three chunks',
          candidate(['AAEC', 'Aw==', 'BAU='].map((data) => ({ inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data } }))),
        ],
        [
          'a blocked prompt',
          {
            promptFeedback: { blockReason: 'SAFETY' },
            usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 },
            modelVersion: 'g',
            responseId: 'r',
          },
        ],
        [
          'a blocked response',
          candidate([], { finishReason: 'SAFETY', safetyRatings: [{ category: 'X', blocked: true }], finishMessage: 'No.' }),
        ],
      ] as [string, Json][]
    ).map(([name, completion]): [string, Sample] => [
      name,
      { provider: gemini, model: 'gemini-3', forms: contentForms(JSON.stringify(completion), false) },
    ]),
  );

/** The options of a client for the response format. */
interface View {
  readonly strict: boolean;
  readonly showsReasoning: boolean;
}

const views: readonly View[] = [true, false].flatMap((strict) => [false, true].map((showsReasoning) => ({ strict, showsReasoning })));

/** Ways to split a stream: inside characters, line ends, names and numbers. */
const pieceSizes = [Number.POSITIVE_INFINITY, 7, 1021];

describe.skipIf(skipping(haveRecordings ? undefined : 'there is no recorded traffic next to the checkout'))(
  'stream and whole response of each recording',
  () => {
    it('include enough recordings of each kind', () => {
      expect(successful.filter(({ api }) => api === 'messages').length).toBeGreaterThan(230);
      expect(successful.filter(({ api }) => api !== 'messages').length).toBeGreaterThan(180);
    });

    it.each(successful.map((one) => [one.id, one] as const))('%s: have the same content', async (_, exchange) => {
      const sample = formats[exchange.api]?.(exchange);
      if (sample === undefined) throw new Error('no format');
      await expectSame(sample);
    });
  },
);

describe('stream and whole response of each written case', () => {
  it.each(written)('%s: have the same content', async (_, sample) => {
    await expectSame(sample);
  });
});

async function expectSame(sample: Sample): Promise<void> {
  for (const view of views) {
    const { strict } = view;
    const texts = pieceSizes.map((size) => streamed(sample, view, size));
    expect(new Set(texts).size).toBe(1);
    const { chunks, problems, isDone, error } = readChatStream(texts[0] ?? '', strict);
    const problemsLeft = problems.filter((one) => !view.showsReasoning || !one.endsWith('.delta.reasoning_content is unknown'));
    expect({ odd: problemsLeft, isDone, error }).toEqual({ odd: [], isDone: true, error: undefined });
    expect(assistantMessage(await assembled(chunks))).toEqual(assistantMessage(convertWhole(sample, view)));
  }
}

function callFor({ model }: Sample, view: View, stream: boolean) {
  return callOf({ model, ...view, stream, includeUsage: true });
}

const dialectCall = (view: View) => ({ ...view, includeUsage: true, provider: 'p', model: 'm', id: 'req_1', createdAt: 1_767_312_000 });

function convertWhole(sample: Sample, view: View): Json {
  const result = begin(sample.provider, callFor(sample, view, false)).result?.(sample.forms.whole);
  return JSON.parse(openaiDialect.answer?.(result, dialectCall(view)) ?? '') as Json;
}

function streamed(sample: Sample, view: View, size: number): string {
  const scanner = new SseScanner();
  const read = begin(sample.provider, callFor(sample, view, true)).reader?.();
  const write = openaiDialect.write?.(dialectCall(view));
  if (read === undefined || write === undefined) throw new Error('nothing converts');
  const out: string[] = [];
  const take = (events: ReturnType<SseScanner['push']>['events']): void => {
    for (const event of events) for (const model of read.push(event)) out.push(...write.push(model));
  };
  const bytes = Buffer.from(sample.forms.stream);
  for (let at = 0; at < bytes.length; at += Math.min(size, bytes.length))
    take(scanner.push(bytes.subarray(at, at + Math.min(size, bytes.length))).events);
  take(scanner.end().events);
  for (const model of read.end()) out.push(...write.push(model));
  return out.concat(...write.end()).join('');
}

/**
 * What an answer says. Streams begin before it is known whether any text will follow: no text is '' there. Images are
 * in the blocks of a delta, and in the content of a whole answer as well. Arguments stream with the model's own spaces.
 */
function assistantMessage(completion: Json): Json {
  const { object: _object, ...rest } = completion;
  const choices = (rest['choices'] as Json[]).map((choice) => {
    const message = choice['message'] as Json;
    // Calls mark their place among the blocks; in a stream the number that is left out does.
    const blocks = (message['content_blocks'] ?? []) as Json[];
    const content = Array.isArray(message['content']) ? textOf(message['content'] as Json[]) : (message['content'] ?? '');
    const { tool_calls, parsed: _parsed, ...others } = message;
    const calls = ((tool_calls ?? []) as Json[]).map(plainCall);
    return {
      ...choice,
      message: {
        ...others,
        content,
        tool_calls: calls,
        content_blocks: blocks.filter((block) => block['type'] !== 'tool_use').map(plainBlock),
      },
    };
  });
  return { ...rest, choices };
}

const textOf = (parts: readonly Json[]): string => parts.map(({ text }) => text ?? '').join('');

/** A text without citations has them as null or not at all. */
function plainBlock({ citations, ...block }: Json): Json {
  return Array.isArray(citations) && citations.length > 0 ? { ...block, citations } : block;
}

function plainCall(call: Json): Json {
  const { arguments: text, parsed_arguments: _parsed, ...rest } = call['function'] as Json;
  // The library keeps only known members of a function; the signature is in `extra_content` too.
  const { thought_signature: _signature, ...remaining } = rest;
  return { ...call, function: { ...remaining, arguments: JSON.parse(String(text)) as unknown } };
}
