import { describe, expect, it } from 'vitest';
import { isSampledFlag, isSampledId, parseTraceparent, w3cTraceId } from './trace.ts';

describe('w3cTraceId', () => {
  const hex = '4bf92f3577b34da6a3ce929d0e0e4736';
  it.each([
    [hex, hex],
    [hex.toUpperCase(), hex],
    ['4bf92f35-77b3-4da6-a3ce-929d0e0e4736', hex],
    ['order 7', expect.stringMatching(/^[0-9a-f]{32}$/)],
    ['', expect.stringMatching(/^[0-9a-f]{32}$/)],
    ['0'.repeat(32), expect.stringMatching(/^(?!0{32})[0-9a-f]{32}$/)],
  ])('returns a valid trace ID, always the same, for %j', (text, expected) => {
    expect(w3cTraceId(text)).toEqual(expected);
    expect(w3cTraceId(text)).toBe(w3cTraceId(text));
  });
});

it('isSampledId samples the configured ratio of trace IDs', () => {
  const ids = Array.from({ length: 2000 }, (_, n) => w3cTraceId(`trace ${n}`));
  const count = (ratio: number): number => ids.filter((id) => isSampledId(id, ratio)).length;
  expect([count(0), count(1)]).toEqual([0, 2000]);
  expect(Math.abs(count(0.1) - 200)).toBeLessThan(60);
  expect(ids.filter((id) => isSampledId(id, 0.1)).every((id) => isSampledId(id, 0.5))).toBe(true);
});

it.each([
  ['00', false],
  ['01', true],
  ['03', true],
  ['02', false],
])('isSampledFlag with the flags %s returns %s', (flags, isSampled) => {
  const parent = parseTraceparent(`00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}`);
  expect(parent !== undefined && isSampledFlag(parent)).toBe(isSampled);
});
