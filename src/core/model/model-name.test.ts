import { expect, it } from 'vitest';
import { bareModel, slugOf } from './model-name.ts';

it.each([
  ['gpt-4o', undefined, 'gpt-4o'],
  ['@azure-eu/gpt-4o', 'azure-eu', 'gpt-4o'],
  ['@local/org/model/v2', 'local', 'org/model/v2'],
  ['@azure-eu', 'azure-eu', ''],
  ['@cf/meta/llama-3', undefined, '@cf/meta/llama-3'],
  ['@hf/some/model', undefined, '@hf/some/model'],
  ['@cfx/model', 'cfx', 'model'],
  ['org/model', undefined, 'org/model'],
  ['', undefined, ''],
])('slugOf and bareModel split %j into slug %j and model %j', (text, slug, model) => {
  expect(slugOf(text)).toBe(slug);
  expect(bareModel(text)).toBe(model);
});
