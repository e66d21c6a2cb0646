import { emptyBody, JsonBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import type { JsonObject } from '#core/json/merge.ts';
import type { Translation } from '#core/provider.ts';
import { describe, expect, it } from 'vitest';
import { callOf } from '../../../test/contract/call.ts';
import bedrock from './index.ts';

const settings = { region: 'eu-west-1' };

function begin(endpoint: Endpoint, model: string, body: JsonObject | undefined, overrides: object = {}): Translation {
  const operation = bedrock.operations[endpoint];
  if (operation === undefined) throw new Error(`no ${endpoint}`);
  const callMembers: object = { endpoint, model, settings, ...overrides };
  const call = callOf(callMembers);
  return operation.begin(body === undefined ? emptyBody : JsonBody.of(body), call as never);
}

const sent = ({ request }: Translation): unknown => (request.body.kind === 'json' ? request.body.json() : undefined);
const resultOf = (translation: Translation, response: JsonObject): unknown => translation.result?.(JSON.stringify(response), response);

const question = { model: 'x', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 };

describe('bedrock embeddings', () => {
  const rows: readonly (readonly [model: string, body: JsonObject, sent: JsonObject, dropped: readonly string[]])[] = [
    ['amazon.titan-embed-text-v1', { input: 'a', dimensions: 256, normalize: true }, { inputText: 'a' }, ['dimensions', 'normalize']],
    ['amazon.titan-embed-text-v2:0', { input: 'a', dimensions: null, normalize: null }, { inputText: 'a' }, []],
    [
      'amazon.titan-embed-image-v1',
      { input: 'a', dimensions: 384, normalize: true },
      { inputText: 'a', embeddingConfig: { outputEmbeddingLength: 384 } },
      ['normalize'],
    ],
    [
      'amazon.titan-embed-text-v2:0',
      { input: ['a'], dimensions: 256, normalize: false },
      { inputText: 'a', dimensions: 256, normalize: false },
      [],
    ],
    [
      'us.amazon.nova-2-multimodal-embeddings-v1:0',
      { input: 'a', dimensions: 384, input_type: 'search_query', truncate: 'END', user: 'u', labels: { a: 'b' } },
      {
        taskType: 'SINGLE_EMBEDDING',
        singleEmbeddingParams: {
          embeddingPurpose: 'GENERIC_RETRIEVAL',
          embeddingDimension: 384,
          text: { truncationMode: 'END', value: 'a' },
        },
      },
      ['user', 'labels'],
    ],
    [
      'amazon.nova-2-multimodal-embeddings-v1:0',
      { input: ['a'], input_type: 'TEXT_RETRIEVAL' },
      {
        taskType: 'SINGLE_EMBEDDING',
        singleEmbeddingParams: { embeddingPurpose: 'TEXT_RETRIEVAL', text: { truncationMode: 'NONE', value: 'a' } },
      },
      [],
    ],
    [
      'cohere.embed-v4:0',
      { input: ['a', 'b'], dimensions: 256, user: 'u' },
      { texts: ['a', 'b'], input_type: 'search_document', embedding_types: ['float'], output_dimension: 256 },
      ['user'],
    ],
    [
      'cohere.embed-english-v3',
      { input: 'a', input_type: 'search_query', truncate: 'END' },
      { texts: ['a'], input_type: 'search_query', embedding_types: ['float'], truncate: 'END' },
      [],
    ],
    [
      'us.cohere.embed-multilingual-v3',
      { input: 'a', dimensions: 256 },
      { texts: ['a'], input_type: 'search_document', embedding_types: ['float'] },
      ['dimensions'],
    ],
    ['amazon.titan-embed-text-v2:0', { input: 'a', encoding_format: 'int8' }, { inputText: 'a' }, ['encoding_format']],
    ['amazon.titan-embed-text-v2:0', { input: 'a', encoding_format: 'float' }, { inputText: 'a' }, []],
  ];

  it.each(rows)('of %s are requested in its format for the body %j', (model, body, expected, dropped) => {
    const translation = begin('embeddings', model, { model: 'x', ...body });
    expect(sent(translation)).toEqual(expected);
    expect(translation.request.dropped.map(({ param }) => param)).toEqual(dropped);
    expect(translation.request.path).toBe(`/model/${encodeURIComponent(model)}/invoke`);
  });

  it.each([
    [{}, 'missing_required_parameter'],
    [{ input: null }, 'missing_required_parameter'],
    [{ input: [] }, 'missing_required_parameter'],
    [{ input: [1, 2] }, 'unsupported_parameter'],
    [{ input: [[1, 2]] }, 'unsupported_parameter'],
    [{ input: { text: 'a' } }, 'unsupported_parameter'],
  ])('are not requested for the body %j: %s', (body, code) => {
    for (const model of ['amazon.titan-embed-text-v2:0', 'amazon.nova-2-multimodal-embeddings-v1:0', 'cohere.embed-v4:0'])
      expect(() => begin('embeddings', model, body)).toThrow(expect.objectContaining({ code, param: 'input' }) as Error);
  });

  it('are returned as a list, with the token count of Titan', () => {
    const translation = begin('embeddings', 'amazon.titan-embed-text-v2:0', { input: 'a' });
    const response = { embedding: [0.5, 1], embeddingsByType: { float: [0.5, 1] }, inputTextTokenCount: 3 };
    translation.tap.whole(JSON.stringify(response));
    expect(resultOf(translation, response)).toEqual({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, 1] }],
      model: 'amazon.titan-embed-text-v2:0',
      usage: { prompt_tokens: 3, total_tokens: 3 },
    });
    expect(translation.tap.usage).toEqual({ prompt: 3, completion: 0 });
  });

  it('of Cohere use the token count of the response header', () => {
    const translation = begin('embeddings', 'cohere.embed-v4:0', { input: 'a' });
    const response = { embeddings: { float: [[1]] } };
    const text = JSON.stringify(response);
    translation.tap.whole(text);
    expect(translation.tap.usage).toBeUndefined();
    expect(translation.then?.({ status: 200, headers: { 'x-amzn-bedrock-input-token-count': '42' }, text })).toBeUndefined();
    expect(translation.tap.usage).toEqual({ prompt: 42, completion: 0 });
    expect(resultOf(translation, response)).toMatchObject({ usage: { prompt_tokens: 42, total_tokens: 42 } });
  });

  it('of Nova are read from its list, and only one text is accepted', () => {
    const translation = begin('embeddings', 'amazon.nova-2-multimodal-embeddings-v1:0', { input: 'a' });
    const list = resultOf(translation, { embeddings: [{ embeddingType: 'TEXT', embedding: [0.5, 1] }] });
    expect(list).toMatchObject({ data: [{ index: 0, embedding: [0.5, 1] }] });
    expect(() => resultOf(translation, { embeddings: [{ embeddingType: 'TEXT' }] })).toThrow(/vector|embedding/i);
    expect(() => begin('embeddings', 'amazon.nova-2-multimodal-embeddings-v1:0', { input: ['a', 'b'] })).toThrow(/one text/);
  });

  it('report the message of the model if they are missing', () => {
    const translation = begin('embeddings', 'amazon.titan-embed-image-v1', { input: 'a' });
    expect(() => resultOf(translation, { embedding: null, message: 'The input is too long.' })).toThrow('The input is too long.');
  });

  it.each([[{ embeddings: { float: [[1], [2]] } }], [{ embeddings: [[1], [2]] }]])(
    'of Cohere are read in both response formats: %j',
    (response) => {
      const list = resultOf(begin('embeddings', 'cohere.embed-v4:0', { input: ['a', 'b'] }), response);
      expect(list).toMatchObject({ data: [{ embedding: [1] }, { embedding: [2] }] });
    },
  );

  it('are returned in base64 for encoding_format base64', () => {
    const list = resultOf(begin('embeddings', 'cohere.embed-v4:0', { input: 'a', encoding_format: 'base64' }), {
      embeddings: { float: [[1, -2]] },
    });
    expect(list).toMatchObject({ data: [{ embedding: Buffer.from(new Float32Array([1, -2]).buffer).toString('base64') }] });
  });

  it.each([
    ['amazon.titan-embed-text-v2:0', ['a', 'b'], 'accepts one text'],
    ['cohere.embed-v4:0', [[1, 2]], 'accepts text, not token arrays'],
  ])('of %s reject %j', (model, input, message) => {
    expect(() => begin('embeddings', model, { input })).toThrow(message);
  });
});

