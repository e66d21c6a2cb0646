import { describe, expect, it } from 'vitest';
import type { RequestBody, RequestHead } from '../http/request.ts';
import { JsonBody } from '../json/body.ts';
import { requestedModelIn } from './requested-model.ts';

const form = (model?: string): RequestBody =>
  ({ kind: 'form', fields: new Map(model === undefined ? [] : [['model', model]]) }) as unknown as RequestBody;

interface RequestedModelInput {
  readonly endpoint?: RequestHead['endpoint'];
  readonly body?: RequestBody;
  readonly query?: string;
  readonly header?: string;
  readonly pathModel?: string;
}

const modelOf = ({ endpoint = 'audio/transcriptions', body = form(), query = '', header, pathModel }: RequestedModelInput): string =>
  requestedModelIn({ endpoint, params: {}, query, pathModel, headers: { gateway: () => header } } as unknown as RequestHead, body);

describe('the model of a request', () => {
  it.each<[string, (model: string) => RequestedModelInput]>([
    ['in a JSON body', (model) => ({ endpoint: 'chat/completions', body: JsonBody.of({ model }) })],
    ['in a form', (model) => ({ body: form(model) })],
    ['in the query', (model) => ({ query: `model=${model}` })],
    ['in the path', (pathModel) => ({ pathModel })],
    ['in a header', (header) => ({ endpoint: 'files', header })],
  ])('is limited in length %s', (_, input) => {
    expect(modelOf(input('m'.repeat(2048)))).toHaveLength(2048);
    expect(() => modelOf(input('m'.repeat(2049)))).toThrow(expect.objectContaining({ code: 'string_above_max_length' }) as Error);
  });
});
