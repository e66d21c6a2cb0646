import { expect, it } from 'vitest';
import { modelInQuery, modelsInQuery } from './models-in-query.ts';

it.each<[query: string, all: string[], one: string]>([
  ['', [], ''],
  ['a=1', [], ''],
  ['model=m', ['m'], 'm'],
  ['model=', [''], ''],
  ['MODEL=m&a=1', ['m'], 'm'],
  ['a=1&mod%65l=m%2F1', ['m/1'], 'm/1'],
  ['model=m&model=n&model=m', ['m', 'n'], 'm'],
  ['a=1;model=m', ['m'], ''],
  ['model=m;a=1', ['m;a=1', 'm'], 'm;a=1'],
  ['a=model', [], ''],
])('the query %j names the models %j, and %j for routes of the gateway', (query, allModels, gatewayModel) => {
  expect(modelsInQuery(query)).toEqual(allModels);
  expect(modelInQuery(query)).toBe(gatewayModel);
});

it('modelsInQuery returns each of 300,000 models once', () => {
  const query = Array.from({ length: 300_000 }, (_, i) => `model=${i}`).join('&');
  expect(modelsInQuery(`${query}&${query}`)).toHaveLength(300_000);
});