describe('the model list of bedrock', () => {
  it('contains the models of the region in the OpenAI format', () => {
    const translation = begin('models', '', undefined, { method: 'GET' });
    expect(translation.request).toMatchObject({
      method: 'GET',
      origin: 'https://bedrock.eu-west-1.amazonaws.com',
      path: '/foundation-models',
    });
    const modelSummaries = [{ modelId: 'amazon.nova-pro-v1:0', modelName: 'Nova Pro', providerName: 'Amazon', inputModalities: ['TEXT'] }];
    expect(resultOf(translation, { modelSummaries })).toMatchObject({
      object: 'list',
      data: [{ id: 'amazon.nova-pro-v1:0', object: 'model', owned_by: 'Amazon' }],
    });
  });
});

describe('the messages route of bedrock', () => {
  it('sends model, version and beta features where the service expects them', () => {
    const guardrail = { id: 'g', version: '2', trace: 'enabled' };
    const header = (name: string): string | undefined => (name === 'anthropic-beta' ? 'b-1,b-2' : undefined);
    const overrides = { header, stream: true, settings: { ...settings, guardrail, latency: 'optimized', anthropic_beta: ['own-1'] } };
    const translation = begin('messages', 'anthropic.claude-x', { ...question, stream: true, labels: {}, vendor_beta: 'b-3' }, overrides);
    const { model: _model, ...rest } = question;
    expect(sent(translation)).toEqual({ ...rest, anthropic_version: 'bedrock-2023-05-31', anthropic_beta: ['own-1', 'b-1', 'b-2', 'b-3'] });
    expect(translation.request.path).toBe('/model/anthropic.claude-x/invoke-with-response-stream');
    expect(translation.request.dropped).toMatchObject([{ param: 'labels' }]);
    expect(translation.request.headers.slice(0, 2)).toEqual(['accept', 'application/vnd.amazon.eventstream']);
    expect(translation.request.headers).toEqual(
      expect.arrayContaining([
        'x-amzn-bedrock-guardrailidentifier',
        'g',
        'x-amzn-bedrock-trace',
        'ENABLED',
        'x-amzn-bedrock-performanceconfig-latency',
        'optimized',
      ]),
    );
  });

  it.each([
    ['anthropic.claude-x', undefined, true],
    ['arn:aws:bedrock:r:1:inference-profile/us.anthropic.claude-x', undefined, true],
    ['arn:aws:bedrock:r:1:application-inference-profile/x', undefined, false],
    ['arn:aws:bedrock:r:1:application-inference-profile/x', 'anthropic.claude-x', true],
    ['amazon.nova-pro-v1:0', undefined, false],
  ])('supports %s (%s): %s', (model, foundationModel, expected) => {
    expect(bedrock.operations.messages?.serves?.(callOf({ model, foundationModel }) as never)).toBe(expected);
  });
});

