import { JsonBody } from '#core/json/body.ts';
import type { CommonSettings, Provider } from '#core/provider.ts';
import { expect, it } from 'vitest';
import { begin, callOf } from '../../../test/contract/call.ts';
import azureAi from '../azure-ai/index.ts';
import azureOpenAi from './index.ts';

/** Chunks as the asynchronous content filter sends them, with what a strict client gets; undefined: the same. */
const chunks: readonly (readonly [name: string, chunk: object, repaired: object | undefined])[] = [
  [
    'a choice without a delta',
    { id: '', choices: [{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 40 } }] },
    { id: '', choices: [{ delta: {}, index: 0, finish_reason: null, content_filter_offsets: { check_offset: 40 } }] },
  ],
  [
    'a late block',
    { choices: [{ index: 0, finish_reason: 'content_filter' }] },
    { choices: [{ delta: {}, index: 0, finish_reason: 'content_filter' }] },
  ],
  ['no choices', { choices: [], prompt_filter_results: [] }, undefined],
  ['text', { choices: [{ index: 0, delta: { content: 'Hi' } }] }, undefined],
  ['text about choices', { choices: [{ index: 0, delta: { content: '"choices":[{}]' } }] }, undefined],
  ['an error', { error: { message: 'No "choices".' } }, undefined],
];

const services: readonly (readonly [Provider, CommonSettings & Readonly<Record<string, unknown>>])[] = [
  [azureOpenAi, { resource_name: 'r1', deployment_id: 'd1', api_version: '2024-10-21' }],
  [azureAi, { resource_name: 'r1', deployments: { d1: { deployment_id: 'd1', format: 'openai', default: true } } }],
];

it.each(chunks)('the usual loop over a stream can read each chunk: %s', (_name, chunk, repaired) => {
  const body = JsonBody.of({ model: 'd1', messages: [] });
  for (const [provider, settings] of services) {
    const call = callOf({ model: 'd1', settings, stream: true });
    const text = begin(provider, call, body).repairEvent?.(JSON.stringify(chunk));
    expect(text).toBe(repaired === undefined ? undefined : JSON.stringify(repaired));
    for (const other of [{ strict: false }, { isTranslated: true }])
      expect(begin(provider, { ...call, ...other }, body).repairEvent).toBeUndefined();
  }
});
