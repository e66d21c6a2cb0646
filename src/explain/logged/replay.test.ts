import { expect, it } from 'vitest';
import type { StoredRecord } from '../../core/logs/reader.ts';
import { sampleRecord } from '../../store/fixtures/sample.ts';
import { headerNames } from '../../transport/inbound/header-bag.ts';
import { withReplayChanges, responseDifferences } from './replay.ts';

const names = headerNames([]);

const replayTo = (target: string, body?: string) => {
  const { headers, body: sent } = withReplayChanges(
    { method: 'POST', path: '/v1/x', headers: {}, ...(body === undefined ? {} : { body }) },
    { to: target },
    names,
  );
  return { provider: headers?.['x-gateway-provider'], sent };
};

it.each([
  ['other/m', '{"model":"@main/gpt","n":1}', undefined, '{"model":"@other/m","n":1}'],
  ['other', '{"model":"@main/vendor/gpt","n":1}', undefined, '{"model":"@other/vendor/gpt","n":1}'],
  ['@other', '{"model":"gpt"}', '@other', '{"model":"gpt"}'],
  ['other', '{"n":1}', '@other', '{"n":1}'],
  ['other', 'no JSON', '@other', 'no JSON'],
  ['other', undefined, '@other', undefined],
])('a replay to %s with the body %s sets the provider header or the model', (target, body, provider, sent) => {
  expect(replayTo(target, body)).toEqual({ provider, sent });
});

it('a replay replaces the gateway headers of the configured prefixes, and no other headers', () => {
  const headers = { 'x-gateway-config': 'c', 'x-acme-provider': 'p', 'x-feature-config': 'a', 'x-data-provider': 'b' };
  const changed = withReplayChanges({ headers }, { config: 'new' }, headerNames(['x-acme-']));
  expect(changed.headers).toEqual({ 'x-gateway-config': 'new', 'x-feature-config': 'a', 'x-data-provider': 'b' });
});

it.each([
  ['/m', '{}', /not a target/],
  ['other/m', undefined, /no body/],
])('a replay to %s with the body %s throws', (target, body, message) => {
  expect(() => replayTo(target, body)).toThrow(message);
});

it.each<[string, 'splice' | 'full', string, string, string[], RegExp | null]>([
  ['of one format', 'splice', '{"id":"1","a":1}', '{"id":"2","a":2}', ['a'], null],
  ['of equal text', 'splice', 'Hello.', 'Hello.', [], null],
  ['of other text', 'splice', 'Hello.', 'Hallo.', [], /different/],
  ['of text that begins like an event stream', 'splice', 'data was lost', 'data was found', [], /different/],
  [
    'of events',
    'splice',
    'data: {"id":"1","a":1}\n\ndata: [DONE]\n\n',
    'data: {"id":"2","a":2}\n\ndata: [DONE]\n\n',
    ['events[0].a'],
    null,
  ],
  ['of events without a space after data:', 'splice', 'data:{"a":1}\n\n', 'data:{"a":2}\n\n', ['events[0].a'], null],
  ['of an event stream that ends early', 'splice', 'data: {"a":1}\n\ndata: [DONE]\n\n', 'data: {"a":1}\n\n', ['events[1]'], null],
  ['that is large', 'splice', `{"a":"${'x'.repeat(5_000_000)}"}`, '{}', [], /too large/],
  ['that was converted', 'full', '{"candidates":[]}', '{"choices":[]}', [], /format of/],
])('responseDifferences compares a response %s if possible', (_, lane, before, after, paths, reason) => {
  const stored: StoredRecord = { record: sampleRecord({ lane }), bodies: [], feedback: [] };
  const { differences, why_absent: absent } = responseDifferences({ text: before }, after, stored, (text) => text);
  expect(differences.map(({ path }) => path)).toEqual(paths);
  if (reason === null) expect(absent).toBeNull();
  else expect(absent).toMatch(reason);
});
