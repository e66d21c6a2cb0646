/** Valid responses of the providers' formats, from which the upstream's responses are generated. */

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, prompt_tokens_details: { cached_tokens: 1 } };
const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
const claudeUsage = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

export const bodies: readonly object[] = [
  {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'hi', tool_calls: [call] }, finish_reason: 'stop', logprobs: null }],
    usage,
  },
  {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'c',
    content: [
      { type: 'text', text: 'hi' },
      { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
      { type: 'thinking', thinking: 'x', signature: 's' },
    ],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: claudeUsage,
  },
  {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [{ text: 'hi' }, { functionCall: { name: 'f', args: { a: 1 } } }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
        },
        finishReason: 'STOP',
        index: 0,
        safetyRatings: [{ category: 'x', probability: 'LOW' }],
        groundingMetadata: { webSearchQueries: ['q'] },
      },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3, thoughtsTokenCount: 1 },
    modelVersion: 'g',
    responseId: 'r',
  },
  { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }], model: 'm', usage },
  {
    predictions: [{ embeddings: { values: [0.1], statistics: { token_count: 2 } }, bytesBase64Encoded: 'AAAA', mimeType: 'image/png' }],
    metadata: { billableCharacterCount: 2 },
  },
  { embeddings: [{ values: [0.1] }], embedding: { values: [0.1] } },
  { created: 1, data: [{ b64_json: 'AAAA', url: 'https://h.example/a.png', revised_prompt: 'x' }], usage },
  {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] }],
    usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
  },
  {
    object: 'list',
    data: [{ id: 'file-1', object: 'file', bytes: 1, created_at: 1, filename: 'a', purpose: 'batch' }],
    has_more: false,
    first_id: 'a',
    last_id: 'b',
  },
  {
    id: 'batch_1',
    object: 'batch',
    endpoint: '/v1/chat/completions',
    input_file_id: 'f',
    status: 'completed',
    output_file_id: 'o',
    created_at: 1,
    request_counts: { total: 1, completed: 1, failed: 0 },
  },
  {
    id: 'msgbatch_1',
    type: 'message_batch',
    processing_status: 'ended',
    request_counts: { processing: 0, succeeded: 1, errored: 0, canceled: 0, expired: 0 },
    created_at: '2026-01-01T00:00:00Z',
    expires_at: '2026-01-02T00:00:00Z',
    ended_at: null,
    results_url: 'https://h.example/r',
  },
  {
    name: 'projects/p2/locations/l/batchPredictionJobs/1',
    displayName: 'd',
    model: 'publishers/google/models/g',
    state: 'JOB_STATE_SUCCEEDED',
    createTime: '2026-01-01T00:00:00Z',
    inputConfig: { instancesFormat: 'jsonl', gcsSource: { uris: ['gs://b/o'] } },
    outputInfo: { gcsOutputDirectory: 'gs://b/out' },
    completionStats: { successfulCount: '1' },
    error: { code: 3, message: 'x' },
  },
  { error: { message: 'no', type: 'invalid_request_error', code: 'x', param: null } },
  { type: 'error', error: { type: 'overloaded_error', message: 'no' }, request_id: 'r' },
  {
    error: {
      code: 429,
      message: 'no',
      status: 'RESOURCE_EXHAUSTED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' }],
    },
  },
  { results: [{ flagged: false, categories: {}, category_scores: {} }], id: 'm', model: 'm' },
  { text: 'hi', language: 'en', segments: [{ id: 0, start: 0, end: 1, text: 'hi' }] },
  { totalTokens: 3, input_tokens: 3 },
];

const chunk = (delta: object, finish: string | null = null): object => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

/** Streams: the data of each event, with its type if the format has one. */
export const streams: readonly (readonly (readonly [type: string | undefined, data: unknown])[])[] = [
  [
    [undefined, chunk({ role: 'assistant', content: '' })],
    [undefined, chunk({ content: 'hi' })],
    [undefined, chunk({ tool_calls: [call] })],
    [undefined, { ...chunk({}, 'stop'), usage }],
  ],
  [
    [
      'message_start',
      {
        type: 'message_start',
        message: { id: 'm', type: 'message', role: 'assistant', content: [], model: 'c', stop_reason: null, usage: claudeUsage },
      },
    ],
    ['content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }],
    ['content_block_delta', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } }],
    ['content_block_stop', { type: 'content_block_stop', index: 0 }],
    ['content_block_start', { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't', name: 'f', input: {} } }],
    ['content_block_delta', { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":' } }],
    ['message_delta', { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }],
    ['error', { type: 'error', error: { type: 'overloaded_error', message: 'no' } }],
    ['message_stop', { type: 'message_stop' }],
  ],
  [
    [undefined, { candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] }, index: 0 }], modelVersion: 'g' }],
    [
      undefined,
      {
        candidates: [{ content: { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] }, finishReason: 'STOP', index: 0 }],
        usageMetadata: { promptTokenCount: 1, totalTokenCount: 3 },
      },
    ],
  ],
  [
    [
      'response.created',
      { type: 'response.created', response: { id: 'r', object: 'response', status: 'in_progress', model: 'm', output: [] } },
    ],
    ['response.output_text.delta', { type: 'response.output_text.delta', delta: 'hi', item_id: 'i' }],
    [
      'response.completed',
      { type: 'response.completed', response: { id: 'r', status: 'completed', usage: { input_tokens: 1, output_tokens: 2 } } },
    ],
  ],
];
