import { expect, it } from 'vitest';
import { JsonBody } from '../../core/json/body.ts';
import type { JsonObject } from '../../core/json/merge.ts';
import { versionHeaders } from './headers.ts';

const call = (headers: Readonly<Record<string, string>> = {}) => ({ header: (name: string) => headers[name] });
const body = (value: JsonObject) => JsonBody.of(value);

it.each<[what: string, headers: ReturnType<typeof versionHeaders>, betas: string | undefined]>([
  ['none', versionHeaders(call(), undefined, { version: undefined, betas: undefined }), undefined],
  ['a setting that is a text', versionHeaders(call(), undefined, { version: undefined, betas: 'a, b,' }), 'a,b'],
  ['a setting that is a list', versionHeaders(call(), undefined, { version: undefined, betas: ['a', 'b, c'] }), 'a,b,c'],
  ['those that the request needs', versionHeaders(call(), undefined, { version: undefined, betas: 'a' }, ['n', 'a']), 'a,n'],
  [
    'headers of the client',
    versionHeaders(call({ 'anthropic-beta': 'h,a' }), undefined, { version: undefined, betas: 'a' }, ['n']),
    'a,n,h',
  ],
  [
    'fields of the body',
    versionHeaders(call(), body({ anthropic_beta: ['f', 'g\n'], vendor_beta: 'v' }), { version: undefined, betas: 'a' }),
    'a,f,g,v',
  ],
  [
    'no value that a header cannot contain',
    versionHeaders(call(), body({ anthropic_beta: ['é', '', null, 'x'] }), { version: undefined, betas: undefined }),
    'x',
  ],
])('lists beta features: %s', (_what, headers, betas) => {
  expect(headers).toEqual(['anthropic-version', '2023-06-01', ...(betas === undefined ? [] : ['anthropic-beta', betas])]);
});

it.each<[what: string, headers: Readonly<Record<string, string>>, fields: JsonObject, configured: string | undefined, version: string]>([
  ['by default', {}, {}, undefined, '2023-06-01'],
  ['of the provider', {}, { anthropic_version: 'bedrock-2023-05-31' }, '2024-01-01', '2024-01-01'],
  ['of the body', {}, { anthropic_version: '2025-01-01' }, '2024-01-01', '2025-01-01'],
  ['of the header', { 'anthropic-version': '2026-01-01' }, { anthropic_version: '2025-01-01' }, '2024-01-01', '2026-01-01'],
])('sends the version %s', (_what, headers, fields, configured, version) => {
  expect(versionHeaders(call(headers), body(fields), { version: configured, betas: undefined })).toEqual(['anthropic-version', version]);
});
