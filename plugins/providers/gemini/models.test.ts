import { expect, it } from 'vitest';
import { emptyBody } from '#core/json/body.ts';
import { callOf } from '../../../test/contract/call.ts';
import { listModels } from './models.ts';

const read = (text: string): unknown =>
  listModels.begin(emptyBody, callOf({ endpoint: 'models', method: 'GET' })).result?.(text, undefined);

it.each<[string, unknown, readonly string[]]>([
  ['models with the prefix of their resource names', { models: [{ name: 'models/a' }, { name: 'b' }] }, ['a', 'b']],
  ['no rows without a name', { models: [{ name: 'models/a' }, {}, { name: '' }, { name: 7 }, null] }, ['a']],
  ['no models, which the service may omit as protobuf does with empty lists', {}, []],
])('the list contains %s', (_, answer, ids) => {
  const data = ids.map((id) => ({ id, object: 'model', created: 1_767_312_000, owned_by: 'google' }));
  expect(read(JSON.stringify(answer))).toEqual({ object: 'list', data });
});

it.each(['[]', '{"models":"a"}', '{"models":null}', '{"data":[]}', 'x'])('%s is not a list of models', (text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'upstream_invalid' }));
});
