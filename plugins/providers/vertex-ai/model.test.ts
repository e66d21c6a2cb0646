import { expect, it } from 'vitest';
import { modelFor } from './model.ts';

it.each([
  ['meta/llama-4-maverick', 'Write a dot between publisher and model: "meta.llama-4-maverick".'],
  ['publishers/google/models/gemini-2.5-flash', 'Write a dot between publisher and model: "google.gemini-2.5-flash".'],
  ['Meta/llama', 'Write a dot between publisher and model: "Meta.llama".'],
  ['other/llama', undefined],
  ['meta/../llama', undefined],
])('the error for the model %s has the hint %s', (model, hint) => {
  expect(() => modelFor(model, false)).toThrow(expect.objectContaining({ code: 'model_not_found', hint }));
});
