import { describe, expect, it } from 'vitest';
import { expired, limitOf, type Watched } from './timeouts.ts';

const clocks = { connect: 10, firstByte: 20, idle: 30, total: 100, request: undefined };
const unset = { ...clocks, firstByte: undefined };
const start: Watched = {
  state: 'waiting',
  clocks,
  startedAt: 0,
  dialAt: 0,
  connectedAt: undefined,
  sentAt: undefined,
  firstAt: undefined,
  asksForStream: true,
  answer: undefined,
};
const sent: Watched = { ...start, connectedAt: 1, sentAt: 2 };
const holding: Watched = { ...sent, state: 'holding', firstAt: 5, answer: { lastAt: 5, isDrawn: false } };
const flowing: Watched = { ...holding, state: 'flowing', answer: { lastAt: 5, isDrawn: true } };

const rows: readonly [what: string, watched: Watched, now: number, phase: string | undefined][] = [
  ['connect for a connection that is not established', start, 11, 'connect'],
  ['no timeout for a connection within its time', start, 10, undefined],
  ['no timeout while a token is fetched first', { ...start, dialAt: Number.POSITIVE_INFINITY }, 99, undefined],
  ['total for a token that never arrives', { ...start, dialAt: Number.POSITIVE_INFINITY }, 101, 'total'],
  ['first-byte for a stream without its first byte', sent, 23, 'first-byte'],
  ['no timeout while the body is still being sent', { ...sent, sentAt: undefined }, 99, undefined],
  ['first-byte for a non-streamed response without its headers', { ...sent, asksForStream: false }, 23, 'first-byte'],
  ['no first-byte timeout for a non-streamed response by default', { ...sent, asksForStream: false, clocks: unset }, 99, undefined],
  ['first-byte for a stream by default', { ...sent, clocks: { ...unset, total: 70_000 } }, 60_003, 'first-byte'],
  [
    'idle for a non-streamed response that stops after its headers',
    { ...sent, asksForStream: false, state: 'whole', answer: { lastAt: 5, isDrawn: false } },
    36,
    'idle',
  ],
  [
    'no timeout for a non-streamed response whose bytes arrive',
    { ...sent, asksForStream: false, state: 'whole', answer: { lastAt: 70, isDrawn: false } },
    99,
    undefined,
  ],
  ['idle for a stream without data before its content', holding, 36, 'idle'],
  ['idle for a stream without data after its content', flowing, 36, 'idle'],
  ['no idle timeout for a stream that a slow client holds up', { ...flowing, answer: { lastAt: 5, isDrawn: false } }, 99, undefined],
  ['total for a stream that a slow client holds up', { ...flowing, answer: { lastAt: 5, isDrawn: false } }, 101, 'total'],
  ['request before the commit', { ...holding, clocks: { ...clocks, request: 15 } }, 16, 'request'],
  ['no request timeout after the commit', { ...flowing, clocks: { ...clocks, request: 15 } }, 16, undefined],
];

describe('timeouts of an attempt', () => {
  it.each(rows)('expired() returns %s', (_what, watched, now, phase) => {
    expect(expired(watched, now)).toBe(phase);
  });

  it('limitOf() returns the configured limits', () => {
    const phases = ['connect', 'first-byte', 'idle', 'total', 'request'] as const;
    expect(phases.map((phase) => limitOf({ ...clocks, request: 15 }, phase))).toEqual([10, 20, 30, 100, 15]);
  });
});