describe('bedrock hosts', () => {
  it.each([
    [{}, 'https://bedrock-runtime.us-east-1.amazonaws.com'],
    [{ region: 'us-gov-west-1', fips: true }, 'https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com'],
    [{ region: 'cn-north-1' }, 'https://bedrock-runtime.cn-north-1.amazonaws.com.cn'],
    [{ region: 'eusc-de-east-1' }, 'https://bedrock-runtime.eusc-de-east-1.amazonaws.eu'],
    [{ region: 'us-iso-east-1' }, 'https://bedrock-runtime.us-iso-east-1.c2s.ic.gov'],
    [{ region: 'us-isob-east-1' }, 'https://bedrock-runtime.us-isob-east-1.sc2s.sgov.gov'],
    [{ region: 'us-isof-south-1' }, 'https://bedrock-runtime.us-isof-south-1.csp.hci.ic.gov'],
    [{ region: 'eu-isoe-west-1' }, 'https://bedrock-runtime.eu-isoe-west-1.cloud.adc-e.uk'],
    [{ custom_host: 'https://vpce-1.example/x/' }, 'https://vpce-1.example'],
  ])('with %j are %s', (options, origin) => {
    expect(begin('chat/completions', 'm', { messages: [{ role: 'user', content: 'Hi' }] }, { settings: options }).request.origin).toBe(
      origin,
    );
  });

  it('are not built from an invalid region', () => {
    expect(() => begin('chat/completions', 'm', question, { settings: { region: 'evil.example/' } })).toThrow('is not a region');
  });
});

it('bedrock check reports incomplete and conflicting settings', () => {
  const problems = bedrock.entry.check?.({
    secret_access_key: 's',
    auth: { mode: 'instance' },
    deployments: { a: { model_id: 'arn:aws:bedrock:r:1:application-inference-profile/x' } },
  } as never);
  expect(problems?.map(({ path, code }) => `${path.join('.')} ${code}`)).toEqual([
    'secret_access_key missing-key',
    'access_key_id conflict',
    'deployments.a.model_id missing-key',
  ]);
});
