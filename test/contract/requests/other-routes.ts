import { developer, place, type RequestRow } from './row.ts';

const google = `${place}/publishers/google/models`;

/** Embeddings, images and counting. */
export const otherRows: readonly RequestRow[] = [
  {
    name: 'embeddings by predict',
    endpoint: 'embeddings',
    model: 'text-embedding-005',
    url: `${google}/text-embedding-005:predict`,
    body: {
      input: ['a', 'b'],
      dimensions: 8,
      task_type: 'RETRIEVAL_DOCUMENT',
      title: 't',
      auto_truncate: false,
      encoding_format: 'float',
      user: 'u',
    },
    upstream: {
      instances: [
        { content: 'a', task_type: 'RETRIEVAL_DOCUMENT', title: 't' },
        { content: 'b', task_type: 'RETRIEVAL_DOCUMENT', title: 't' },
      ],
      parameters: { outputDimensionality: 8, autoTruncate: false },
    },
    dropped: ['user'],
  },
  {
    name: 'one embedding of the newer kind',
    endpoint: 'embeddings',
    model: 'gemini-embedding-2',
    url: `${google}/gemini-embedding-2:embedContent`,
    body: { input: 'a', dimensions: 8 },
    upstream: { content: { parts: [{ text: 'a' }] }, embedContentConfig: { outputDimensionality: 8 } },
  },
  {
    name: 'several of the newer kind',
    endpoint: 'embeddings',
    model: 'gemini-embedding-2',
    url: `${google}/gemini-embedding-2:batchEmbedContents`,
    body: { input: ['a', 'b'] },
    upstream: { requests: [{ content: { parts: [{ text: 'a' }] } }, { content: { parts: [{ text: 'b' }] } }] },
  },
  {
    name: 'the first of the newer family still predicts',
    endpoint: 'embeddings',
    model: 'gemini-embedding-001',
    url: `${google}/gemini-embedding-001:predict`,
    body: { input: 'a' },
    upstream: { instances: [{ content: 'a' }] },
  },
  {
    name: 'embeddings of texts and images',
    endpoint: 'embeddings',
    model: 'multimodalembedding@001',
    url: `${google}/multimodalembedding@001:predict`,
    body: { input: ['a', { text: 'b', image: { url: 'gs://x/y.png' } }, { image: { base64: 'AAAA' } }], dimensions: 128 },
    upstream: {
      instances: [{ text: 'a' }, { text: 'b', image: { gcsUri: 'gs://x/y.png' } }, { image: { bytesBase64Encoded: 'AAAA' } }],
      parameters: { dimension: 128 },
    },
  },
  { name: 'embeddings of tokens', endpoint: 'embeddings', body: { input: [1, 2] }, refused: ['unsupported_parameter', 'input[0]'] },
  {
    name: 'embeddings with an API key',
    endpoint: 'embeddings',
    provider: 'gemini',
    settings: {},
    model: 'gemini-embedding-2',
    url: `${developer}/models/gemini-embedding-2:batchEmbedContents`,
    body: { input: 'a', dimensions: 8, task_type: 'CLUSTERING' },
    upstream: {
      requests: [
        { model: 'models/gemini-embedding-2', content: { parts: [{ text: 'a' }] }, outputDimensionality: 8, taskType: 'CLUSTERING' },
      ],
    },
  },
  ...(
    [
      ['1024x1024', '1:1'],
      ['1792x1024', '16:9'],
      ['1024x1792', '9:16'],
      ['1536x1024', '4:3'],
      ['800x1000', '3:4'],
    ] as const
  ).map(
    ([size, aspectRatio]): RequestRow => ({
      name: `an image of ${size}`,
      endpoint: 'images/generations',
      model: 'imagen-4.0-generate-001',
      url: `${google}/imagen-4.0-generate-001:predict`,
      body: { prompt: 'p', size },
      upstream: { instances: [{ prompt: 'p' }], parameters: { sampleCount: 1, aspectRatio } },
      ...(size === '1024x1024' ? {} : { dropped: ['size'] }),
    }),
  ),
  {
    name: 'an image with everything',
    endpoint: 'images/generations',
    model: 'imagen-4.0-generate-001',
    url: `${google}/imagen-4.0-generate-001:predict`,
    body: {
      prompt: 'p',
      n: 2,
      size: 'auto',
      quality: 'hd',
      output_format: 'jpeg',
      seed: 7,
      negative_prompt: 'text',
      response_format: 'b64_json',
      style: 'vivid',
    },
    upstream: {
      instances: [{ prompt: 'p' }],
      parameters: {
        sampleCount: 2,
        addWatermark: false,
        negativePrompt: 'text',
        seed: 7,
        outputOptions: { mimeType: 'image/jpeg', compressionQuality: 100 },
      },
    },
    dropped: ['style'],
  },
  {
    name: 'an image of a model that chats',
    endpoint: 'images/generations',
    model: 'gemini-2.5-flash-image',
    url: `${google}/gemini-2.5-flash-image:generateContent`,
    body: { prompt: 'p', size: '1536x1024', n: 2 },
    upstream: {
      contents: [{ role: 'user', parts: [{ text: 'p' }] }],
      generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '3:2' } },
    },
    dropped: ['size'],
  },
  { name: 'an image without a prompt', endpoint: 'images/generations', body: {}, refused: ['unsupported_parameter', 'prompt'] },
  {
    name: 'an image of Anthropic',
    endpoint: 'images/generations',
    model: 'anthropic.claude-1',
    body: { prompt: 'p' },
    refused: ['unsupported_endpoint', undefined],
  },
  { name: 'messages of Gemini', endpoint: 'messages', body: {}, refused: ['unsupported_endpoint', undefined] },
  {
    name: 'counting tokens',
    endpoint: 'responses/input_tokens',
    url: `${google}/gemini-2.5-flash:countTokens`,
    body: { model: 'x', instructions: 's', input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }] },
    upstream: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], systemInstruction: { parts: [{ text: 's' }] } },
  },
  {
    name: 'counting tokens with an API key',
    endpoint: 'responses/input_tokens',
    provider: 'gemini',
    settings: {},
    url: `${developer}/models/gemini-2.5-flash:countTokens`,
    body: { input: 'hi' },
    upstream: { generateContentRequest: { model: 'models/gemini-2.5-flash', contents: [{ role: 'user', parts: [{ text: 'hi' }] }] } },
  },
];
