import { expect, it } from 'vitest';
import { JsonBytes } from '../json/bytes.ts';
import { HeaderSpans } from './header-spans.ts';

const plainHeaders = { host: 'a', accept: '*/*', 'x-request-id': '1' };
const shared = Object.freeze({ ...plainHeaders, date: 'Mon, 23 Nov 2026 14:25:03 GMT' });
const manyHeaders = Array.from({ length: 600 }, (_, i) => ({ [`x-${i}`]: 'a', host: 'a' }));
const similarHeaders = Array.from({ length: 200 }, (_, i) => ({ ...plainHeaders, host: `${i}` }));
const frozenHeaders = Array.from({ length: 40 }, (_, i) => Object.freeze({ ...plainHeaders, 'x-request-id': `${i}` }));

it('writes headers as JSON, independent of cached headers', () => {
  const headerSets: readonly Readonly<Record<string, string>>[] = [
    plainHeaders,
    { ...plainHeaders },
    { ...plainHeaders, 'x-request-id': '2' },
    { ...plainHeaders, 'x-request-id': '10' },
    { ...plainHeaders, host: 'longer', 'x-request-id': '"' },
    { ...plainHeaders, more: 'a' },
    { host: 'a', accept: '*/*' },
    { 'x-request-id': '2', host: 'b' },
    { 'x-request-id': '2', host: '"é"' },
    { 'x-request-id': '2', host: '"é"' },
    {},
    Object.freeze({}),
    { 'x-"é"': 'a' },
    { long: 'x'.repeat(1000), ['n'.repeat(1000)]: 'y' },
    shared,
    ...similarHeaders,
    shared,
    shared,
    ...manyHeaders,
    ...frozenHeaders,
  ];
  const spans = new HeaderSpans();
  const texts = [...headerSets, ...headerSets].map((headers, i) => {
    const output = new JsonBytes(16);
    output.begin();
    output.ascii('before');
    spans.write(output, i % 7 === 0 ? `${i}` : 'one', headers);
    const { bytes, from: start, to: end } = output.end();
    return bytes.toString('utf8', start, end);
  });
  expect(texts).toEqual([...headerSets, ...headerSets].map((headers) => `before${JSON.stringify(headers)}`));
});
