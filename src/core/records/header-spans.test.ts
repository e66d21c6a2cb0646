import { expect, it } from 'vitest';
import { JsonBytes } from '../json/bytes.ts';
import { HeaderSpans } from './header-spans.ts';

const plain = { host: 'a', accept: '*/*', 'x-request-id': '1' };
const shared = Object.freeze({ ...plain, date: 'Mon, 23 Nov 2026 14:25:03 GMT' });
const many = Array.from({ length: 600 }, (_, i) => ({ [`x-${i}`]: 'a', host: 'a' }));
const alike = Array.from({ length: 200 }, (_, i) => ({ ...plain, host: `${i}` }));
const frozen = Array.from({ length: 40 }, (_, i) => Object.freeze({ ...plain, 'x-request-id': `${i}` }));

it('writes headers as JSON, independent of cached headers', () => {
  const all: readonly Readonly<Record<string, string>>[] = [
    plain,
    { ...plain },
    { ...plain, 'x-request-id': '2' },
    { ...plain, 'x-request-id': '10' },
    { ...plain, host: 'longer', 'x-request-id': '"' },
    { ...plain, more: 'a' },
    { host: 'a', accept: '*/*' },
    { 'x-request-id': '2', host: 'b' },
    { 'x-request-id': '2', host: '"é"' },
    { 'x-request-id': '2', host: '"é"' },
    {},
    Object.freeze({}),
    { 'x-"é"': 'a' },
    { long: 'x'.repeat(1000), ['n'.repeat(1000)]: 'y' },
    shared,
    ...alike,
    shared,
    shared,
    ...many,
    ...frozen,
  ];
  const spans = new HeaderSpans();
  const written = [...all, ...all].map((headers, i) => {
    const out = new JsonBytes(16);
    out.begin();
    out.ascii('before');
    spans.write(out, i % 7 === 0 ? `${i}` : 'one', headers);
    const { bytes, from, to } = out.end();
    return bytes.toString('utf8', from, to);
  });
  expect(written).toEqual([...all, ...all].map((headers) => `before${JSON.stringify(headers)}`));
});
