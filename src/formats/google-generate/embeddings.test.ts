import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/merge.ts';
import { EmbeddingTap, fromEmbeddings, toDeveloperEmbedding, toVertexEmbedding } from './embeddings.ts';

describe('embeddings of several modalities', () => {
  const parts = [
    { startOffsetSec: 0, endOffsetSec: 16, embedding: [3] },
    { startOffsetSec: 16, endOffsetSec: 20, embedding: [4] },
  ];
  const inputRows = [
    { start_offset: 0, end_offset: 16, embedding: [3] },
    { start_offset: 16, end_offset: 20, embedding: [4] },
  ];
  it.each([
    ['a text', { textEmbedding: [1] }, { embedding: [1] }],
    ['an image', { imageEmbedding: [2] }, { embedding: [2] }],
    ['a text with its image', { textEmbedding: [1], imageEmbedding: [2] }, { embedding: [1], image_embedding: [2] }],
    ['a short video', { videoEmbeddings: parts.slice(0, 1) }, { embedding: [3] }],
    ['a video', { videoEmbeddings: parts }, { embedding: [3], video_embeddings: inputRows }],
    ['an image with a video', { imageEmbedding: [2], videoEmbeddings: parts }, { embedding: [2], video_embeddings: inputRows }],
  ])('are returned for %s', (_, prediction, row) => {
    const { data } = fromEmbeddings(JSON.stringify({ predictions: [prediction] }), 'm', false);
    expect(data).toEqual([{ object: 'embedding', index: 0, ...row }]);
  });

  it('are all encoded in base64 if the client requests it', () => {
    const { data } = fromEmbeddings(JSON.stringify({ predictions: [{ textEmbedding: [1], imageEmbedding: [1] }] }), 'm', true);
    expect(data).toMatchObject([{ embedding: 'AACAPw==', image_embedding: 'AACAPw==' }]);
  });
});

it.each([
  ['dimensions', '256'],
  ['task_type', 5],
  ['title', ['a']],
  ['auto_truncate', 'false'],
  ['encoding_format', 'int8'],
])('toVertexEmbedding reports %s with a wrong type as dropped', (param, value) => {
  const { dropped } = toVertexEmbedding({ input: 'a', [param]: value }, 'text-embedding-005');
  expect(dropped.map((drop) => drop.param)).toEqual([param]);
});

const truncated = { values: [1], statistics: { truncated: true } };

it.each<[object, object]>([
  [
    { predictions: [{ embeddings: { values: [1], statistics: { truncated: false } } }, { embeddings: truncated }] },
    [{}, { truncated: true }],
  ],
  [{ embedding: { values: [1] }, truncated: true }, [{ truncated: true }]],
  [{ embedding: { values: [1] }, truncated: false }, [{}]],
  [{ embeddings: [truncated] }, [{ truncated: true }]],
])('fromEmbeddings reports the inputs that the service truncated: %j', (response, rows) => {
  const { data } = fromEmbeddings(JSON.stringify(response), 'm', false) as { data: object[] };
  expect(data.map((row) => Object.fromEntries(Object.entries(row).filter(([key]) => key === 'truncated')))).toEqual(rows);
});

describe('the token count of the inputs', () => {
  const embeddings = [{ values: [1] }];
  const counted = (tokens: number) => ({ embeddings: { values: [1], statistics: { truncated: false, token_count: tokens } } });
  it.each([
    ['each prediction has a count', { predictions: [counted(3), counted(4)] }, 7],
    ['the response has one sum', { embedding: { values: [1] }, usageMetadata: { promptTokenCount: 5 }, truncated: false }, 5],
    [
      'the response also has the sum by modality',
      { embeddings, usageMetadata: { promptTokenCount: 9, promptTokenDetails: [{ modality: 'TEXT', tokenCount: 9 }] } },
      9,
    ],
  ])('is counted once if %s', (_, response, tokens) => {
    const text = JSON.stringify(response);
    const tap = new EmbeddingTap();
    tap.whole(text);
    expect(tap.usage).toEqual({ prompt: tokens, completion: 0 });
    expect(fromEmbeddings(text, 'm', false)['usage']).toEqual({ prompt_tokens: tokens, total_tokens: tokens });
  });

  it('is unknown if the service reports none', () => {
    const tap = new EmbeddingTap();
    tap.whole(JSON.stringify({ predictions: [{ imageEmbedding: [1] }] }));
    expect([tap.complete, tap.usage]).toEqual([true, undefined]);
  });
});

