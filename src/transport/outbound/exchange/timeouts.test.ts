import { describe, expect, it } from 'vitest';
import { expiredTimeout, limitOf, type TimedAttempt } from './timeouts.ts';

const timeouts = { connect: 10, firstByte: 20, idle: 30, total: 100, request: undefined };
const withoutFirstByte = { ...timeouts, firstByte: undefined };
const start: TimedAttempt = {
  state: 'waiting',
  timeouts,
  startedAt: 0,
  dialAt: 0,
  connectedAt: undefined,
  sentAt: undefined,
  firstAt: undefined,
  isStreamRequested: true,
  body: undefined,
};
const sent: TimedAttempt = { ...start, connectedAt: 1, sentAt: 2 };
const holdingAttempt: TimedAttempt = { ...sent, state: 'holding', firstAt: 5, body: { lastAt: 5, isBeingRead: false } };
const flowingAttempt: TimedAttempt = { ...holdingAttempt, state: 'flowing', body: { lastAt: 5, isBeingRead: true } };

const rows: readonly [name: string, attempt: TimedAttempt, now: number, phase: string | undefined][] = [
  ['connect for a connection that is not established', start, 11, 'connect'],
  ['no timeout for a connection within its time', start, 10, undefined],
  ['no timeout while a token is fetched first', { ...start, dialAt: Number.POSITIVE_INFINITY }, 99, undefined],
  ['total for a token that never arrives', { ...start, dialAt: Number.POSITIVE_INFINITY }, 101, 'total'],
  ['first-byte for a stream without its first byte', sent, 23, 'first-byte'],
  ['no timeout while the body is still being sent', { ...sent, sentAt: undefined }, 99, undefined],
  ['first-byte for a non-streamed response without its headers', { ...sent, isStreamRequested: false }, 23, 'first-byte'],
  [
    'no first-byte timeout for a non-streamed response by default',
    { ...sent, isStreamRequested: false, timeouts: withoutFirstByte },
    99,
    undefined,
  ],
  ['first-byte for a stream by default', { ...sent, timeouts: { ...withoutFirstByte, total: 70_000 } }, 60_003, 'first-byte'],
  [
    'idle for a non-streamed response that stops after its headers',
    { ...sent, isStreamRequested: false, state: 'whole', body: { lastAt: 5, isBeingRead: false } },
    36,
    'idle',
  ],
  [
    'no timeout for a non-streamed response whose bytes arrive',
    { ...sent, isStreamRequested: false, state: 'whole', body: { lastAt: 70, isBeingRead: false } },
    99,
    undefined,
  ],
  ['idle for a stream without data before its content', holdingAttempt, 36, 'idle'],
  ['idle for a stream without data after its content', flowingAttempt, 36, 'idle'],
  [
    'no idle timeout for a stream that a slow client holds up',
    { ...flowingAttempt, body: { lastAt: 5, isBeingRead: false } },
    99,
    undefined,
  ],
  ['total for a stream that a slow client holds up', { ...flowingAttempt, body: { lastAt: 5, isBeingRead: false } }, 101, 'total'],
  ['request before the commit', { ...holdingAttempt, timeouts: { ...timeouts, request: 15 } }, 16, 'request'],
  ['no request timeout after the commit', { ...flowingAttempt, timeouts: { ...timeouts, request: 15 } }, 16, undefined],
];

describe('timeouts of an attempt', () => {
  it.each(rows)('expired() returns %s', (_name, attempt, now, phase) => {
    expect(expiredTimeout(attempt, now)).toBe(phase);
  });

  it('limitOf() returns the configured limits', () => {
    const phases = ['connect', 'first-byte', 'idle', 'total', 'request'] as const;
    expect(phases.map((phase) => limitOf({ ...timeouts, request: 15 }, phase))).toEqual([10, 20, 30, 100, 15]);
  });
});
