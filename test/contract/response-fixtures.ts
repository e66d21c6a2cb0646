/** One short response of a provider, whole and as a stream, written from its documentation. */
export interface ResponseFixture {
  /** The whole body. */
  readonly whole: unknown;
  /** Name and data of each event of the stream; the last one completes it. */
  readonly events: readonly (readonly [name: string, data: object])[];
  /** The expected content of both. */
  readonly text: string;
  readonly usage: { readonly prompt: number; readonly completion: number };
}

const namedEvent = (data: { readonly type: string; readonly [member: string]: unknown }): readonly [string, object] => [data.type, data];

const candidate = (text: string, more: object = {}) => ({ content: { role: 'model', parts: [{ text }] }, index: 0, ...more });
const counts = { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 };

const gemini: ResponseFixture = {
  whole: { candidates: [candidate('Größe 😀', { finishReason: 'STOP' })], usageMetadata: counts, modelVersion: 'g-1', responseId: 'r1' },
  events: [
    ['', { candidates: [candidate('Größe ')], modelVersion: 'g-1', responseId: 'r1' }],
    ['', { candidates: [candidate('😀', { finishReason: 'STOP' })], usageMetadata: counts, modelVersion: 'g-1', responseId: 'r1' }],
  ],
  text: 'Größe 😀',
  usage: { prompt: 5, completion: 3 },
};

const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'c-1', stop_sequence: null };

/** By provider type. The suite fails for a provider with a converted chat and without a row. */
export const fixtures: Readonly<Record<string, ResponseFixture>> = {
  anthropic: {
    whole: {
      ...message,
      content: [{ type: 'text', text: 'Größe 😀' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 5, output_tokens: 3 },
    },
    events: [
      namedEvent({
        type: 'message_start',
        message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 5, output_tokens: 1 } },
      }),
      namedEvent({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      namedEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Größe ' } }),
      namedEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '😀' } }),
      namedEvent({ type: 'content_block_stop', index: 0 }),
      namedEvent({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 3 } }),
      namedEvent({ type: 'message_stop' }),
    ],
    text: 'Größe 😀',
    usage: { prompt: 5, completion: 3 },
  },
  gemini,
  'vertex-ai': gemini,
  bedrock: {
    whole: {
      output: { message: { role: 'assistant', content: [{ text: 'Größe 😀' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: 5, outputTokens: 3, totalTokens: 8 },
      metrics: { latencyMs: 1 },
    },
    events: [
      ['messageStart', { role: 'assistant' }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Größe ' } }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: '😀' } }],
      ['contentBlockStop', { contentBlockIndex: 0 }],
      ['messageStop', { stopReason: 'end_turn' }],
      ['metadata', { usage: { inputTokens: 5, outputTokens: 3, totalTokens: 8 }, metrics: { latencyMs: 1 } }],
    ],
    text: 'Größe 😀',
    usage: { prompt: 5, completion: 3 },
  },
};