describe('fromEmbeddings rejects a response', () => {
  it.each([
    ['with fewer embeddings than inputs', { embeddings: [{ values: [1] }] }],
    ['with null for the first input', { embeddings: [null, { values: [1] }] }],
    ['with an empty embedding', { embeddings: [{ values: [1] }, {}] }],
    ['without embeddings', { embeddings: [] }],
    ['with empty predictions', { predictions: [{ embeddings: { values: [1] } }, { embeddings: {} }] }],
  ])('%s', (_, response) => {
    expect(() => fromEmbeddings(JSON.stringify(response), 'm', false, 2)).toThrow(
      expect.objectContaining({ code: 'upstream_invalid' }) as Error,
    );
  });
});

it.each<JsonObject>([{}, { input: null }, { input: [] }])('rejects a request without input: %j', (body) => {
  for (const convert of [toVertexEmbedding, toDeveloperEmbedding])
    expect(() => convert(body, 'gemini-embedding-001')).toThrow(
      expect.objectContaining({ code: 'missing_required_parameter', param: 'input' }) as Error,
    );
});

describe('toVertexEmbedding for several modalities', () => {
  const convert = (input: JsonObject, check?: (uri: string) => void) =>
    toVertexEmbedding({ input: [input] }, 'multimodalembedding@001', check === undefined ? undefined : { check });

  it.each<[string, JsonObject, JsonObject, string[]]>([
    ['base64', { image: { base64: 'AAAA' } }, { image: { bytesBase64Encoded: 'AAAA' } }, []],
    ['a data URI', { image: { url: 'data:image/png;base64,AAAA' } }, { image: { bytesBase64Encoded: 'AAAA', mimeType: 'image/png' } }, []],
    ['a video as a data URI', { video: { url: 'data:video/mp4;base64,AAAA' } }, { video: { bytesBase64Encoded: 'AAAA' } }, []],
    ['an address', { video: { url: 'GS://b/x' } }, { video: { gcsUri: 'gs://b/x' } }, []],
    ['the id of a file', { image: { gcsUri: 'gs%3A%2F%2Fb%2Fx' } }, { image: { gcsUri: 'gs://b/x' } }, []],
    ['the id of a video', { video: { gcs_uri: 'gs%3A%2F%2Fb%2Fx', a: 1 } }, { video: { gcsUri: 'gs://b/x', a: 1 } }, []],
    ['two addresses', { video: { gcsUri: 'gs://b/x', gcs_uri: 'gs://c/x' } }, { video: { gcsUri: 'gs://b/x' } }, ['input[].video.gcs_uri']],
    [
      'bytes and an address',
      { image: { url: 'gs://b/x', base64: 'AAAA' } },
      { image: { bytesBase64Encoded: 'AAAA' } },
      ['input[].image.url'],
    ],
  ])('converts files: %s', (_, input, instance, drops) => {
    const { body, dropped } = convert(input);
    expect(body['instances']).toEqual([instance]);
    expect(dropped.map(({ param }) => param)).toEqual(drops);
  });

  it.each(['https://a.example/x.png', 'x', 5])('rejects the URL %s, which the service cannot read', (url) => {
    expect(() => convert({ image: { url } })).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', param: 'input[0].image.url' }) as Error,
    );
  });

  it.each<[string, JsonObject]>([
    ['an address', { image: { gcsUri: 'gs://b/x' } }],
    ['the id of a file', { video: { gcs_uri: 'gs%3A%2F%2Fb%2Fx' } }],
    ['a list of addresses', { image: { gcsUri: ['gs://b/x'] } }],
    ['a list of files', { video: [{ gcsUri: 'gs://b/x' }] }],
    ['an unknown member', { image: { gcsURI: 'gs://b/x' } }],
    ['an unknown input', { image2: 'gs://b/x' }],
    ['an object in place of the text', { text: { gcsUri: 'gs://b/x' } }],
    ['an address with blanks and capitals', { image: { other: ' GS:\t//b/x' } }],
  ])('checks %s', (_, input) => {
    const checked: string[] = [];
    convert(input, (uri) => checked.push(uri.toLowerCase()));
    expect(checked).toEqual(['gs://b/x']);
  });

  it('checks no text', () => {
    expect(() =>
      convert({ text: 'gs://b/x' }, (uri) => {
        throw new Error(uri);
      }),
    ).not.toThrow();
  });
});
